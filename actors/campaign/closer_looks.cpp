#include "actors/campaign/closer_looks.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr double least_score = 1e-9;   ///< of the first candidate that is right, each is a new best
constexpr double likely_parent = 0.8;  ///< of the highest score: policies take parents from the best
constexpr unsigned every = 4;          ///< likely parent
constexpr double most_of_device = 0.1; ///< of its time

} // namespace

double closer_looks::above(double highest) {
  auto turn = ++asked_ % every == 0;
  if (looks_s_ > most_of_device * all_s_)
    return 0;
  return std::max(turn ? likely_parent * highest : highest, least_score);
}

void closer_looks::took(double all_s, double looks_s) {
  all_s_ += all_s;
  looks_s_ += looks_s;
}

} // namespace ke
