#pragma once

#include "backends/evidence/driver_traits.hpp"
#include "backends/judge/driver_call.hpp"
#include "backends/judge/expectation.hpp"
#include "backends/judge/noise_gate.hpp"
#include "backends/verdict/usual_spread.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

class poison;
class random_source;
struct arena_shape;
struct bank_slot;
struct bound_shapes;
struct evidence;
struct judge_task;
struct mixture;
struct problem;

/// An arena and the process that works in it, of a driver's own type. The destructor ends the process, with
/// all that it started.
struct driver_state {
  driver_state() = default;
  driver_state(const driver_state&) = delete;
  driver_state& operator=(const driver_state&) = delete;
  virtual ~driver_state() = default;
};

/// What a candidate is given while it is profiled.
struct profiled_inputs {
  const bound_shapes& shapes;
  const bank_slot& slot;
  const mixture* pools = nullptr; ///< each call's inputs are mixed from these; null: the slot's own
  std::uint32_t usual_calls = 1;  ///< before those that are profiled, at least one
};

/// Bytes of the judge and their place in an arena.
struct arena_bytes {
  std::uint64_t offset = 0;
  const char* from = nullptr;
  std::size_t bytes = 0;
};

/// A part of a tensor that gets rubbish: the tensor's bytes [at, at + bytes), which lie at `offset`.
struct arena_rubbish {
  std::uint64_t offset = 0;
  const ke::poison* of = nullptr;
  std::size_t tensor = 0, turn = 0; ///< poison::turn of this tensor in this call
  std::size_t at = 0, bytes = 0;
  std::size_t whole = 0; ///< bytes of the tensor
};

/// A part of one result: the bytes [from, from + bytes) of an output, and where the judge wants them.
struct result_part {
  std::uint32_t call = 0, tensor = 0; ///< of the order; of the problem
  std::uint64_t offset = 0;           ///< of the whole tensor in the arena
  std::size_t from = 0, bytes = 0;
  char* to = nullptr;
};

/// Bytes that `mix` picks elements from, kept where the driver reads them fast, and in no arena.
struct driver_pool {
  driver_pool() = default;
  driver_pool(const driver_pool&) = delete;
  driver_pool& operator=(const driver_pool&) = delete;
  virtual ~driver_pool() = default;
};

/// A tensor that gets elements of a pool: which ones, a key picks. The same key picks the same for every process.
struct arena_mix {
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  std::size_t element_bytes = 0; ///< 1, 2, 4 or 8
  const driver_pool* of = nullptr;
  std::uint64_t key = 0;
};

/// How two results of a tensor are held against each other.
struct result_rule {
  ke::dtype dtype = ke::dtype::f32;
  comparison_rule rule;
};

/// What an order is going to be.
struct order_form {
  std::uint32_t calls = 0;
  const problem* what = nullptr;
  bool trusted = false; ///< of the truth's process: nobody watches where its results lie
};

/// Whether anything of the driver ran, or was still to run on its device, and the time until nothing was.
struct fence_reading {
  bool still = true;
  double ns = 0;
};

/// What a driver knows of its truth: the reference in the widest arithmetic that it has.
struct truth_form {
  std::string object;      ///< for `limits`; empty: the reference itself is the truth
  std::vector<bool> wider; ///< per tensor: of wide_bytes; others are as the candidate's
  /// An overflow ends its process: one that survives has none. Else survival says nothing.
  bool traps_overflow = true;
  /// What adds in the device's memory takes terms below the smallest normal number for zeros: an honest sum may have
  /// lost all of them.
  bool flushes_sums = false;
  /// The reference has been compiled before, so one that does not load is the machine's fault.
  bool compiled = true;
};

/// What this driver's readings are good for. Times in seconds or ns as named.
struct driver_bands {
  /// Ns that so many pages of results are charged with which nobody wrote, measured when it is asked. Null: nothing.
  double (*unwritten_ns)(std::uint64_t pages) = nullptr;
  double idle_floors = 1.5;     ///< work after an answer up to so many times that of an empty call is idling,
  double idle_s = 5e-6;         ///< and so much more
  double longest_spin_s = 1e-3; ///< an honest pool of threads may spin on for as long after an answer
  double least_order_ns = 0;    ///< a timed order of short calls lasts at least so long
  double fewest_pairs_ns = 0;   ///< rather than orders shorter than this: fewer pairs than a plan asks for
  std::size_t slot_memory = 256u << 20; ///< most bytes of the tensors of an order
  std::size_t bank_bytes = 768u << 20;  ///< of inputs and truths that are kept for a launch
  double copy_ns = 2.5; ///< of one byte of an order's tensors: inputs, rubbish, copies, checks
  double mix_ns =
      2.5; ///< the same where inputs come from pools and results are held against each other where they lie
  /// Of log ratios: usually, where a candidate uses all processors of the machine, and where others work beside it.
  usual_spread spread{0.04, 0.025}, on_all_processors{0.08, 0.08}, beside_others{0.1, 0.15};
  usual_spread by_graph;    ///< usually, of orders that are replayed as graphs; zeros: as `spread`
  bool cpu_tells = true;    ///< an order's `cpu_s` is all that its process works
  bool sees_orders = false; ///< a candidate may find the inputs of all calls of an order as it gets the first
  bool sampling_hides_late_work = true; ///< `late_s` of an order with a sample is partly the judge's own
};

/// One driver kind: all that the judge's loops do with memory and processes. They call these and nothing
/// else, and do not ask which kind it is, so nothing in them assumes that they can map the candidate's memory
/// or that a call's work ends with its answer. One order: begin, fill and poison, flush, fence, prime, patch,
/// go, close, snapshot and compare, settle, fence; `hand` before the first fence. None is null but where said. A
/// state is used by one thread.
struct driver_seam {
  /// Every call is given each tensor's extents after the dims.
  bool takes_extents = false;
  bool ends_slowly = false;     ///< a process takes some tenths of a second to end
  std::uint32_t patch_rows = 0; ///< rows of 64 bytes of the inputs that are withheld until `patch`

  /// -- Before there is a process. ------------------------------------------------------------------------

  /// The task with what only this driver knows. `invalid`: the problem is unfit.
  result<judge_task> (*complete)(const judge_task& task) = nullptr;
  /// How to start a process for this object of the task ("-": the empty kernel; "": nothing yet), with its
  /// limits.
  driver_start (*limits)(const judge_task& task, const std::string& object, std::size_t memory,
                         const std::vector<int>& cpus) = nullptr;
  truth_form (*truth)(const judge_task& task) = nullptr;
  /// Most calls of one timed order with `args` arguments each.
  std::uint32_t (*most_timed_calls)(std::size_t args) = nullptr;
  /// Measures what it has to: some milliseconds.
  driver_bands (*bands)() = nullptr;
  clock_reading (*clocks)(const std::vector<int>& cpus) = nullptr;
  others_reading (*others)(const std::vector<int>& cpus) = nullptr;
  /// The fixed kernels of whoever is measured, now: ns by name (sentinel.hpp). Never while anything runs that is measured.
  /// Null: there are none.
  std::map<std::string, double> (*sentinel)(const std::vector<int>& cpus) = nullptr;
  /// What the task's device says of itself, into the evidence, and never while an order runs. `device`: its memory made an
  /// error that nobody corrected. Null: there is nothing to ask.
  status (*conditions)(const judge_task& task, evidence& found) = nullptr;
  /// Secret places for the tensors of all slots, at least `first`, in the order of slots: offsets per slot
  /// and tensor. Sizes and gaps keep to arena_shape's bound.
  std::vector<std::vector<std::uint64_t>> (*layout)(const arena_shape& shape,
                                                    random_source& random) = nullptr;

  /// -- Start and end. ------------------------------------------------------------------------------------

  /// Memory of `how.memory` bytes for one process that will be started so.
  result<std::unique_ptr<driver_state>> (*arena)(const driver_start& how) = nullptr;
  /// Starts the process, which loads its object while others start. Once for each arena.
  status (*open)(driver_state&, const driver_start& how) = nullptr;
  /// Waits until the object is loaded, and stops the process. How that ended: a candidate that cannot be loaded
  /// is no failure of the machine. Once, after `open`.
  call_outcome (*load)(driver_state&) = nullptr;
  /// Its output so far, bounded; a candidate's bytes.
  std::string (*log)(const driver_state&) = nullptr;

  /// -- One order, while the process is stopped. ----------------------------------------------------------

  /// Before the first byte of an order is written. Whether its results may stay where the candidate makes
  /// them; then `call_order::stay` names a place for a table of addresses.
  bool (*begin)(driver_state&, const order_form& form) = nullptr;
  /// Copies these bytes to their places, in this order. They lie there after the next `fence`; `from` may
  /// change at once.
  void (*fill)(driver_state&, std::span<const arena_bytes> what) = nullptr;
  /// Writes rubbish, as `fill` does.
  void (*poison)(driver_state&, const arena_rubbish& what, random_source& random) = nullptr;
  /// Whether this driver mixes; else the next two, `keep`, `kept` and `agree` are null.
  result<std::shared_ptr<const driver_pool>> (*pool)(driver_state&, std::string_view bytes) = nullptr;
  /// Writes elements of a pool, as `fill` does: over what was filled before the first of an order, under what comes after.
  void (*mix)(driver_state&, const arena_mix& what) = nullptr;
  /// Out of every cache, so that the next call finds these bytes cold. Reads no `from`.
  void (*flush)(driver_state&, std::span<const arena_bytes> where) = nullptr;
  /// Tells the driver what its next order is, while the bytes that `fill` was given don't lie there yet; what goes
  /// wrong, `go` says. Null: `go` tells it.
  void (*hand)(driver_state&, const call_order& what, double limit_s) = nullptr;
  /// Proves that the driver stands still, its device as well.
  fence_reading (*fence)(driver_state&) = nullptr;
  /// Lets the driver take its turn on the device, before an order. Ns of that.
  double (*prime)(driver_state&) = nullptr;
  /// The rows that `fill` was not given; ns of that, which count.
  double (*patch)(driver_state&, std::span<const arena_bytes> rows) = nullptr;
  /// Runs one order until its answer. After anything but `done` the process is dead. Before `close`.
  call_outcome (*go)(driver_state&, const call_order& what, double limit_s,
                     const call_watch& watch) = nullptr;
  /// A part of a result as it is now, while the order runs: only within a call_watch.
  void (*sample)(driver_state&, const result_part& part) = nullptr;
  /// After `go` said `done`: runs the same order again and again for so long, on what lies there. Joules of the device for
  /// one of them; 0: it does not say, or the process ended. Null: nothing counts energy.
  double (*energy)(driver_state&, double seconds) = nullptr;
  /// At once after `go` said `done`: waits for what the order left to do, takes these samples, and stops the
  /// process. Completes `call`.
  void (*close)(driver_state&, std::span<const result_part> samples, call_outcome& call) = nullptr;

  /// -- After an order. The process is proven stopped. ----------------------------------------------------

  /// Copies results, from where the candidate put them. Pages of them that nobody has written.
  std::uint64_t (*snapshot)(driver_state&, std::span<const result_part> results) = nullptr;
  /// The same as `snapshot`, but the copies stay with the driver until its next order; `to` is not used. They are whole
  /// results, call after call. `device`: there is no room.
  status (*keep)(driver_state&, std::span<const result_part> results) = nullptr;
  /// A part of what was kept, to `part.to`.
  void (*kept)(driver_state&, const result_part& part) = nullptr;
  /// For each call: whether what the second has kept is allowed beside what the first has, by the rule of each tensor. A
  /// `false` may be wrong: the judge looks closer.
  std::vector<bool> (*agree)(driver_state& usual, driver_state& own,
                             std::span<const result_rule> rules) = nullptr;
  /// Whether the arena still holds each of these bytes; with a null `from`, what was mixed there.
  std::vector<bool> (*compare)(driver_state&, std::span<const arena_bytes> with) = nullptr;
  /// Last, once the copies of a snapshot have been compared with samples: undoes in them what the judge
  /// itself left in results. Pages of results that hold what an earlier call wrote.
  std::uint64_t (*settle)(driver_state&, std::span<const result_part> results) = nullptr;
  /// What compilers left in the stopped process, packed: for later processes of the same candidate. Empty: nothing.
  /// Null: this driver's compile nothing.
  std::string (*files)(driver_state&) = nullptr;
  /// Bytes of the arena as they are. The process's text: believe nothing.
  void (*read)(driver_state&, std::uint64_t offset, std::span<char> to) = nullptr;

  /// Calls a candidate that was right once more, under a profiler, after as many usual calls: python_profile.hpp. Null:
  /// none of the judge's.
  void (*profile)(const judge_task& task, const profiled_inputs& with, const std::vector<int>& cpus,
                  evidence& found) = nullptr;
};

/// The driver of a manifest's name; null: there is none.
const driver_seam* find_driver(std::string_view name);
/// The same; `missing`, in words, if there is none.
result<const driver_seam*> wanted_driver(std::string_view name);

/// An arena with a process in it. Moves; ends what it started.
class open_driver {
public:
  /// Arena and process; `load` must follow. Several may load at once.
  static result<open_driver> begin(const driver_seam& seam, const driver_start& how);
  /// As of driver_seam.
  call_outcome load() const { return seam_->load(*state_); }
  /// Both.
  static result<open_driver> start(const driver_seam& seam, const driver_start& how, call_outcome& loading);

  const driver_seam& seam() const { return *seam_; }
  driver_state& state() const { return *state_; }
  /// Of the arena, in bytes.
  std::size_t size() const { return size_; }
  std::string log() const { return seam_->log(*state_); }

private:
  open_driver(const driver_seam& seam, std::unique_ptr<driver_state> state, std::size_t size)
      : seam_{&seam}, state_{std::move(state)}, size_{size} {}
  const driver_seam* seam_;
  std::unique_ptr<driver_state> state_;
  std::size_t size_;
};

#define KE_DRIVER(kind, ...) extern const driver_seam kind##_driver;
KE_DRIVERS(KE_DRIVER)
#undef KE_DRIVER

} // namespace ke
