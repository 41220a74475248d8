#include "knowledge/library/retrieval.hpp"
#include "runtime/core/device_info.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace ke;

namespace {

const corpus& library() {
  static const corpus c = [] {
    auto set = read_folder(std::string{ke::test::source_dir()} + "/tests/knowledge/library");
    REQUIRE(set);
    return corpus{set->documents};
  }();
  return c;
}

std::vector<std::string> ids(const signal_query& q, std::size_t limit = 10) {
  std::vector<std::string> all;
  for (const auto& r : retrieve(library(), q, limit))
    all.push_back(r.document->id);
  return all;
}

bool among(const std::vector<std::string>& all, const std::string& id) {
  return std::find(all.begin(), all.end(), id) != all.end();
}

document made(std::string id, std::string title, std::string body) {
  document d;
  d.id = std::move(id);
  d.title = std::move(title);
  d.body = std::move(body);
  d.targets = {"*"};
  return d;
}

} // namespace

TEST_CASE("a memory-bound kernel gets pages on the memory hierarchy, whatever its operator is called") {
  signal_query q;
  q.bottleneck = "memory";
  q.targets = {"x86-64-avx2"};
  q.depth = 1;
  for (auto family : {"matmul", "conv", ""}) {
    q.family = family;
    auto all = ids(q);
    REQUIRE_FALSE(all.empty());
    CHECK(all[0] == "guidance/memory/blocking");
    CHECK_FALSE(among(all, "guidance/debugging/undefined-symbols"));
  }
}

TEST_CASE("a compile error gets the page whose fragment stands in the message") {
  signal_query q;
  q.failure = "build_failed";
  q.message = "/usr/bin/ld: /tmp/x.o: in function `kernel':\nx.cpp:(.text+0x1d): undefined reference to "
              "`cblas_sgemm'";
  auto found = retrieve(library(), q, 10);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].document->id == "guidance/debugging/undefined-symbols");
  CHECK(found[0].message == 1);
}

TEST_CASE("documents of another target, family or type are never given") {
  signal_query q;
  q.bottleneck = "memory";
  q.level = 3;
  q.targets = {"acme-1"};
  CHECK(ids(q)[0] == "hardware/acme/scratchpad"); // no model knows this machine
  q.dtypes = {"i8"};
  CHECK_FALSE(among(ids(q), "hardware/acme/scratchpad"));
  q.dtypes = {"i8", "f16"};
  CHECK(among(ids(q), "hardware/acme/scratchpad"));
  q.targets = {"riscv-v"};
  CHECK_FALSE(among(ids(q), "hardware/acme/scratchpad"));
  q.family = "softmax";
  CHECK_FALSE(among(ids(q), "guidance/memory/blocking"));
}

TEST_CASE("targets, names in the reference and the state shut a page out, whatever it scores") {
  auto silicon = made("a/silicon", "Caches", "cache lines");
  silicon.targets = {"*", "!riscv-*"};
  silicon.signals.bottleneck = {"memory"};
  auto exponential = made("a/exp", "Exponentials", "exp");
  exponential.uses = {"exp", "expf"};
  auto failures = made("a/failures", "Memory that is not yours", "memory");
  failures.signals.failure = {"crashed"};
  failures.signals.message = {"heap-buffer-overflow"};
  corpus c{{silicon, exponential, failures}};
  auto found = [&](const signal_query& q) {
    std::vector<std::string> all;
    for (const auto& r : retrieve(c, q, 10))
      all.push_back(r.document->id);
    return all;
  };
  signal_query q{.bottleneck = "memory", .message = "exp memory", .targets = {"x86-64-avx2", "cpu-cpp"}};
  CHECK(among(found(q), "a/silicon"));
  CHECK(among(found(q), "a/exp"));
  CHECK_FALSE(among(found(q), "a/failures"));
  q.targets = {"riscv-v", "cpu-cpp"};
  CHECK_FALSE(among(found(q), "a/silicon"));
  q.reference = "y = x; // experts expect no exponent";
  CHECK_FALSE(among(found(q), "a/exp"));
  q.reference = "y = std::expf(x);";
  CHECK(among(found(q), "a/exp"));
  q.message += " heap-buffer-overflow";
  CHECK(among(found(q), "a/failures"));
  q = {.failure = "crashed", .targets = {"riscv-v"}};
  CHECK(among(found(q), "a/failures"));
}

TEST_CASE("expert documents open with depth, or when the search stalls") {
  signal_query q;
  q.bottleneck = "latency";
  q.targets = {"acme-1"};
  auto expert = [&] { return among(ids(q), "hardware/acme/scratchpad"); };
  for (std::uint32_t depth : {0, 1, 3}) {
    q.depth = depth;
    CHECK_FALSE(expert());
  }
  q.stalled = true;
  CHECK(expert());
  q.stalled = false;
  q.depth = 4;
  CHECK(expert());
  q.level = 2;
  CHECK_FALSE(expert());
}

TEST_CASE("levels open one by one and never close") {
  for (std::uint32_t depth = 0; depth < 10; ++depth) {
    CHECK(open_level(depth, false) <= open_level(depth + 1, false));
    CHECK(open_level(depth, false) <= open_level(depth, true));
    CHECK(open_level(depth, true) <= 3);
  }
  CHECK(open_level(0, false) == 1);
  CHECK(open_level(1, false) == 2);
  CHECK(open_level(4, false) == 3);
}

TEST_CASE("without any signal there is no reason to give a document") {
  CHECK(ids({}).empty());
  signal_query q;
  q.message = "zzzz qqqq";
  CHECK(ids(q).empty());
}

TEST_CASE("equal scores come in the order of ids, and the limit holds") {
  std::vector<document> same;
  for (auto id : {"c", "a", "b"})
    same.push_back(made(id, "one title", "cache lines and bandwidth"));
  corpus c{same};
  signal_query q;
  q.bottleneck = "memory";
  auto found = retrieve(c, q, 2);
  REQUIRE(found.size() == 2);
  CHECK(found[0].document->id == "a");
  CHECK(found[1].document->id == "b");
  CHECK(found[0].score == found[1].score);
  CHECK(retrieve(c, q, 0).empty());
  CHECK(retrieve(corpus{{}}, q, 5).empty());
}

TEST_CASE("bm25 is what its formula says") {
  // Two documents of 4·1 + 3 = 7 and 4·1 + 1 = 5 weighted words; "gather" stands once in the first one's
  // body.
  corpus c{{made("a", "first", "gather stride lane"), made("b", "second", "scalar")}};
  std::vector<query_word> words;
  c.index().add_words("gather gather unknown", 1, 10, words);
  REQUIRE(words.size() == 1);
  std::vector<float> scores(2);
  c.index().score(words, scores);
  double idf = std::log(1 + (2 - 1 + 0.5) / (1 + 0.5));
  double norm = 1.2 * (1 - 0.75 + 0.75 * 7 / 6);
  CHECK(scores[0] == Approx(idf * 1 * 2.2 / (1 + norm)));
  CHECK(scores[1] == 0);
}

TEST_CASE("a fragment counts fully where it stands, less where only its words do") {
  auto d = made("a", "t", "b");
  d.signals.message = {"undefined reference", "misaligned"};
  corpus c{{d}};
  auto fit = [&](std::string_view message) {
    std::vector<float> scores(1);
    c.index().score_fragments(message, scores);
    return scores[0];
  };
  CHECK(fit("ld: UNDEFINED reference to `f'") == 1);
  CHECK(fit("the reference is undefined") == Approx(0.6));
  CHECK(fit("misaligned address") == Approx(0.75));
  CHECK(fit("undefined") == 0);
}

TEST_CASE("constraints are given apart, shortest first, for every signal") {
  std::vector<document> all{made("constraints/long", "t", "a long text on rules"),
                            made("constraints/short", "t", "rule"), made("constraints/other", "t", "x"),
                            made("guidance/g", "t", "rule")};
  for (auto& d : all)
    if (d.id.starts_with("constraints"))
      d.kind = document_kind::constraint;
  all[2].targets = {"opencl"};
  all[0].level = 3;
  corpus c{all};
  auto given = constraints_for(c, {.family = "softmax", .dtypes = {"f32"}, .targets = {"x86-64-avx2"}});
  REQUIRE(given.size() == 2);
  CHECK(given[0]->id == "constraints/short");
  CHECK(given[1]->id == "constraints/long");
  signal_query q;
  q.message = "rule";
  q.level = 3;
  CHECK(retrieve(c, q, 9).size() == 3);
  q.with_constraints = false;
  auto rest = retrieve(c, q, 9);
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].document->id == "guidance/g");
}

TEST_CASE("a device's targets follow from its backend and instructions") {
  using names = std::vector<std::string>;
  device_info d{"cpu:x", "cpu-cpp", "ok", {{"arch", "x86-64"}, {"isa", "sse4_2 avx avx2 fma"}}};
  CHECK(targets_of(d) == names{"x86-64-avx2", "cpu-cpp"});
  d.facts["isa"] += " avx512f avx512bw";
  CHECK(targets_of(d) == names{"x86-64-avx512", "cpu-cpp"});
  d.backend = "opencl";
  d.facts["target"] = "opencl"; // as its manifest says
  CHECK(targets_of(d) == names{"opencl"});
  d.backend = "acme";
  d.facts["target"] = "acme-1";
  CHECK(targets_of(d) == names{"acme-1", "acme"});
}

TEST_CASE("every bottleneck and failure has words of its own") {
  for (const auto* names : {&known_bottlenecks(), &known_failures()})
    for (const auto& name : *names)
      CHECK_FALSE(words_behind(name).empty());
  CHECK(words_behind("").empty());
}

TEST_CASE("very long and strange messages do no harm") {
  signal_query q;
  q.message = std::string(1 << 20, 'x') + std::string("\0\xff\xfe", 3);
  CHECK(ids(q).empty());
  q.message = std::string(5000, '_') + " undefined reference to";
  CHECK(ids(q)[0] == "guidance/debugging/undefined-symbols");
}

TEST_CASE("a draft for a machine that no model knows gets its documents without any signal") {
  auto page = made("scratchpad", "the scratchpad", "use acme_copy_async");
  page.targets = {"acme-*"};
  auto common = made("common", "a page", "text");
  auto x86 = made("x86", "a page", "text");
  x86.targets = {"x86-64-*"};
  corpus c{{page, common, x86}};
  signal_query q;
  q.targets = {"acme-1", "acme"};
  auto found = retrieve(c, q, 5);
  REQUIRE(found.size() == 1);
  CHECK(found[0].document->id == "scratchpad");
  CHECK(found[0].score == Approx(1.5));
}

TEST_CASE("documents for candidates in another language are out, unless nobody knows the language") {
  std::vector<document> all{made("guidance/any", "t", "memory"), made("guidance/cpp", "t", "memory"),
                            made("guidance/triton", "t", "memory"), made("constraints/cpp", "t", "memory")};
  all[1].languages = all[3].languages = {"c++", "opencl"};
  all[2].languages = {"triton"};
  all[3].kind = document_kind::constraint;
  corpus c{all};
  using names = std::vector<std::string>;
  auto given = [&](const char* language) {
    names found;
    signal_query q;
    q.language = language;
    q.level = 3;
    for (const auto* d : admitted(c, q))
      found.push_back(d->id);
    CHECK(constraints_for(c, q).size() ==
          static_cast<std::size_t>(std::count(found.begin(), found.end(), "constraints/cpp")));
    return found;
  };
  CHECK(given("triton") == names{"guidance/any", "guidance/triton"});
  CHECK(given("opencl") == names{"constraints/cpp", "guidance/any", "guidance/cpp"});
  CHECK(given("").size() == 4);
  CHECK(given("acme-language").size() == 4);
}
