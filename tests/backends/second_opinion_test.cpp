#include "backends/verdict/second_opinion.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

verdict correct(double score) {
  verdict v;
  v.state = verdict_state::correct;
  v.score = score;
  return v;
}

verdict ended(verdict_state state) {
  verdict v;
  v.state = state;
  return v;
}

} // namespace

TEST_CASE("of two workers' verdicts the one that claims less counts") {
  CHECK(weigh(correct(9), correct(8)) == opinion::second);
  CHECK(weigh(correct(9), correct(10)) == opinion::first);
  CHECK(weigh(correct(9), ended(verdict_state::correct)) == opinion::second); // without a score
}

TEST_CASE("a second worker that gets no end of a candidate contradicts the first; one that could not measure "
          "does not") {
  for (auto state :
       {verdict_state::timeout, verdict_state::incorrect, verdict_state::crashed, verdict_state::build_failed,
        verdict_state::cheating_suspected, verdict_state::policy_violation, verdict_state::resource_exceeded})
    CHECK(weigh(correct(9), ended(state)) == opinion::second);
  for (auto state : {verdict_state::noisy, verdict_state::harness_error})
    CHECK(weigh(correct(9), ended(state)) == opinion::undecided);
}

TEST_CASE("a score is beyond belief beside the best that stands in its campaign, on its device") {
  beliefs b;
  beliefs::place here{1, "cpu-cpp", "*"}, there{2, "cpu-cpp", "*"};
  CHECK_FALSE(b.beyond(here, 3.0));
  CHECK(b.beyond(here, 3.1));
  b.stands(here, 0.2); // slower than the reference: that is what the first ones are compared with
  CHECK(b.beyond(here, 3.1));
  b.stands(here, 4);
  b.stands(here, 2);
  CHECK_FALSE(b.beyond(here, 12));
  CHECK(b.beyond(here, 12.1));
  CHECK(b.beyond(there, 12));
}
