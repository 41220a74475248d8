#pragma once

#include "runtime/core/image.hpp"
#include "runtime/core/types.hpp"
#include "runtime/search/tree.hpp"
#include "runtime/search/tuner.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// A node that needs no model, since an earlier answer holds its candidate.
///   variant   a further candidate of the answer that `origin` has: a sibling of it
///   tune      `origin`'s source at another point of its parameters: a child of it
///   seed      an earlier campaign's solution: a child of the root, which is its `origin`, too
struct sequel {
  std::uint32_t parent = 0;
  std::uint32_t origin = 0;
  operation_kind operation = operation_kind::variant;
  std::string given;     ///< blob digest of the source
  parameter_point point; ///< to put it at; empty: as it is
  std::string plan;
};
KE_FIELDS(sequel, x.parent, x.origin, x.operation, x.given, x.point, x.plan)

/// The sequels of one tree: what answers have promised and not been made yet, and whose points are being
/// tuned. Part of the fold: deterministic, saved in the image, hashed. Not thread-safe.
class sequels {
public:
  /// The solutions that the tree begins with, in their order.
  void seeded(const journal_seeded& r);
  /// The answer of `node` (a child of `parent`) was read. Variants are ready at once; a template waits for
  /// the node's own verdict.
  void answered(std::uint32_t node, std::uint32_t parent, const journal_replied& r);
  /// `node` has ended. A template that was right (or only too slow, or too large) at its own point begins
  /// to be tuned; a tuned point's result goes to its tuner. `seed` is the node's.
  void ended(std::uint32_t node, node_state state, std::optional<double> score, std::uint64_t seed);
  /// The next one to make: variants first, then tuned points, templates in turn; of those that may be made
  /// now. Empty: none now.
  std::optional<sequel> next(bool variants = true, bool points = true);
  bool has_points() const; ///< a point of a template could be made now
  /// `next`'s has become this node.
  void made(std::uint32_t node, sequel what) { open_.emplace(node, std::move(what)); }
  /// Of an open node; null if it is none.
  const sequel* of(std::uint32_t node) const;

  void save(image_writer& out) const;
  void load(image_reader& in);

private:
  struct waiting_template {
    std::string given;
    std::vector<std::uint32_t> space;
    parameter_point point;
  };
  struct tuned_template {
    std::string given;
    tuner points;
  };
  std::deque<sequel> variants_;
  std::map<std::uint32_t, waiting_template> waiting_;
  std::map<std::uint32_t, tuned_template> tuned_; ///< by template; until its tuner is done
  std::uint32_t turn_ = 0;                        ///< the template that gave the last point
  std::map<std::uint32_t, sequel> open_;
};

} // namespace ke
