#pragma once

#include "backends/judge/caller.hpp"
#include "backends/judge/secret_random.hpp"
#include "backends/judge/shapes.hpp"
#include "runtime/core/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ke {

/// Unannounced calls between timed ones: an edge, another distribution, a secret shape, tensors aligned to
/// their elements only. Checked like all others; their times do not count. Without them a process with only
/// usual inputs for a while could tell that it is being timed, and be wrong from then on wherever only the
/// checks look.
class interludes {
public:
  /// The arguments of one such call, and their form.
  struct scene {
    bound_shapes shapes;
    std::shared_ptr<const poison> rubbish;
    std::vector<bank_slot> slots; ///< at least one
    bool misaligned = false;
  };
  /// Shapes beside the timed ones must not make a process's memory many times as large.
  static constexpr std::uint32_t most_calls = 8; ///< of one scene
  static constexpr std::size_t most_memory = 128u << 20;

  /// Keeps a slot on which the candidate was right, if all kept ones fit into `most_memory`.
  void keep(const bound_shapes& shapes, const std::shared_ptr<const poison>& rubbish, const bank_slot& slot,
            bool misaligned);

  /// Each with other shapes or another alignment.
  const std::vector<scene>& scenes() const { return scenes_; }
  /// Bytes of shared memory that the largest scene needs.
  std::size_t memory(const problem& what) const;

private:
  std::vector<scene> scenes_;
  std::size_t bytes_ = 0;
};

/// The order of interludes: every kind once, in random order, before any comes again, over all launches of
/// one measurement. Independent draws would skip one kind in three among the few pairs of a short plan.
class interlude_deck {
public:
  struct hand {
    const interludes::scene& scene;
    std::vector<const bank_slot*> slots; ///< in random order; one is of the dealt kind
  };
  /// Both outlive the deck.
  interlude_deck(const interludes& all, random_source& random);

  bool empty() const { return kinds_.empty(); }
  /// A kind is a form (shapes, alignment) with one way of drawing its inputs.
  std::size_t kinds() const { return kinds_.size(); }
  /// The next kind, with others of its scene, `calls` slots in all if there are as many. Every second time
  /// one of `usual` shapes and alignment, if any is left, because another form tells a process that the call
  /// is no timed one. The deck must not be empty.
  hand deal(const bound_shapes& usual, std::size_t calls);

private:
  struct kind {
    const interludes::scene* scene;
    std::vector<const bank_slot*> slots;
    bool has_form(const bound_shapes& usual) const {
      return !scene->misaligned && scene->shapes.dims == usual.dims;
    }
  };
  random_source& random_;
  std::vector<kind> kinds_;
  std::size_t next_ = 0;
};

/// When the next interlude comes, unforeseeably. Each pair has the same chance while interludes have cost
/// less than a part of the pairs' time; some come in any case, at places drawn beforehand.
class interlude_turn {
public:
  /// At most this part of a launch's pairs has a certain interlude before it. More for orders of one call,
  /// which meet one unusual input only.
  static constexpr double certain_share(std::uint32_t calls) { return calls > 1 ? 0.125 : 0.25; }

  /// `pairs`: how many there will be. `certain`: interludes in any case; at least 1 is drawn.
  interlude_turn(std::uint32_t pairs, std::uint32_t certain, random_source& random);
  /// Whether one comes before pair `pair`.
  bool due(std::uint32_t pair);
  void spent_on_interlude(double s) { interludes_s_ += s; }
  void spent_on_pair(double s) { pairs_s_ += s; }

private:
  random_source& random_;
  std::vector<std::uint32_t> certain_; ///< pairs, each at most once
  double interludes_s_ = 0, pairs_s_ = 0;
};

/// Lengths of rows of usual calls, each as long as a process meets while it is timed, within a time for all of them.
/// What waits for such a row to be careless is so before the unusual call that comes next.
class usual_rows {
public:
  explicit usual_rows(double most_s) : left_s_{most_s} {}
  /// Calls of the next row, of a quarter of the time left at most, where each takes `each_s`.
  std::uint64_t next(random_source& random, double each_s);

private:
  double left_s_;
};

} // namespace ke
