#include "runtime/records/suite_metrics.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

suite_cell judged(std::string state, std::optional<double> score = {},
                  timing_decision decision = timing_decision::none) {
  suite_cell c;
  c.standing = suite_standing::judged;
  c.state = std::move(state);
  c.score = score;
  c.decision = decision;
  return c;
}

suite_cell apart(suite_standing standing) {
  suite_cell c;
  c.standing = standing;
  c.state = "correct"; // whatever it says, it doesn't count
  c.score = 100;
  return c;
}

} // namespace

TEST_CASE("fast_p counts correct ones strictly over p, among the judged ones alone") {
  std::vector<suite_cell> cells{judged("correct", 4.0, timing_decision::faster),
                                judged("correct", 2.0, timing_decision::faster),
                                judged("correct", 1.0, timing_decision::same), judged("incorrect")};
  for (auto s :
       {suite_standing::unfit, suite_standing::refused, suite_standing::broken, suite_standing::pending})
    cells.push_back(apart(s));
  auto m = metrics_of(cells);
  CHECK(m.n == 4);
  CHECK(m.fast_0 == 0.75);
  CHECK(m.fast_1 == 0.5);
  CHECK(m.fast_2 == 0.25);
  CHECK(*m.geomean == Approx(2.0));
  auto totals = totals_of(cells);
  CHECK(totals["problems"] == 8);
  CHECK(totals["judged"] == 4);
  CHECK(totals["correct"] == 3);
  CHECK(totals["faster"] == 2);
  for (auto s : {"unfit", "refused", "broken", "pending"})
    CHECK(totals[s] == 1);
}

TEST_CASE("without judged problems there is no metric, without timing none of speed") {
  auto none = metrics_of({apart(suite_standing::unfit)});
  CHECK(none.n == 0);
  CHECK_FALSE(none.fast_0);
  CHECK_FALSE(none.geomean);
  auto untimed = metrics_of({judged("correct"), judged("crashed")});
  CHECK(untimed.fast_0 == 0.5);
  CHECK_FALSE(untimed.fast_1);
  CHECK_FALSE(untimed.fast_2);
  CHECK_FALSE(untimed.geomean);
  auto wrong = metrics_of({judged("crashed")});
  CHECK(wrong.fast_0 == 0.0);
  CHECK(wrong.fast_1 == 0.0);
  CHECK_FALSE(wrong.geomean);
}

TEST_CASE("cells as a table keep notes with commas, quotes and lines in one cell") {
  auto c = judged("correct", 1.5, timing_decision::faster);
  c.problem = "level1/1_x";
  c.backend = "torch-cpu";
  c.baseline = "reference";
  c.note = "a \"b\", c\nd";
  CHECK(csv_of({c}) ==
        "problem,backend,baseline,standing,state,decision,score,speedup,ci95_low,ci95_high,claim,"
        "candidates,device,campaign,note\r\n"
        "level1/1_x,torch-cpu,reference,judged,correct,faster,1.5,,,,false,0,,,\"a \"\"b\"\", c\nd\"\r\n");
}
