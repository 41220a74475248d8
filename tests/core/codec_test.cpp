#include "runtime/core/codec.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

/// The same record as an older and a newer program know it.
struct short_record {
  std::string name;
  std::int64_t count = 3;
};
KE_FIELDS(short_record, x.name, x.count)
struct long_record {
  std::string name;
  std::int64_t count = 3;
  std::optional<double> score;
  std::vector<std::pair<std::string, bool>> flags{{"default", true}};
};
KE_FIELDS(long_record, x.name, x.count, x.score, x.flags)
/// As `short_record`, with what a later version added.
struct grown_record {
  std::string name;
  std::int64_t count = 3;
  std::vector<std::string> range;
  double floor = 0.95;
};
KE_FIELDS(grown_record, x.name, x.count, x.range, x.floor)

} // namespace
namespace ke {
KE_OPTIONAL_TAIL(grown_record, 2)
}

TEST_CASE("a field that a later version added changes no bytes of a value that does not use it") {
  CHECK(pack(grown_record{"a", 7, {}, 0.95}) == pack(short_record{"a", 7}));
  CHECK(pack(problem{}) == pack(*unpack<problem>(pack(problem{}))));
  for (const auto& used :
       {grown_record{"a", 7, {"0"}, 0.95}, grown_record{"a", 7, {}, 0.5}, grown_record{"a", 7, {"0"}, 1}}) {
    auto back = unpack<grown_record>(pack(used));
    REQUIRE(back);
    CHECK(fields(*back) == fields(used));
    CHECK(pack(used) != pack(short_record{"a", 7}));
  }
}

TEST_CASE("settings survive packing unchanged") {
  campaign_settings s;
  s.name = "softmax";
  s.seed = 0xffffffffffffffffu;
  s.targets = {{"cpu-cpp", "*"}, {"triton", "nvidia-*"}};
  s.models.emplace_back().command = {"llm", "-m", std::string("a\0b", 3)};
  s.search.policy = policy_kind::best_of_n;
  auto back = unpack<campaign_settings>(pack(s));
  REQUIRE(back);
  CHECK(*back == s);
  CHECK(pack(*back) == pack(s));
}

TEST_CASE("a job with blobs of any bytes survives packing") {
  job j;
  j.id = 1ull << 60;
  j.priority = -5;
  j.inline_blobs["d"] = std::string("\xff\x00\x80", 3);
  auto back = unpack<job>(pack(j));
  REQUIRE(back);
  CHECK(*back == j);
}

TEST_CASE("a newer record is read by an older program and the other way round") {
  auto older = unpack<short_record>(pack(long_record{"a", 7, 2.5, {}}));
  REQUIRE(older);
  CHECK(older->count == 7);
  auto newer = unpack<long_record>(pack(short_record{"b", 8}));
  REQUIRE(newer);
  CHECK(newer->name == "b");
  CHECK_FALSE(newer->score);
  CHECK(newer->flags.size() == 1);
}

TEST_CASE("every truncation and every foreign byte at the end is corrupt") {
  auto bytes = pack(long_record{"name", 1234567, 0.5, {{"x", false}}});
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    auto back = unpack<long_record>(bytes.substr(0, n));
    REQUIRE_FALSE(back);
    CHECK(back.error().kind == failure_kind::corrupt);
  }
  CHECK_FALSE(unpack<long_record>(bytes + "\x01"));
}

TEST_CASE("values of another shape, unknown enum values and over-long input are corrupt") {
  CHECK_FALSE(unpack<std::string>(pack(std::int64_t{5})));
  CHECK_FALSE(unpack<bool>(pack(std::int64_t{1})));
  CHECK_FALSE(unpack<std::uint8_t>(pack(std::int64_t{300})));
  CHECK_FALSE(unpack<std::uint32_t>(pack(std::int64_t{-1})));
  CHECK_FALSE(unpack<policy_kind>(pack(std::uint64_t{5})));
  CHECK(unpack<policy_kind>(pack(std::uint64_t{4})));
  CHECK_FALSE(unpack<std::vector<std::string>>(pack(std::string(100, 'x')), {.bytes = 50}));
}

TEST_CASE("depth and announced sizes cannot exhaust memory") {
  CHECK_FALSE(unpack<std::vector<std::string>>(std::string(100'000, '\x91')));
  CHECK_FALSE(unpack<std::vector<std::string>>(std::string("\xdd\xff\xff\xff\xff", 5)));
  CHECK_FALSE(unpack<std::string>(std::string("\xc6\xff\xff\xff\xff", 5)));
}
