#include "backends/evaluation/step_graph.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using progress = job_graph::progress;

namespace {

/// candidate -> precheck -+
/// reference -------------+-> measure -> profile
/// truth -----------------+          \-> trace
job_graph usual() {
  return *job_graph::of({{"candidate", job_kind::build, {}},
                         {"reference", job_kind::build, {}},
                         {"truth", job_kind::build, {}},
                         {"precheck", job_kind::precheck, {"candidate"}},
                         {"measure", job_kind::measure, {"precheck", "reference", "truth"}},
                         {"profile", job_kind::profile, {"measure"}},
                         {"trace", job_kind::trace, {"measure"}}});
}

using list = std::vector<std::size_t>;

} // namespace

TEST_CASE("jobs that don't need one another are ready together, the others as soon as their needs have "
          "ended well") {
  auto g = usual();
  CHECK(g.ready() == list{0, 1, 2});
  for (std::size_t i : {0, 1, 2})
    g.begin(i);
  CHECK(g.ready().empty());
  CHECK(g.running() == 3);
  g.end(1, true);
  g.end(0, true);
  CHECK(g.ready() == list{3});
  g.begin(3);
  g.end(3, true);
  CHECK(g.ready().empty()); // the truth is still compiled
  g.end(2, true);
  CHECK(g.ready() == list{4});
  g.begin(4);
  g.end(4, true);
  CHECK(g.ready() == list{5, 6});
  CHECK_FALSE(g.complete());
  for (std::size_t i : {5, 6})
    g.begin(i), g.end(i, true);
  CHECK(g.complete());
}

TEST_CASE("a job that fails cancels what needs it, and nothing else") {
  auto g = usual();
  for (std::size_t i : {0, 1, 2, 3, 4}) {
    g.begin(i);
    g.end(i, true);
  }
  g.begin(5);
  g.end(5, false);
  CHECK(g.of_job(5) == progress::failed);
  CHECK(g.of_job(6) == progress::waiting);
  CHECK(g.ready() == list{6});
}

TEST_CASE("what only lost jobs would have needed is not begun; what runs already runs on") {
  auto g = usual();
  g.begin(0);
  g.begin(1);
  g.end(0, false); // the candidate does not compile
  CHECK(g.of_job(3) == progress::cancelled);
  CHECK(g.of_job(4) == progress::cancelled);
  CHECK(g.of_job(6) == progress::cancelled);
  CHECK(g.of_job(2) == progress::cancelled); // the truth, which nobody waits for
  CHECK(g.of_job(1) == progress::running);
  CHECK_FALSE(g.complete());
  g.end(1, true);
  CHECK(g.complete());
}

TEST_CASE("a cancelled job takes along what needs it") {
  auto g = usual();
  g.cancel(4);
  CHECK(g.complete());
  CHECK(g.of_job(0) == progress::cancelled); // nobody waits for it
}

TEST_CASE("a graph that can't be run names the job and why") {
  auto twice = job_graph::of({{"a", job_kind::build, {}}, {"a", job_kind::build, {}}});
  REQUIRE_FALSE(twice);
  CHECK(twice.error().text == "two jobs are called \"a\"");
  auto unknown = job_graph::of({{"a", job_kind::build, {"b"}}});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().text == "job \"a\" needs \"b\", which no job is called");
  auto circle = job_graph::of(
      {{"a", job_kind::build, {}}, {"b", job_kind::build, {"c"}}, {"c", job_kind::build, {"b"}}});
  REQUIRE_FALSE(circle);
  CHECK(circle.error().text == "job \"b\" needs itself, by way of others");
}

TEST_CASE("what comes after a measurement has the device alone, also a compiler") {
  auto g = *job_graph::of({{"stamped", job_kind::build, {"ir"}},
                           {"ir", job_kind::transform, {"measure"}},
                           {"candidate", job_kind::build, {}},
                           {"measure", job_kind::measure, {"candidate"}},
                           {"profile", job_kind::profile, {"candidate"}}});
  CHECK(g.place(0) == job_place::device);
  CHECK(g.place(1) == job_place::device);
  CHECK(g.place(2) == job_place::shared);
  CHECK(g.place(3) == job_place::device);
  CHECK(g.place(4) == job_place::device);
}

TEST_CASE("a lost transform cancels the chain behind it, not what stands beside it") {
  auto g = *job_graph::of({{"measure", job_kind::measure, {}},
                           {"profile", job_kind::profile, {"measure"}},
                           {"ir", job_kind::transform, {"measure"}},
                           {"ticks", job_kind::transform, {"ir"}},
                           {"stamped", job_kind::build, {"ticks"}},
                           {"loops", job_kind::trace, {"stamped"}},
                           {"shares", job_kind::collect, {"loops"}}});
  g.begin(0);
  g.end(0, true);
  CHECK(g.ready() == list{1, 2});
  g.begin(2);
  g.end(2, false);
  for (std::size_t i : {3, 4, 5, 6})
    CHECK(g.of_job(i) == progress::cancelled);
  CHECK(g.of_job(0) == progress::done);
  CHECK(g.ready() == list{1});
}
