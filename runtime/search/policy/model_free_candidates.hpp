#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/image.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/search/index/operation_kind.hpp"
#include "runtime/search/policy/tuner.hpp"
#include "runtime/text/source_template.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke {

struct journal_replied;
struct journal_seeded;

/// A node without a model's call: an earlier answer holds its candidate.
///   variant   a further candidate of `origin`'s answer: a sibling of it
///   tune      `origin`'s source at another point of its parameters: a child of it
///   seed      an earlier campaign's solution: a child of the root, which is `origin`, too
struct model_free_candidate {
  std::uint32_t parent = 0;
  std::uint32_t origin = 0;
  operation_kind operation = operation_kind::variant;
  std::string given;     ///< blob digest of the source
  parameter_point point; ///< to put it at; empty: as it is
  std::string plan;
};
KE_FIELDS(model_free_candidate, x.parent, x.origin, x.operation, x.given, x.point, x.plan)

/// Candidates of one tree that need no model: those promised by answers but not yet made, and templates being
/// tuned. Part of the fold: deterministic, saved in the image, hashed. Not thread-safe.
class model_free_candidates {
public:
  /// The solutions to begin with, in order.
  void seeded(const journal_seeded& r);
  /// The answer of `node` (a child of `parent`) was read. Variants are ready at once; a template waits for
  /// the node's own verdict.
  void answered(std::uint32_t node, std::uint32_t parent, const journal_replied& r);
  /// `node` has ended. Tuning starts for a template that was correct (or only too slow, or too large) at its
  /// own point; a tuned point's result goes to its tuner. `seed` is the node's.
  void ended(std::uint32_t node, node_state state, std::optional<double> score, std::uint64_t seed);
  /// The next one to make, of the kinds allowed: variants first, then tuned points, templates in turn. Empty:
  /// none now.
  std::optional<model_free_candidate> next(bool variants = true, bool points = true);
  bool has_points() const; ///< a point of a template could be made now
  /// `node` was made of the candidate that `next` returned.
  void made(std::uint32_t node, model_free_candidate what) { open_.emplace(node, std::move(what)); }
  /// Of an open node; null if it is none.
  const model_free_candidate* of(std::uint32_t node) const;

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
  std::deque<model_free_candidate> variants_;
  std::map<std::uint32_t, waiting_template> waiting_;
  std::map<std::uint32_t, tuned_template> tuned_; ///< by template; until its tuner is done
  std::uint32_t turn_ = 0;                        ///< the template that gave the last point
  std::map<std::uint32_t, model_free_candidate> open_;
};

} // namespace ke
