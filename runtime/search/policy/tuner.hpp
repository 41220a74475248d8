#pragma once

#include "runtime/core/image.hpp"
#include "runtime/search/policy/counter_random.hpp"
#include "runtime/text/source_template.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ke {

/// Chooses the points of a template's parameter space to measure, without a model. Successive halving: a
/// first rung of points spread over the space (a Latin hypercube), then rungs of half as many, each around
/// the better half of all measured points (one parameter moved to the next value), until a rung is empty. A
/// space smaller than the first rung is measured whole. At most 2 * first_rung - 1 points besides the
/// template's own first one. Deterministic: a function of construction and order of calls. Not thread-safe.
class tuner {
public:
  static constexpr std::uint32_t first_rung = 8;

  /// `sizes`: number of values of each parameter; `start`: the template's own point, with its score (empty:
  /// it failed there).
  tuner(std::vector<std::uint32_t> sizes, const parameter_point& start, std::optional<double> score,
        std::uint64_t seed);

  /// The next point to measure; empty: none before the points that are out have ended, or none any more.
  std::optional<parameter_point> next();
  /// A point of `next` has ended; without a score it failed.
  void ended(const parameter_point& point, std::optional<double> score);
  bool done() const { return ready_.empty() && out_ == 0; }
  bool ready() const { return !ready_.empty(); } ///< `next` has one

  void save(image_writer& out) const;
  static tuner load(image_reader& in);

private:
  struct measured {
    std::uint64_t point = 0;
    double score = 0;
  };
  tuner() = default;
  std::uint64_t code_of(const parameter_point& p) const;
  parameter_point point_of(std::uint64_t code) const;
  bool fresh(std::uint64_t code) const;
  void spread();
  void narrow();
  void add(std::uint64_t code);

  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint64_t> ready_; ///< of this rung, the last one is next
  std::vector<std::uint64_t> tried_; ///< sorted
  std::vector<measured> measured_;
  std::uint32_t out_ = 0;
  std::uint32_t width_ = 0; ///< of this rung
  std::uint64_t seed_ = 0;
  random_source random_;
};

} // namespace ke
