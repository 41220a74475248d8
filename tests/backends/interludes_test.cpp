#include "backends/judge/interludes.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

using namespace ke;

namespace {

bank_slot drawn(const std::string& distribution) {
  bank_slot s;
  s.inputs = {std::string(64, 'x')};
  s.distribution = distribution;
  return s;
}

bound_shapes of_size(std::int64_t n) {
  bound_shapes s;
  s.dims = {{"n", n}};
  return s;
}

/// Two ways of drawing at one shape, with two slots and one; the first of them at another shape, too.
interludes three_kinds() {
  auto small = of_size(8), large = of_size(64);
  interludes all;
  all.keep(small, nullptr, drawn("tail"), false);
  all.keep(small, nullptr, drawn("tail"), false);
  all.keep(small, nullptr, drawn("infinity"), false);
  all.keep(large, nullptr, drawn("tail"), false);
  return all;
}

} // namespace

TEST_CASE("every kind of unasked call comes once before any comes twice") {
  auto all = three_kinds();
  auto usual = of_size(8);
  for (std::uint64_t key = 0; key < 50; ++key) {
    random_source random{key};
    interlude_deck deck{all, random};
    REQUIRE(deck.kinds() == 3);
    for (int round = 0; round < 4; ++round) {
      std::set<std::pair<std::int64_t, std::string>> met;
      for (int i = 0; i < 3; ++i) {
        auto hand = deck.deal(usual, 1);
        REQUIRE(hand.slots.size() == 1);
        met.insert({hand.scene.shapes.dims.at("n"), hand.slots.front()->distribution});
      }
      CHECK(met.size() == 3);
    }
  }
}

TEST_CASE("an unasked order of several calls has others of its scene, each at most once") {
  auto all = three_kinds();
  auto usual = of_size(8);
  random_source random{1};
  interlude_deck deck{all, random};
  for (int i = 0; i < 12; ++i) {
    auto hand = deck.deal(usual, 8);
    CHECK(hand.slots.size() == hand.scene.slots.size());
    CHECK(std::set<const bank_slot*>(hand.slots.begin(), hand.slots.end()).size() == hand.slots.size());
  }
}

TEST_CASE("every second unasked call has the form of the timed ones, where there are such") {
  bound_shapes few = of_size(8), many = of_size(64);
  interludes all;
  all.keep(few, nullptr, drawn("infinity"), false);
  for (int i = 0; i < 9; ++i)
    all.keep(many, nullptr, drawn("kind " + std::to_string(i)), false);
  int first = 0;
  for (std::uint64_t key = 0; key < 400; ++key) {
    random_source random{key};
    interlude_deck deck{all, random};
    first += deck.deal(few, 1).scene.shapes.dims == few.dims;
  }
  CHECK(first > 170); // 55%; by lot it would be 10%
  CHECK(first < 270);
}

TEST_CASE("as many unasked calls as were promised come among the pairs, at any place") {
  std::map<std::uint32_t, int> places;
  for (std::uint64_t key = 0; key < 200; ++key) {
    random_source random{key};
    interlude_turn turn{24, 5, random};
    turn.spent_on_interlude(1); // chance has used its part
    int came = 0;
    for (std::uint32_t pair = 0; pair < 24; ++pair)
      if (turn.due(pair)) {
        ++came;
        ++places[pair];
      }
    CHECK(came == 5);
  }
  CHECK(places.size() == 24);
}

TEST_CASE("rows of usual calls end with their time, whatever a call costs the judge") {
  random_source random{7};
  for (double each : {1e-3, 4e-3, 0.1}) {
    usual_rows rows{0.3};
    std::uint64_t all = 0, longest = 0;
    for (int edge = 0; edge < 200; ++edge) {
      auto n = rows.next(random, each);
      all += n;
      longest = std::max(longest, n);
    }
    CHECK(static_cast<double>(all) * each <= 0.3);
    CHECK(longest <= std::min<std::uint64_t>(32, static_cast<std::uint64_t>(0.3 / 4 / each)));
    if (each < 0.01)
      CHECK(all >= 0.8 * 0.3 / each - 4); // what it was given is used
  }
}
