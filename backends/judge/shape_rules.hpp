#pragma once

#include "backends/judge/random.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/relation.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ke {

/// What the shapes of a problem may be: what it says itself (`[problem.promise]`, `relations`), and for
/// symbols of which it says nothing what its timed workloads have in common. Nothing is assumed of a promised
/// symbol, and none of two symbols where there are relations. Held-out workloads only ever widen what is
/// assumed. Pure.
class shape_rules {
public:
  using binding = std::map<std::string, std::int64_t>;

  explicit shape_rules(const problem& what);

  /// Symbols that may take another value than those of the workloads. Not: those that stand in no shape, or
  /// in the shape of a file's tensor, unless they are promised.
  const std::set<std::string>& movable() const { return movable_; }
  /// Those among them whose values in the timed workloads speak against it (always the same, or at most 8):
  /// they move in some shapes only, since a reference may not survive it.
  const std::set<std::string>& doubtful() const { return doubtful_; }

  /// Whether a shape of the problem may have these values: `symbols` binds all dims.
  /// `boldly`: also a shape in which two symbols differ that the workloads happen to give the same value,
  /// which may be a property of the operator: a reference may not survive it.
  bool allows(const binding& symbols, bool boldly = false) const;
  /// Whether workloads give two symbols the same value.
  bool assumes_equal() const;
  /// Makes such symbols differ; the first is the larger one of each two, or the smaller one.
  void part_equals(binding& symbols, bool first_larger) const;

  /// A value for a symbol whose usual one is `usual`: odd, prime, one, below and above a vector or a block,
  /// one more, one less, at the ends of its promise. At most `most`, if the promise allows that.
  /// `way`: in which of `ways` ways.
  std::int64_t draw(const std::string& symbol, std::int64_t usual, std::int64_t most, std::size_t way,
                    random_source& random) const;
  static constexpr std::size_t ways = 8;

  /// A value `less` below the usual one, or as near to that as promises and divisions let it be.
  std::int64_t below(const std::string& symbol, std::int64_t usual, std::int64_t less) const;

  /// Makes relations hold that a draw has broken, by changing symbols that may move. What it can't mend,
  /// `allows` refuses.
  void mend(binding& symbols, bool boldly = false) const;

  /// The smallest value that the symbol may have, but for nothing at all.
  std::int64_t least(const std::string& symbol) const;
  /// Whether it may be 0.
  bool may_vanish(const std::string& symbol) const;

  /// What is assumed of the shapes because the problem does not say it, one phrase each: "N is a multiple of
  /// M", "G keeps its value".
  std::vector<std::string> assumptions() const;

private:
  struct common { ///< what two symbols show in all timed workloads
    std::string a, b;
    enum kind : std::uint8_t { equal, less, multiple } how;
  };
  bool holds_in(const common& c, const binding& symbols) const;
  /// True if it held.
  bool mend(const relation& r, binding& symbols) const;
  void find_movable();
  void find_common();
  std::int64_t fitted(const std::string& symbol, std::int64_t value) const;

  const problem& what_;
  std::vector<const workload*> timed_;
  std::vector<relation> relations_;
  std::vector<common> common_;
  std::set<std::string> movable_, doubtful_;
  std::map<std::string, std::int64_t> steps_; ///< of symbols beside a division: multiples of this
};

} // namespace ke
