#include "actors/campaign/closer_looks.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("each new best is looked at, and every fourth candidate that comes near to it") {
  closer_looks looks;
  CHECK(looks.above(0) > 0);
  CHECK(looks.above(0) < 1e-6); // the first that is right
  CHECK(looks.above(10) == Approx(10));
  CHECK(looks.above(10) == Approx(8)); // the fourth
  CHECK(looks.above(10) == Approx(10));
}

TEST_CASE("looks take a tenth of a device's time at most, the first one excepted") {
  closer_looks looks;
  looks.took(15, 12); // the first candidate was right, and all of the time so far was its look
  CHECK(looks.above(2) == 0);
  for (int i = 0; i < 26; ++i) {
    CHECK(looks.above(2) == 0);
    looks.took(4, 0);
  }
  looks.took(4, 0);                     // 15 + 27 * 4 = 123 s
  CHECK(looks.above(2) == Approx(1.6)); // the 28th asked: a fourth
  looks.took(4, 0);
  CHECK(looks.above(2) == Approx(2));
}
