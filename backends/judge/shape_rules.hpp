#pragma once

#include "backends/judge/secret_random.hpp"
#include "runtime/text/relation.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ke {

struct problem;
struct workload;

/// The allowed shapes of a problem: what it states (`[problem.promise]`, `relations`), and for other symbols
/// what its timed workloads have in common. Nothing is assumed of a promised symbol, nor of two symbols if
/// there are relations. Held-out workloads only widen the assumptions. Pure.
class shape_rules {
public:
  using binding = std::map<std::string, std::int64_t>;

  explicit shape_rules(const problem& what);

  /// Symbols that may differ from the workloads. Not those that are in no shape, or in the shape of a file's
  /// tensor, unless promised.
  const std::set<std::string>& movable() const { return movable_; }
  /// Movable symbols whose values in the timed workloads speak against it (always the same, or at most 8):
  /// they move in some shapes only, because a reference may not survive it.
  const std::set<std::string>& doubtful() const { return doubtful_; }

  /// Whether a shape of the problem may have these values; `symbols` binds all dims. `boldly`: symbols equal
  /// in all workloads may differ. Equality may be a property of the operator, so a reference may not survive
  /// it.
  bool allows(const binding& symbols, bool boldly = false) const;
  /// Whether workloads give two symbols the same value.
  bool assumes_equal() const;
  /// Makes such symbols differ; the first of each two becomes the larger one, or the smaller one.
  void part_equals(binding& symbols, bool first_larger) const;

  /// A value for a symbol whose usual one is `usual`: odd, prime, one, below and above a vector or a block,
  /// one more, one less, or at an end of its promise. At most `most`, if the promise allows. `way`: which of
  /// the `ways` ways.
  std::int64_t draw(const std::string& symbol, std::int64_t usual, std::int64_t most, std::size_t way,
                    random_source& random) const;
  static constexpr std::size_t ways = 8;

  /// A value `less` below the usual one, or as near to that as promises and divisions allow.
  std::int64_t below(const std::string& symbol, std::int64_t usual, std::int64_t less) const;

  /// Restores relations that a draw has broken, by changing movable symbols. `allows` refuses what it can't
  /// mend.
  void mend(binding& symbols, bool boldly = false) const;

  /// The symbol's smallest value, except 0.
  std::int64_t least(const std::string& symbol) const;
  /// The largest value of the symbol in the timed workloads; at least 1.
  std::int64_t largest_timed(const std::string& symbol) const;
  /// The nearest value downwards within the symbol's promise: its multiple, between its ends.
  std::int64_t fitted(const std::string& symbol, std::int64_t value) const;
  /// Whether it may be 0.
  bool may_vanish(const std::string& symbol) const;

  /// Assumptions on the shapes that the problem does not state, a phrase each: "N is a multiple of M", "G
  /// keeps its value".
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

  const problem& what_;
  std::vector<const workload*> timed_;
  std::vector<relation> relations_;
  std::vector<common> common_;
  std::set<std::string> movable_, doubtful_;
  std::map<std::string, std::int64_t> steps_; ///< of symbols in a division: multiples of this
};

} // namespace ke
