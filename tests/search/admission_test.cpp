#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/admission.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("what the verdict on a reference says of its problem") {
  for (auto state : {verdict_state::correct, verdict_state::noisy, verdict_state::compiled,
                     verdict_state::policy_violation})
    CHECK(admission_of(state) == admission_fate::admitted);
  CHECK(admission_of(verdict_state::harness_error) == admission_fate::machine);
  for (auto state : {verdict_state::unfit_problem, verdict_state::incorrect, verdict_state::nondeterministic,
                     verdict_state::build_failed, verdict_state::crashed, verdict_state::timeout,
                     verdict_state::resource_exceeded, verdict_state::cheating_suspected})
    CHECK(admission_of(state) == admission_fate::refused);
}

TEST_CASE("a machine that can't judge is asked again, later and later, for ever") {
  using namespace std::chrono_literals;
  CHECK(admission_rest(0) == 10s);
  CHECK(admission_rest(1) == 20s);
  CHECK(admission_rest(4) == 160s);
  CHECK(admission_rest(5) == 300s);
  CHECK(admission_rest(4'000'000'000) == 300s);
}

TEST_CASE("a refusal names the problem's file and the next step") {
  auto text = refusal_text("/p/problem.toml", "the reference does not compile: reference.cpp:3:1: error: x");
  CHECK(text.starts_with("/p/problem.toml: the problem is unfit, no candidate can be judged: the reference "
                         "does not compile: reference.cpp:3:1: error: x"));
  CHECK(text.find("problem lint /p/problem.toml") != std::string::npos);
}
