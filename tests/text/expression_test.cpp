#include "runtime/text/expression.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

const std::map<std::string, std::int64_t> symbols{{"M", 512}, {"N", 4096}, {"K", 7}, {"zero", 0}};

std::int64_t whole(std::string_view text) {
  auto x = integer_value(text, symbols);
  INFO(text << (x ? std::string{} : ": " + x.error().text));
  REQUIRE(x);
  return *x;
}

double real(std::string_view text) {
  auto x = real_value(text, symbols);
  INFO(text << (x ? std::string{} : ": " + x.error().text));
  REQUIRE(x);
  return *x;
}

std::string trouble(std::string_view text) {
  auto x = integer_value(text, symbols);
  INFO(text);
  REQUIRE_FALSE(x);
  CHECK(x.error().kind == failure_kind::invalid);
  return x.error().text;
}

} // namespace

TEST_CASE("whole-number expressions follow the usual precedence") {
  CHECK(whole("5*M*N") == 5ll * 512 * 4096);
  CHECK(whole(" N - K + 1 ") == 4090);
  CHECK(whole("2+3*4") == 14);
  CHECK(whole("(2+3)*4") == 20);
  CHECK(whole("10-4-3") == 3);
  CHECK(whole("-2**2") == -4);
  CHECK(whole("2**3**2") == 512);
  CHECK(whole("2^10") == 1024);
  CHECK(whole("-7/2") == -3);
  CHECK(whole("-7%2") == -1);
  CHECK(whole("--3") == 3);
  CHECK(whole("+3") == 3);
  CHECK(whole("(-1)**9223372036854775807") == -1);
}

TEST_CASE("functions of expressions") {
  CHECK(whole("ceildiv(N, 1000)") == 5);
  CHECK(whole("ceildiv(-7, 2)") == -3);
  CHECK(whole("min(M, N, K)") == 7);
  CHECK(whole("max(M, N, K)") == 4096);
  CHECK(whole("log2(N)") == 12);
  CHECK(whole("log2(N+1)") == 12);
  CHECK(whole("sqrt(80)") == 8);
  CHECK(whole("sqrt(9223372036854775807)") == 3037000499);
  CHECK(whole("ceil(3)") == 3);
  CHECK(real("log2(8)*0.5") == Approx(1.5));
  CHECK(real("ceil(7/2)") == Approx(4));
  CHECK(real("floor(7/2)") == Approx(3));
  CHECK(real("2.5e3") == Approx(2500));
  CHECK(real("sqrt(2)**2") == Approx(2));
  CHECK(real("min(1.5, 2)") == Approx(1.5));
}

TEST_CASE("an expression that has no value says where and why") {
  CHECK(trouble("M/zero").find("division by zero") != std::string::npos);
  CHECK(trouble("M%zero").find("division by zero") != std::string::npos);
  CHECK(trouble("ceildiv(1, 0)").find("division by zero") != std::string::npos);
  CHECK(trouble("Q*2").find("column 1: unknown name \"Q\"") != std::string::npos);
  CHECK(trouble("2*abs(3)").find("column 3: unknown function \"abs\"") != std::string::npos);
  CHECK(trouble("").find("at the end") != std::string::npos);
  CHECK(trouble("2*").find("at the end") != std::string::npos);
  CHECK(trouble("(2").find("\")\" is expected") != std::string::npos);
  CHECK(trouble("2 3").find("column 3: an operator") != std::string::npos);
  CHECK(trouble("1.5").find("whole number") != std::string::npos);
  CHECK(trouble("min()").find("at least one") != std::string::npos);
  CHECK(trouble("sqrt(1, 2)").find("takes 1 argument") != std::string::npos);
  CHECK(trouble("2**-1").find("negative power") != std::string::npos);
  CHECK(trouble("log2(0)").find("not positive") != std::string::npos);
  CHECK(trouble("sqrt(0-4)").find("negative") != std::string::npos);
  CHECK_FALSE(real_value("1/0", {}));
  CHECK_FALSE(real_value("1e400", {}));
  CHECK_FALSE(real_value("10**400", {}));
  CHECK_FALSE(real_value(".", {}));
  CHECK_FALSE(real_value("(0-1)**0.5", {}));
}

TEST_CASE("overflow of 64 bits is a failure, not a wrong number") {
  CHECK(whole("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(whole("-9223372036854775807-1") == std::numeric_limits<std::int64_t>::min());
  for (auto text :
       {"9223372036854775807+1", "-9223372036854775807-2", "N**6", "9223372036854775808", "2**63",
        "(-9223372036854775807-1)/-1", "(-9223372036854775807-1)*-1", "-(-9223372036854775807-1)"})
    CHECK(trouble(text).find("64 bits") != std::string::npos);
}

TEST_CASE("depth and length of an expression are bounded") {
  auto nested = [](int n) { return std::string(n, '(') + "1" + std::string(n, ')'); };
  CHECK(whole(nested(50)) == 1);
  CHECK(trouble(nested(1000)).find("nested") != std::string::npos);
  CHECK(trouble(std::string(1000, '-') + "1").find("nested") != std::string::npos);
  CHECK(trouble(std::string(5000, '1')).find("limit") != std::string::npos);
}
