#include "runtime/search/campaign/campaign_phase.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace ke;
using namespace std::chrono_literals;

namespace {

constexpr phase_machine::time_point start{};

session_ending ending(std::string reason) {
  return {.resumable = false, .state = "finished", .reason = std::move(reason)};
}

/// Goes through these phases, with an ending for the first that needs one.
phase_machine gone_through(const std::vector<campaign_phase>& phases) {
  phase_machine m;
  for (auto p : phases)
    m.enter(p, start, p == campaign_phase::running ? std::nullopt : std::optional{ending("x")});
  return m;
}

} // namespace

TEST_CASE("a session goes from loading over running, settling, claiming and learning to its end") {
  using enum campaign_phase;
  phase_machine m;
  CHECK(m.is(loading));
  CHECK_FALSE(m.is_live());
  m.enter(running, start);
  CHECK(m.is_live());
  m.enter(settling, start, ending("target"));
  for (auto p : {claiming, learning}) {
    m.enter(p, start);
    CHECK(m.now() == p);
    CHECK(m.is_live());
    CHECK(m.ending().reason == "target"); // kept on the way
  }
  m.enter(ended, start);
  CHECK_FALSE(m.is_live());
  CHECK(m.has_run());
}

TEST_CASE("a session has only the arrows of the drawing") {
  using enum campaign_phase;
  const std::vector<std::pair<std::vector<campaign_phase>, std::vector<campaign_phase>>> arrows{
      {{}, {running, ended}},
      {{running}, {pausing, settling}},
      {{running, pausing}, {settling, ended}},
      {{running, settling}, {claiming, learning, ended}},
      {{running, settling, claiming}, {settling, learning, ended}},
      {{running, settling, learning}, {ended}},
      {{running, pausing, ended}, {}},
  };
  for (const auto& [way, next] : arrows)
    for (auto p : {loading, running, pausing, settling, claiming, learning, ended}) {
      auto m = gone_through(way);
      auto drawn = std::find(next.begin(), next.end(), p) != next.end();
      CAPTURE(to_text(m.now()), to_text(p));
      if (drawn) {
        CHECK_NOTHROW(m.enter(p, start, ending("y")));
        CHECK(m.is(p));
      } else {
        auto before = m.now();
        CHECK_THROWS_AS(m.enter(p, start, ending("y")), std::logic_error);
        CHECK(m.is(before));
      }
    }
}

TEST_CASE("no phase after running can be entered without a reason") {
  phase_machine m;
  m.enter(campaign_phase::running, start);
  CHECK_THROWS_AS(m.enter(campaign_phase::pausing, start), std::logic_error);
  CHECK(m.is(campaign_phase::running));
}

TEST_CASE("the last reason counts: a pause that a person stops is final") {
  phase_machine m;
  m.enter(campaign_phase::running, start);
  m.enter(campaign_phase::pausing, start, session_ending{true, "paused", "interrupted"});
  CHECK(m.ending().resumable);
  m.enter(campaign_phase::settling, start, ending("stopped"));
  CHECK_FALSE(m.ending().resumable);
  CHECK(m.ending().reason == "stopped");
}

TEST_CASE("a timer of an earlier stay in a phase says nothing") {
  using enum campaign_phase;
  phase_machine m;
  m.enter(running, start);
  m.enter(settling, start, ending("stall"));
  CHECK_FALSE(m.has_lasted(settling, 5s, start + 4s));
  CHECK(m.has_lasted(settling, 5s, start + 5s));
  CHECK_FALSE(m.has_lasted(pausing, 5s, start + 5s));
  m.enter(claiming, start + 3s);
  m.enter(settling, start + 4s, ending("stopped"));
  CHECK_FALSE(m.has_lasted(settling, 5s, start + 5s));
  CHECK(m.has_lasted(settling, 5s, start + 9s));
}

TEST_CASE("a session that never ran has nothing to keep") {
  phase_machine m;
  m.enter(campaign_phase::ended, start, session_ending{true, "failed", ""});
  CHECK_FALSE(m.has_run());
}
