#pragma once

// The keys that our own parts write into maps of evidence and devices, and read from them: a key that is spelt
// wrongly does not compile. Names that tools outside choose (an operator of PyTorch, a counter of a simulator) stand
// behind the beginnings that end in `_of`. What a key means says who writes it.

/// Of evidence::provenance and verdict::provenance.
namespace ke::provenance_keys {
inline constexpr const char* aa_control = "aa_control";
inline constexpr const char* backend = "backend";
inline constexpr const char* baseline = "baseline";
inline constexpr const char* baseline_source = "baseline_source";
inline constexpr const char* candidate = "candidate";
inline constexpr const char* checked_by = "checked_by"; ///< tools that found no fault in a finalist
inline constexpr const char* compiler = "compiler";
inline constexpr const char* device_state = "device_state";
inline constexpr const char* environment = "environment";
inline constexpr const char* flags = "flags";
inline constexpr const char* language = "language";
inline constexpr const char* launches = "launches";
inline constexpr const char* left_changed = "left_changed";
inline constexpr const char* measured_candidate = "measured_candidate";
inline constexpr const char* not_varied = "not_varied";
inline constexpr const char* problem = "problem";
inline constexpr const char* same_object_as = "same_object_as";
inline constexpr const char* sandbox = "sandbox";
inline constexpr const char* secret_shapes = "secret_shapes";
inline constexpr const char* smaller_sizes = "smaller_sizes";
inline constexpr const char* suffix = "suffix";
inline constexpr const char* truth = "truth";
inline constexpr const char* truth_build = "truth_build";
inline constexpr const char* unchecked_by =
    "unchecked_by";                         ///< of a finalist: tools that did not look at it, and why
inline constexpr const char* unit = "unit"; ///< the worker's own name of the device
inline constexpr const char* worker = "worker";
} // namespace ke::provenance_keys

/// Of evidence::counters. Names that end in `_of` are beginnings of keys.
namespace ke::counter_keys {
inline constexpr const char* bank_s = "bank_s";
inline constexpr const char* bank_slots_of = "bank_slots.";
inline constexpr const char* calls_per_order_of = "calls_per_order.";
inline constexpr const char* cores_busy = "cores_busy";
inline constexpr const char* device_celsius = "device.celsius"; ///< the most
/// Mean of a candidate's orders: armed, turns, behind (backends/judge/drivers/device_conditions.hpp).
inline constexpr const char* device_charged_us_of = "device.charged_us.";
inline constexpr const char* device_corrected_errors =
    "device.corrected_errors";                                        ///< of its memory, meanwhile
inline constexpr const char* device_held_back = "device.held_back";   ///< bits of the management library
inline constexpr const char* device_memory_mhz = "device.memory_mhz"; ///< the least
inline constexpr const char* device_slowed = "device.slowed";         ///< 1: by heat or its power supply
inline constexpr const char* device_sm_mhz = "device.sm_mhz";         ///< the least
/// Quantiles of empty kernels around orders: WHO.fence.p50, WHO.primer.p99.
inline constexpr const char* device_turn_us_of = "device.turn_us.";
inline constexpr const char* device_watts = "device.watts"; ///< the most
inline constexpr const char* edge_cases = "edge_cases";
/// Energy of the device for a call, mJ: candidate.WORKLOAD, reference.WORKLOAD.
inline constexpr const char* energy_mj_of = "energy_mj.";
/// Seconds that first calls on some shapes took beyond the fastest there: compilers that run as they are needed.
inline constexpr const char* first_calls_s = "first_calls_s";
inline constexpr const char* gate_beside_others =
    "gate.beside_others"; ///< launches that count though others worked
inline constexpr const char* gate_discarded = "gate.discarded";
inline constexpr const char* gate_held_s = "gate.held_s";     ///< waited until others were calm
inline constexpr const char* gate_of = "gate.";               ///< the beginning of all of these
inline constexpr const char* gate_repeated = "gate.repeated"; ///< launches that were measured again for them
inline constexpr const char* hot_bytes = "hot.bytes";
inline constexpr const char* hot_instructions = "hot.instructions";
inline constexpr const char* hot_share = "hot.share";
inline constexpr const char* interludes = "interludes";
inline constexpr const char* interludes_s = "interludes_s";
inline constexpr const char* peak_of = "peak.";
inline constexpr const char* profile_workload = "profile.workload";
/// Us that a call is faster than the baseline's: alone, and in its order before it is charged.
inline constexpr const char* saved_us_alone_of = "saved_us.alone.";
inline constexpr const char* saved_us_in_order_of = "saved_us.in_order.";
inline constexpr const char* saved_us_replayed_of = "saved_us.replayed.";
/// What a tool saw of the kernels of one call on a device (backends/verdict/device_shares.hpp).
inline constexpr const char* kernels_of = "kernels.";
inline constexpr const char* kernels_count = "kernels.count";
inline constexpr const char* kernels_ns = "kernels.ns";
inline constexpr const char* role_of = "role."; ///< a vendor's counter by what it says (metric_roles.hpp)
inline constexpr const char* run_cores = "run.cores";
inline constexpr const char* run_quiet_ns = "run.quiet_ns";
/// Ns of the device's fixed kernels before and after the timed calls, by name (backends/judge/driver_seam.hpp).
inline constexpr const char* sentinel_after_of = "sentinel.after.";
inline constexpr const char* sentinel_before_of = "sentinel.before.";
inline constexpr const char* spread_launch = "spread.launch"; ///< as usual_spread (statistics.hpp) has it
inline constexpr const char* spread_run = "spread.run";
inline constexpr const char* stage_s_of =
    "stage_s."; ///< of a judgement: start, workloads, secret_shapes, edges, profile
inline constexpr const char* static_of = "static."; ///< of compiled code: ARCHITECTURE.ENTRY.WHAT
inline constexpr const char* strided_cases = "strided_cases";
inline constexpr const char* tools_s =
    "tools_s"; ///< of a vendor's tools that ran the candidate on its device
inline constexpr const char* torch_calls = "torch.calls";
inline constexpr const char* torch_op_of = "torch.op.";
inline constexpr const char* torch_self_us = "torch.self_us";
inline constexpr const char* torch_top_calls = "torch.top_calls";
inline constexpr const char* unwritten_pages = "unwritten_pages";
inline constexpr const char* misaligned_unasked = "misaligned_unasked"; ///< the reference fails there itself
inline constexpr const char* checked =
    "checked"; ///< cases that a tool's check of a finalist looked at, to its end
} // namespace ke::counter_keys

/// Of evidence::findings.
namespace ke::finding_keys {
inline constexpr const char* busiest_library = "busiest_library";
inline constexpr const char* case_dims = "case_dims";
inline constexpr const char* case_distribution = "case_distribution";
inline constexpr const char* device_kernels = "device_kernels"; ///< the longest of a call, a line each
inline constexpr const char* check = "check";                   ///< what a tool's check of a finalist found
inline constexpr const char* check_of = "check."; ///< the same, by the name of the manifest's step
inline constexpr const char* hot_loop = "hot_loop";
inline constexpr const char* nothing_from = "no_"; ///< a step of the manifest: why it found nothing
inline constexpr const char* no_samples = "no_samples";
inline constexpr const char* operators = "operators";
inline constexpr const char* profiler = "profiler";
inline constexpr const char* sanitizer = "sanitizer";
inline constexpr const char* sanitizer_report = "sanitizer_report";
inline constexpr const char* simulation = "simulation";
inline constexpr const char* trace = "trace";
inline constexpr const char* units = "units"; ///< which of a vendor's counters said role.*
inline constexpr const char* vectorizer = "vectorizer";
} // namespace ke::finding_keys

/// Of device_info::facts.
namespace ke::device_facts {
inline constexpr const char* arch = "arch";
inline constexpr const char* compiler = "compiler";
inline constexpr const char* cores = "cores";
inline constexpr const char* driver = "driver";
/// Of a stand-in for a device that is not there: compiled_not_executed. Else absent.
inline constexpr const char* execution = "execution";
inline constexpr const char* compiled_not_executed = "compiled, not executed";
inline constexpr const char* flags = "flags";
inline constexpr const char* gate_loud = "gate.loud";
inline constexpr const char* isa = "isa";
inline constexpr const char* l1d = "l1d";
inline constexpr const char* l2 = "l2";
inline constexpr const char* l3 = "l3";
inline constexpr const char* memory = "memory";
inline constexpr const char* memory_rate = "memory_rate"; ///< as its clock and width have it
inline constexpr const char* model = "model";
inline constexpr const char* most_clock = "most_clock";
inline constexpr const char* peak_of = "peak.";
/// Of one multiprocessor.
inline constexpr const char* processor_registers = "sm_registers";
inline constexpr const char* processor_shared = "sm_shared_memory";
inline constexpr const char* processor_threads = "sm_threads";
/// Other programs that compute on the device; absent: none that is known.
inline constexpr const char* strangers = "strangers";
inline constexpr const char* target = "target";
inline constexpr const char* toolchain = "toolchain";
inline constexpr const char* uuid = "uuid";
inline constexpr const char* node = "node";       // of the device's kernel driver: /dev/nvidia0
inline constexpr const char* library = "library"; // path of the driver library
inline constexpr const char* without = "without"; ///< of a stand-in: why there is no device
} // namespace ke::device_facts
