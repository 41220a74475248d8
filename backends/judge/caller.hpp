#pragma once

#include "backends/judge/channel.hpp"
#include "backends/judge/expectation.hpp"
#include "backends/judge/random.hpp"
#include "backends/judge/result_history.hpp"
#include "backends/judge/result_marks.hpp"
#include "backends/judge/shapes.hpp"
#include "runtime/core/problem.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ke {

/// One fresh input with what the outputs must be. Tensors that play no part in a side are empty there.
struct bank_slot {
  std::vector<std::string> inputs;  ///< per tensor, in the candidate's dtypes
  std::vector<expectation> outputs; ///< per tensor
  std::string distribution;
  std::vector<double> scalars; ///< that vary have another value in each slot; empty: those of the problem

  /// Memory that it takes, of inputs and expectations.
  std::size_t bytes() const {
    std::size_t n = 0;
    for (const auto& i : inputs)
      n += i.size();
    for (const auto& o : outputs)
      n += o.bytes();
    return n;
  }
};

/// Plausible rubbish for outputs: the reference's results on other inputs, scaled at random and rotated anew
/// for each call, so that neither its look nor its repetition tells a poisoned output from an old one.
class poison {
public:
  /// `samples`: output bytes per tensor of one call of the reference.
  poison(const problem& what, const std::vector<std::string>& samples, random_source& random);
  /// Where in the pool the next tensor's rubbish begins.
  std::size_t turn(std::size_t tensor, random_source& random) const;
  /// `bytes` (whole elements) of the tensor from its byte `at` on, for a tensor of `whole` bytes.
  void write(std::size_t tensor, std::size_t turn, std::size_t at, std::size_t whole, std::byte* to,
             std::size_t bytes, random_source& random) const;

private:
  const problem* what_;
  std::vector<std::string> pool_;
};

/// A driver and the layout of its shared memory: tensors at random offsets between red zones, one set per
/// slot. Knows nothing of right and wrong.
class caller {
public:
  /// `wide`: the truth's element sizes.
  caller(std::unique_ptr<driver_process> process, const problem& what, bool wide, std::uint64_t key);

  /// From the next `bind` on the truth's tensors in bf16 are no wider than the candidate's; its outputs are
  /// told as wide ones all the same.
  void keep_bf16() { keeps_bf16_ = true; }

  /// Upper bound of the memory that `slots` slots of these shapes need.
  static std::size_t memory_for(const problem& what, const bound_shapes& shapes, std::uint32_t slots,
                                bool wide);

  /// Lays out `slots` slots. False if they do not fit. `misaligned`: tensors begin off a cache line, on a
  /// multiple of their element's size.
  bool bind(const bound_shapes& shapes, std::uint32_t slots, bool misaligned = false);

  /// Other rubbish around the tensors than before, and other places for them: what reads beside a tensor
  /// reads something else in the next order. After `bind`.
  void soil();

  /// From the next `bind` on about half of the orders find their tensors at new places, the others at known
  /// places with new data: no address can be watched or foreseen. Orders of several calls use some of the
  /// places, in random order, and what lies at the others looks like inputs, too: who works on all that it
  /// can find works in vain for the most part. Without it places stay until the next `bind`, so that what
  /// remembers results by address is wrong in every call.
  void move_between_orders() { moving_ = true; }

  /// Places beside those of `calls` calls that `move_between_orders` uses where the memory has room for them.
  static std::uint32_t spare_places(const problem& what, const bound_shapes& shapes, std::uint32_t calls);

  struct outcome {
    call_outcome call;
    std::string inputs_changed;  ///< name of a changed input
    std::string red_zone;        ///< name of a tensor beside which something was written
    bool woke = false;           ///< something of the process ran while its memory was read
    std::string late;            ///< name of a result that changed between the answer and the stop
    std::string ahead;           ///< name of a result that changed when a later call had been read
    std::uint64_t unwritten = 0; ///< pages of results that stayed where nobody has written them, or not
                                 ///< since an earlier result was there
    bool looked_at = false; ///< whether that was looked for: its time to the stop is the judge's own, too
  };

  /// One order over `slots` (each another slot of the layout): writes inputs and poison while the process is
  /// stopped, runs, copies outputs out. `cold`: evicts the slots from all caches first. `look`: keeps some of
  /// the results as they are when the answer comes, and compares them with what is there after the stop.
  /// Half of the orders of several calls are also looked at at a time in between, for results that have
  /// ended.
  outcome run(std::span<const bank_slot* const> slots, const poison* rubbish, bool cold, double limit_s,
              bool look = false);

  /// Private copy of an output after `run`.
  const std::string& output(std::size_t slot, std::size_t tensor) const { return copies_[slot][tensor]; }

  const std::string& log() const { return process_->log(); }

private:
  /// A part of a result, as it was when the answer came.
  struct glance {
    std::size_t slot, tensor, from;
    std::string bytes;
  };
  std::byte* at(std::uint64_t offset) const { return process_->memory() + offset; }
  /// Which parts to keep: a window of each result of one of the first `slots` slots, half of the time of the
  /// last one and its end, where a thread that was left behind would be at work.
  std::vector<glance> windows(std::size_t slots);
  void look_at(glance& g, bool may_stay) const;
  /// Parts of results that have ended when `begun` calls have been read.
  std::vector<glance> look_midway(std::uint32_t begun);
  /// The name of a result that is not as it was.
  std::string changed_since(const std::vector<glance>& parts) const;
  /// Pages of results that stayed and are left from earlier ones; and new marks in those of this call.
  std::uint64_t left_from_before();
  /// Where a result lies: where the driver says that it stayed, or in the shared memory.
  std::uint64_t place_of(std::size_t slot, std::size_t tensor, bool may_stay) const;
  /// Inputs, and rubbish in the outputs. In blocks, the blocks in random order: what is written last is
  /// hottest in the caches, and must favour no direction in which a kernel walks.
  void write_tensors(std::span<const bank_slot* const> slots, const poison* rubbish);
  /// New places for all tensors of all slots, in another order.
  void scatter();
  /// Inputs that nobody is called with, where no slot of this order is.
  void write_decoys(std::span<const bank_slot* const> slots, const poison* rubbish);
  call_order order_of(std::size_t slots) const;
  /// Whether this tensor's elements are not the candidate's.
  bool is_wide(std::size_t tensor) const;
  void write_wide(std::span<const bank_slot* const> slots);
  void fill_red_zones();
  bool red_zone_whole(std::size_t slot, std::size_t tensor) const;
  /// What lies beside the tensor at `offset`; differs from place to place, or one who has seen one red zone
  /// could search for the next tensor.
  const char* red_zone_of(std::uint64_t offset, bool behind) const;

  std::unique_ptr<driver_process> process_;
  const problem* what_;
  bool wide_, keeps_bf16_ = false;
  bool misaligned_ = false; ///< of the layout
  bool moving_ = false;
  random_source random_;
  result_marks marks_;
  result_history history_;
  std::string red_;                                 ///< what red zones hold: another part each
  std::uint64_t red_key_ = 0;                       ///< which part
  double each_s_ = 0;                               ///< one call of the last order
  std::vector<std::size_t> bytes_;                  ///< per tensor
  std::vector<std::vector<std::uint64_t>> offsets_; ///< slot, tensor; those beyond an order's are spare
  std::vector<std::vector<std::string>> copies_;    ///< slot, tensor
  std::uint64_t stay_ = 0, values_ = 0,
                first_ = 0; ///< offsets of addresses of results that stay, of scalars and dims, of tensors
  /// What a slot's scalars, dims and extents are.
  std::vector<std::uint64_t> values_of(const bank_slot& slot) const;
  std::vector<std::uint64_t> value_bits_; ///< of a slot without scalars of its own
};

} // namespace ke
