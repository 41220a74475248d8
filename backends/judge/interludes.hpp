#pragma once

#include "backends/judge/caller.hpp"
#include "backends/judge/random.hpp"
#include "backends/judge/shapes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ke {

/// Calls that come unasked between timed ones: an edge, another distribution, a secret shape, tensors that
/// are aligned to their elements only. They are checked like all others and their times do not count. Without
/// them a process could tell, by having met nothing but usual inputs for a while, that it is the one which is
/// timed, and be wrong from then on wherever only the checks look.
class interludes {
public:
  /// What is passed in one of these calls, and in which form.
  struct scene {
    bound_shapes shapes;
    std::shared_ptr<const poison> rubbish;
    std::vector<bank_slot> slots; ///< at least one
    bool misaligned = false;
  };
  /// Shapes that one process may be given beside those that it is timed on must not make its memory many
  /// times as large.
  static constexpr std::uint32_t most_calls = 8; ///< of one scene
  static constexpr std::size_t most_memory = 128u << 20;

  /// Keeps a slot that the candidate has been right on, as far as all that is kept fits into `most_memory`.
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

/// The order in which they come: every kind once, in random order, before any comes a second time, over all
/// launches of one measurement. Drawn each time from all of them, one kind in three would never come among
/// the few pairs of a short plan.
class interlude_deck {
public:
  struct hand {
    const interludes::scene& scene;
    std::vector<const bank_slot*> slots; ///< in random order; the dealt kind is one of them
  };
  /// Both outlive the deck.
  interlude_deck(const interludes& all, random_source& random);

  bool empty() const { return kinds_.empty(); }
  /// A kind is a form (shapes, alignment) with one way of drawing its inputs.
  std::size_t kinds() const { return kinds_.size(); }
  /// The next kind with others of its scene, `calls` slots in all, or as many as there are; every second time
  /// one of `usual` shapes and alignment if one is left, since another form tells a process that this call is
  /// none of those. The deck must not be empty.
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

/// When the next interlude comes. It can't be foreseen: each pair has the same chance, as long as they have
/// cost less than a part of the time of the pairs; and some come in any case, at places drawn beforehand.
class interlude_turn {
public:
  /// Of the pairs of a launch, at most this part has an interlude before it in any case. An order of one call
  /// meets one unusual input only, so there are more of them.
  static constexpr double certain_share(std::uint32_t calls) { return calls > 1 ? 0.125 : 0.25; }

  /// `pairs`: how many there will be. `certain`: interludes that come in any case; at least 1 is drawn.
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

} // namespace ke
