#include "runtime/search/policy/tuner.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <deque>
#include <set>

using namespace ke;

namespace {

using landscape = double (*)(const parameter_point&);

/// Tunes with up to `parallel` points out; every point that was measured, in order of the questions.
std::vector<parameter_point> tuned(tuner t, landscape score, std::size_t parallel = 1) {
  std::vector<parameter_point> all;
  std::deque<parameter_point> out;
  for (;;) {
    while (out.size() < parallel) {
      auto p = t.next();
      if (!p)
        break;
      all.push_back(*p);
      out.push_back(*p);
    }
    if (out.empty())
      return all;
    auto s = score(out.front());
    t.ended(out.front(), s > 0 ? std::optional{s} : std::nullopt);
    out.pop_front();
  }
}

double hill(const parameter_point& p) { // best at (5, 2)
  return 10 - std::abs(double(p[0]) - 5) - 2 * std::abs(double(p[1]) - 2);
}

} // namespace

TEST_CASE("a small space is measured whole, each point once") {
  auto all = tuned(tuner{{3, 2}, {1, 0}, 1.0, 7}, [](const parameter_point&) { return 1.0; });
  CHECK(all.size() == 5);
  CHECK(std::set<parameter_point>(all.begin(), all.end()).size() == 5);
  CHECK_FALSE(std::set<parameter_point>(all.begin(), all.end()).contains({1, 0}));
}

TEST_CASE("a large space takes at most 15 points, none twice, the rungs narrowing towards the better half") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto all = tuned(tuner{{8, 8}, {0, 0}, hill({0, 0}), seed}, hill);
    CHECK(all.size() <= 15);
    CHECK(all.size() > tuner::first_rung);
    CHECK(std::set<parameter_point>(all.begin(), all.end()).size() == all.size());
    auto best = [&](std::size_t from, std::size_t to) {
      double most = 0;
      for (auto i = from; i < to; ++i)
        most = std::max(most, hill(all[i]));
      return most;
    };
    CHECK(best(0, all.size()) >= 7);
  }
}

TEST_CASE("a spread first rung shows every value of a parameter with eight") {
  auto all = tuned(tuner{{8, 16}, {0, 0}, std::nullopt, 3}, [](const parameter_point&) { return 0.0; });
  std::set<std::uint32_t> first;
  for (const auto& p : all)
    first.insert(p[0]);
  CHECK(all.size() == tuner::first_rung); // all failed: there is no better half
  CHECK(first.size() >= 7);               // one may have met the template's own point
}

TEST_CASE("a tuner goes on after a restart as if nothing had happened") {
  tuner t{{8, 8, 4}, {0, 0, 0}, 1.0, 11};
  auto score = [](const parameter_point& p) { return 1.0 + p[0] + p[2]; };
  std::vector<parameter_point> out;
  for (int i = 0; i < 5; ++i)
    out.push_back(*t.next());
  t.ended(out[0], score(out[0]));
  image_writer w;
  t.save(w);
  auto bytes = w.take();
  image_reader r{bytes};
  auto again = tuner::load(r);
  REQUIRE(r.good());
  for (int i = 1; i < 5; ++i) {
    t.ended(out[i], score(out[i]));
    again.ended(out[i], score(out[i]));
  }
  for (int i = 0; i < 30; ++i) {
    auto a = t.next(), b = again.next();
    REQUIRE(a == b);
    if (!a)
      break;
    t.ended(*a, score(*a));
    again.ended(*b, score(*b));
  }
  CHECK(t.done());
  CHECK(again.done());
}

TEST_CASE("points out at once delay the next rung until all of them have ended") {
  tuner t{{8, 8}, {0, 0}, 1.0, 5};
  std::vector<parameter_point> out;
  while (auto p = t.next())
    out.push_back(*p);
  CHECK(out.size() == tuner::first_rung);
  for (std::size_t i = 0; i + 1 < out.size(); ++i)
    t.ended(out[i], 1.0);
  CHECK_FALSE(t.next());
  CHECK_FALSE(t.done());
  t.ended(out.back(), 2.0);
  CHECK(t.next());
}
