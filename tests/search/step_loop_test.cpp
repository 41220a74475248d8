#include "runtime/core/journal_configured.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/campaign/step_loop.hpp"

#include "runtime/search/campaign/campaign_fold.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

campaign_settings settings(std::int64_t candidates, std::int64_t parallel) {
  campaign_settings s;
  s.budget.candidates = candidates;
  s.search.drafts = 4;
  s.search.parallel = parallel;
  s.targets = {{"cpu-cpp", "*"}};
  model_settings m;
  m.name = "m";
  s.models = {m};
  return s;
}

campaign_fold begun(const campaign_settings& s) {
  campaign_fold fold;
  REQUIRE(fold.apply(journal_configured{s, "problem", {"cpu-cpp"}, "test"}));
  return fold;
}

} // namespace

TEST_CASE("step loop: `parallel` decides while nothing is measured, and the budget bounds it") {
  step_loop loop;
  auto fold = begun(settings(100, 8));
  CHECK(loop.to_begin(fold.trees()[0], fold.books(), 2) == 8);
  auto poor = begun(settings(3, 8));
  CHECK(loop.to_begin(poor.trees()[0], poor.books(), 2) == 3);
}

TEST_CASE("step loop: nothing is begun without a slot, nor beside what is in flight already") {
  step_loop loop;
  auto fold = begun(settings(100, 4));
  CHECK(loop.to_begin(fold.trees()[0], fold.books(), 0) == 0);
  REQUIRE(fold.step(0, 3));
  CHECK(loop.to_begin(fold.trees()[0], fold.books(), 2) == 1);
  REQUIRE(fold.step(0, 1));
  CHECK(loop.to_begin(fold.trees()[0], fold.books(), 2) == 0);
}

TEST_CASE("step loop: slow devices and quick models begin only what devices can take") {
  step_loop loop;
  auto fold = begun(settings(100, 50));
  loop.candidate_came(1);
  loop.measured(10); // 2 slots: one evaluation in 5 s, so one while a model thinks
  CHECK(loop.to_begin(fold.trees()[0], fold.books(), 2) == 5); // 2 free, 2 queued, 1
  for (int n = 0; n < 100; ++n)
    loop.candidate_came(100); // 20 evaluations while a model thinks
  CHECK(loop.to_begin(fold.trees()[0], fold.books(), 2) == 24);
}

TEST_CASE("a moving mean follows changes, its first values quickly") {
  moving_mean mean;
  CHECK(mean.value() == 0);
  mean.add(4);
  CHECK(mean.value() == 4);
  mean.add(8);
  CHECK(mean.value() == 6);
  for (int n = 0; n < 200; ++n)
    mean.add(1);
  CHECK(mean.value() == Approx(1).margin(0.01));
}
