#pragma once

#include "backends/judge/driver_seam.hpp"
#include "backends/judge/expectation.hpp"
#include "backends/judge/poison.hpp"
#include "backends/judge/secret_random.hpp"
#include "backends/judge/shapes.hpp"
#include "runtime/core/problem.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// One fresh input with its required outputs. Tensors without a part on one side are empty there.
struct bank_slot {
  std::vector<std::string> inputs;  ///< per tensor, in the candidate's dtypes; none: let go of
  std::vector<expectation> outputs; ///< per tensor
  std::string distribution;
  std::vector<double> scalars; ///< of this slot, for scalars that vary; empty: those of the problem
  /// What its inputs were drawn from (truth_source::restore); 0: they can't be drawn again.
  std::uint64_t key = 0;
  std::uint64_t digest = 0; ///< of inputs that were let go of

  /// Its inputs, with room for another truth: expectations take twice the room of what they are of, or more.
  bank_slot without_truth() const {
    return {inputs, std::vector<expectation>(outputs.size()), distribution, scalars, key, digest};
  }
  /// Memory that it takes, of inputs and expectations.
  std::size_t bytes() const {
    std::size_t n = truth_bytes();
    for (const auto& i : inputs)
      n += i.size();
    return n;
  }
  /// Of expectations alone.
  std::size_t truth_bytes() const {
    std::size_t n = 0;
    for (const auto& o : outputs)
      n += o.bytes();
    return n;
  }
};

/// What fresh tensors of one workload are mixed from, per tensor: inputs, and the rubbish of outputs (null: made by
/// `poison`).
struct mixture {
  std::vector<std::shared_ptr<const driver_pool>> pools;
};

/// A driver and the layout of its arena: tensors at random offsets between red zones, one set per slot.
/// Touches the arena by the driver's functions alone. Knows nothing of right and wrong.
class caller {
public:
  /// `wide`: the truth's element sizes.
  caller(open_driver driver, const problem& what, bool wide, std::uint64_t key);

  /// From the next `bind` on the truth's tensors that are not wider than the candidate's (truth_form) lie there
  /// as those; its outputs are still returned as wide ones.
  void hold_wider(std::vector<bool> wider) { wider_ = std::move(wider); }

  /// Upper bound of the memory for `slots` slots of these shapes.
  static std::size_t memory_for(const problem& what, const bound_shapes& shapes, std::uint32_t slots,
                                bool wide);

  /// Lays out `slots` slots. False: they do not fit. `misaligned`: tensors begin off a cache line, at a
  /// multiple of the element size.
  bool bind(const bound_shapes& shapes, std::uint32_t slots, bool misaligned = false);

  /// Changes rubbish around the tensors, and their places: reads beside a tensor find something else in the
  /// next order. After `bind`.
  void soil();

  /// From the next `bind` on about half of the orders have their tensors at new places, the others at known
  /// places with new data: no address can be watched or foreseen. Orders of several calls use some of the
  /// places, in random order; the other places hold what looks like inputs, so work on everything found is
  /// mostly in vain. Without this, places stay until the next `bind`, so that results remembered by address
  /// are wrong in every call.
  void move_between_orders() { moving_ = true; }

  /// From now on slots without inputs get those that their key picks from these pools, and an order with such a slot
  /// leaves its results with the driver (`agree`). Only where the seam mixes.
  void mix_from(const mixture* pools) { mixture_ = pools; }
  /// Bytes for `mix_from`.
  result<std::shared_ptr<const driver_pool>> pool(std::string_view bytes) {
    return seam().pool(state(), bytes);
  }
  /// driver_seam::agree, of the last orders of both, which had the same slots. Empty: their results are not there.
  static std::vector<bool> agree(const caller& usual, const caller& own, std::span<const result_rule> rules) {
    return usual.kept_ && own.kept_ ? own.seam().agree(usual.state(), own.state(), rules)
                                    : std::vector<bool>{};
  }

  /// Whether the next orders are replayed as a graph, where the driver has such; at first as the problem's policy says. A
  /// truth's never are: what makes it wide may wait for the device, and nobody takes its time.
  void by_graph(bool replayed) { by_graph_ = replayed; }

  /// Spare places of `move_between_orders`, beside those of `calls` calls, if the memory has room.
  static std::uint32_t spare_places(const problem& what, const bound_shapes& shapes, std::uint32_t calls);

  struct outcome {
    call_outcome call;
    /// From telling the order until its answer: what is compiled when it is told counts in no call.
    double asked_s = 0;
    std::string inputs_changed; ///< name of a changed input
    std::string red_zone;       ///< name of a tensor with a write beside it
    bool woke = false;          ///< something of the process ran while its memory was read
    std::string late;           ///< name of a result that changed between the answer and the stop
    std::string ahead;          ///< name of a result that changed when a later call had been read
    /// Pages of results that stayed and that nobody has written, or not since an earlier result was there.
    std::uint64_t unwritten = 0;
    /// For each slot whether its results are known to be right; others are to be looked at. Empty: none is.
    std::vector<bool> agreed;
    bool looked_at = false; ///< whether this was looked for: the time to the stop is then partly the judge's
  };

  /// One order over `slots` (each another slot of the layout): with the process stopped, writes inputs and
  /// poison; runs; copies outputs out. `cold`: first evicts the slots from all caches. `look`: keeps parts of
  /// the results as they are at the answer and compares them after the stop. Half of the orders of several
  /// calls are also looked at once in between, for results of ended calls.
  outcome run(std::span<const bank_slot* const> slots, const poison* rubbish, bool cold, double limit_s,
              bool look = false);

  /// Joules of the device for an order over `slots`, which is run for `seconds`, and whose results count for nothing. 0: not
  /// known. The process may be dead then. Only where the seam has it.
  double energy(std::span<const bank_slot* const> slots, double seconds, double limit_s);

  /// Private copy of an output, after `run`.
  const std::string& output(std::size_t slot, std::size_t tensor) const;

  /// driver_seam::files; only where the seam has it.
  std::string files() { return seam().files(state()); }
  std::string log() const { return driver_.log(); }
  /// Bytes of the arena as they are: the process's text.
  std::string read(std::uint64_t offset, std::size_t bytes) const {
    std::string text(bytes, '\0');
    seam().read(state(), offset, text);
    return text;
  }

private:
  /// A part of a result, as it was at the answer.
  struct glance {
    std::size_t slot, tensor, from;
    std::string bytes;
  };
  const driver_seam& seam() const { return driver_.seam(); }
  driver_state& state() const { return driver_.state(); }
  void write(std::uint64_t offset, const char* from, std::size_t bytes) {
    arena_bytes one{offset, from, bytes};
    seam().fill(state(), {&one, 1});
  }
  /// The parts to keep: a window of each result of one of the first `slots` slots; half of the time of the
  /// last one, and at its end, where a thread left behind would be at work.
  std::vector<glance> windows(std::size_t slots);
  /// Points into `g`.
  result_part part_of(glance& g) const;
  /// Parts of results that have ended once `begun` calls have been read.
  std::vector<glance> look_midway(std::uint32_t begun);
  /// The name of a result that has changed.
  std::string changed_since(const std::vector<glance>& parts) const;
  /// All that an order finds in the arena. Rows that it gets when it begins.
  std::vector<arena_bytes> write_order(std::span<const bank_slot* const> slots, const poison* rubbish);
  /// Puts rows of inputs off, in whose places others lie until then: who computes before he is asked to is
  /// wrong.
  std::vector<arena_bytes> withheld(std::span<const bank_slot* const> slots);
  /// Results, and with `cold` inputs as well, out of the caches.
  void chill(std::size_t slots, bool cold);
  /// From the fence before an order to the stop after it.
  call_outcome call(const call_order& order, std::span<const arena_bytes> rows, double limit_s,
                    std::vector<glance>& looked_at, std::vector<glance>& ended);
  /// All results, into copies_.
  std::vector<result_part> results_of(std::size_t slots);
  /// Copies them, or lets the driver keep them. False: it could not, which is the machine's fault.
  bool copy_or_keep(std::span<const result_part> results, outcome& out);
  /// Red zones and inputs.
  void compare_arena(std::span<const bank_slot* const> slots, outcome& out);
  /// Inputs, and rubbish in the outputs, in blocks in random order: what is written last is hottest in the
  /// caches and must favour no direction of a kernel.
  void write_tensors(std::span<const bank_slot* const> slots, const poison* rubbish);
  /// New places for all tensors of all slots, in another order.
  void scatter();
  /// Inputs of no call, at places without a slot of this order.
  void write_decoys(std::span<const bank_slot* const> slots, const poison* rubbish);
  call_order order_of(std::size_t slots) const;
  /// Whether this tensor's elements are wider than the candidate's.
  bool is_wide(std::size_t tensor) const;
  void write_wide(std::span<const bank_slot* const> slots);
  /// Those of tensors that are no wider than the candidate's.
  void widen_copies(std::size_t slots);
  bool is_mixed(const bank_slot& slot) const { return mixture_ && slot.inputs.empty(); }
  bool is_any_mixed(std::span<const bank_slot* const> slots) const {
    return std::any_of(slots.begin(), slots.end(), [this](const auto* slot) { return is_mixed(*slot); });
  }
  /// Elements that `key` picks for this tensor, at an offset. False: it has no pool.
  bool mix(std::uint64_t offset, std::size_t tensor, std::uint64_t key);
  /// Before and behind each tensor of the slot.
  void add_red_zones(std::size_t slot, std::vector<arena_bytes>& to) const;
  /// What lies beside the tensor at `offset`. Differs from place to place: with equal red zones one could
  /// search for the next tensor.
  const char* red_zone_of(std::uint64_t offset, bool behind) const;

  open_driver driver_;
  const problem* what_;
  bool wide_;
  std::vector<bool> wider_; ///< per tensor, of the truth
  bool misaligned_ = false; ///< of the layout
  bool moving_ = false, by_graph_;
  random_source random_;
  std::string red_;                                 ///< what red zones hold: another part each
  std::uint64_t red_key_ = 0;                       ///< which part
  double each_s_ = 0;                               ///< one call of the last order
  double energy_s_ = 0, joules_ = 0;                ///< for how long an order is run again; of one
  std::vector<std::size_t> bytes_;                  ///< per tensor
  std::size_t places_ = 0;                          ///< for slots
  std::vector<std::vector<std::uint64_t>> offsets_; ///< slot, tensor; those beyond an order's are spare
  mutable std::vector<std::vector<std::string>>
      copies_; ///< slot, tensor; of results that are kept: when asked for
  const mixture* mixture_ = nullptr;
  bool kept_ = false; ///< the driver has the results of the last order
  /// Offsets of addresses of results that stay, of scalars and dims, of tensors.
  std::uint64_t stay_ = 0, values_ = 0, first_ = 0;
  /// The scalars, dims and extents of a slot.
  std::vector<std::uint64_t> values_of(const bank_slot& slot) const;
  std::vector<std::uint64_t> value_bits_; ///< of a slot without scalars of its own
};

} // namespace ke
