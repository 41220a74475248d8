#include "runtime/playbook/read/dependence.hpp"
#include "runtime/playbook/read/normalize.hpp"
#include "runtime/playbook/read/parser.hpp"

#include <catch2/catch.hpp>

using namespace ke::playbook;

namespace {

poly P(const std::string& text) {
  auto p = to_poly(parse_extent(text));
  REQUIRE(p);
  return *p;
}

kernel_function parsed(const std::string& body,
                       const std::string& parameters = "const float* x, float* y, int64_t M, int64_t N") {
  auto out = parse_kernel("extern \"C\" void kernel(" + parameters + ") {" + body + "}");
  INFO(out.why);
  REQUIRE(out.kernel);
  auto k = std::move(*out.kernel);
  inline_integers(k.body);
  spell_updates(k.body);
  return k;
}

kernel_facts facts() {
  return {{{"x", {P("M"), P("N")}}, {"y", {P("M"), P("N")}}}, {"M", "N"}};
}

} // namespace

TEST_CASE("polynomials keep exact meaning through products and division") {
  CHECK(P("(n*C + c)*L + p") == P("n*C*L + c*L + p"));
  auto parts = divide(P("f*(L-K+1) + p"), P("L-K+1"));
  CHECK(parts.quotient == P("f"));
  CHECK(parts.remainder == P("p"));
  auto index = delinearize(P("((n*C + c)*L + p + k)"), {P("N"), P("C"), P("L")});
  REQUIRE(index.size() == 3);
  CHECK(index[0] == P("n"));
  CHECK(index[1] == P("c"));
  CHECK(index[2] == P("p + k"));
  CHECK(P("2*i - 3") - P("i + i") == P("0 - 3"));
}

TEST_CASE("the parser inlines helpers, follows pointers and renames what shadows") {
  auto out = parse_kernel("static float twice(float v) { const float w = v + v; return w; }\n"
                          "extern \"C\" void kernel(const float* x, float* y, int64_t M, int64_t N) {\n"
                          "  for (int64_t i = 0; i < M; ++i) { const float* row = x + i * N;\n"
                          "    for (int64_t j = 0; j < N; ++j) { float i = twice(row[j]); y[j] = i; } } }");
  INFO(out.why);
  REQUIRE(out.kernel);
  const auto& inner = out.kernel->body.at(0).body.at(0).body;
  REQUIRE(inner.size() == 2);
  CHECK(inner[0].name != "i");
  CHECK(print(inner[0].value) == "(x[((i * N) + j)] + x[((i * N) + j)])");
  CHECK(print(inner[1].value) == inner[0].name);
}

TEST_CASE("the parser says what it does not understand and where") {
  auto why = [](const std::string& body) {
    auto out = parse_kernel("extern \"C\" void kernel(float* y, int64_t N) {\n" + body + "\n}");
    CHECK_FALSE(out.kernel);
    return out.why;
  };
  CHECK(why("while (N) --N;").find("line 2") != std::string::npos);
  CHECK(why("for (int64_t i = N; i > 0; --i) y[i] = 0;").find("upwards") != std::string::npos);
  CHECK(why("for (int64_t i = 0; i < N; ++i) { i += 1; }").find("changes its variable") != std::string::npos);
  CHECK(why("y[0] = z;").find("`z` is not known") != std::string::npos);
  CHECK(why("for (int64_t i = 0; i < N; ++i) { if (i) break; }").find("break") != std::string::npos);
}

TEST_CASE("rows that stay within their shape are independent") {
  auto k =
      parsed("for (int64_t i = 0; i < M; ++i) for (int64_t j = 0; j < N; ++j) y[i * N + j] = x[i * N + j];");
  CHECK(independent(k.body[0], {}, facts()));
  CHECK(independent(k.body[0].body[0], {*range_of(k.body[0])}, facts()));
}

TEST_CASE("a row that runs over its end, a neighbour and a shared element are dependences") {
  auto over = parsed("for (int64_t i = 0; i < M; ++i) for (int64_t j = 0; j <= N; ++j) y[i * N + j] = 1.0f;");
  CHECK_FALSE(independent(over.body[0], {}, facts()));
  auto neighbour = parsed("for (int64_t i = 1; i < N; ++i) y[i] = y[i - 1] + x[i];");
  CHECK_FALSE(independent(neighbour.body[0], {}, facts()));
  auto shared =
      parsed("for (int64_t i = 0; i < M; ++i) for (int64_t j = 0; j < N; ++j) y[j] += x[i * N + j];");
  CHECK_FALSE(independent(shared.body[0], {}, facts()));
  CHECK(independent(shared.body[0].body[0], {*range_of(shared.body[0])}, facts()));
  auto modulo = parsed("for (int64_t i = 0; i < M * N; ++i) y[i % N] = x[i];");
  CHECK_FALSE(independent(modulo.body[0], {}, facts()));
  auto skewed = parsed("for (int64_t i = 0; i < M; ++i) for (int64_t j = 0; j < N; ++j) y[i + j] = 1.0f;");
  CHECK_FALSE(independent(skewed.body[0], {}, facts()));
}

TEST_CASE("carried scalars are told apart: sums, extremes, running sums and the rest") {
  auto kind = [](const std::string& body) {
    auto k = parsed("float a = 0; for (int64_t i = 0; i < N; ++i) {" + body + "} y[0] = a;");
    auto carried = carried_scalars(k.body[1]);
    REQUIRE(carried.size() == 1);
    return carried[0].kind;
  };
  CHECK(kind("a += x[i];") == carry_kind::sum);
  CHECK(kind("a = a + x[i];") == carry_kind::sum);
  CHECK(kind("a *= x[i];") == carry_kind::product);
  CHECK(kind("if (x[i] > a) a = x[i];") == carry_kind::maximum);
  CHECK(kind("a = std::fmin(x[i], a);") == carry_kind::minimum);
  CHECK(kind("a += x[i]; y[i] = a;") == carry_kind::scan);
  CHECK(kind("a = 0.5f * a + x[i];") == carry_kind::unknown);
  CHECK(kind("a += x[i] * a;") == carry_kind::unknown);
}

TEST_CASE("sums in memory become sums in registers without changing their order") {
  auto k = parsed(
      "for (int64_t i = 0; i < M; ++i) { for (int64_t j = 0; j < N; ++j) y[i * N + j] = 0.0f;"
      " for (int64_t k = 0; k < M; ++k) for (int64_t j = 0; j < N; ++j) y[i * N + j] += x[k * N + j]; }");
  promote_accumulators(k.body, facts());
  REQUIRE(k.body[0].body.size() == 1);
  const auto& j = k.body[0].body[0];
  REQUIRE(j.kind == stmt_kind::loop);
  REQUIRE(j.body.size() == 3);
  CHECK(j.body[0].kind == stmt_kind::declare);
  CHECK(j.body[1].kind == stmt_kind::loop);
  CHECK(j.body[2].kind == stmt_kind::assign);
}
