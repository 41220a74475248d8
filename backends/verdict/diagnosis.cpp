#include "backends/verdict/diagnosis.hpp"

#include "backends/verdict/device_shares.hpp"
#include "backends/verdict/roofline.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

namespace ke {
namespace {

constexpr double line_bytes = 64;
constexpr double mispredict_cycles = 14; ///< from fetching the wrong way to issuing the right one
constexpr double fetch_miss_cycles = 11; ///< an instruction line from the second level
constexpr double few_instructions = 500; ///< of a call
constexpr double fork_join_s = 40e-6;    ///< a parallel region shorter than this mostly starts and ends
constexpr double operator_s = 1.2e-6; ///< one call from Python into PyTorch, on a tensor of next to nothing

std::string text(const char* format, double a, double b = 0, double c = 0) {
  char out[160];
  std::snprintf(out, sizeof out, format, a, b, c);
  return out;
}

/// The time of a call when nothing else had the machine: what other processes add says nothing of the kernel.
double quiet(std::vector<double> ns) {
  auto at = ns.begin() + static_cast<std::ptrdiff_t>(ns.size() / 5);
  std::nth_element(ns.begin(), at, ns.end());
  return *at;
}

enum part { memory, compute, latency, occupancy, frontend, overhead, parts };
constexpr const char* names[parts] = {"memory", "compute", "latency", "occupancy", "frontend", "overhead"};

/// One diagnosis in the making: each source raises the shares that it speaks for.
class reasoning {
public:
  reasoning(const evidence& e, const problem& what) : e_{e}, what_{what} {
    for (const auto& [name, value] : e.counters)
      if (name.starts_with("peak."))
        peaks_[name.substr(5)] = value;
  }
  diagnosis conclude();

private:
  bool has(const char* name) const { return e_.counters.contains(name); }
  double of(const std::string& name, double otherwise = 0) const {
    auto at = e_.counters.find(name);
    return at == e_.counters.end() ? otherwise : at->second;
  }
  /// How much of the modelled loop's time its units need: little if results wait for each other.
  double loop_busy() const { return unit_share(of("mca.throughput") / std::max(of("mca.cycles"), 1e-9)); }
  void raise(part p, double share) { share_[p] = std::max(share_[p], unit_share(share)); }
  void raise_overhead(double share, const char* cause) {
    if (unit_share(share) > share_[overhead])
      overhead_cause_ = cause;
    raise(overhead, share);
  }
  void say(const char* key, std::string what) { said_[key] = std::move(what); }

  void times();
  void path();
  void threads();
  void weigh();
  void operators();
  void units();
  void device();
  void roofline();
  void simulated_caches();
  void simulated();
  void modelled();
  void sampled();
  double confidence(part winner) const;
  std::string lacking() const;
  std::string memory_cause() const;
  std::string compute_cause() const;
  std::string cause_of(part winner) const;

  const evidence& e_;
  const problem& what_;
  std::map<std::string, double> peaks_;
  std::array<double, parts> share_{};
  std::map<std::string, std::string> said_;
  const workload* work_ = nullptr;
  double gross_s_ = 0, net_s_ = 0; ///< a call as judged: with and without the path to it
  double run_s_ = 0;               ///< a call again and again on the same data
  double cycles_ = 0;              ///< of all cores in one call of that run
  double cores_ = 1, granted_ = 1;
  double bytes_share_ = 0, flops_share_ = 0;
  double ipc_ = 0;    ///< instructions a cycle; 0: not known
  double moved_ = 0;  ///< bytes that a call must move
  std::string level_; ///< from which these come: l1, l2, l3, dram
  double waits_for_loads_ = 0, waits_for_results_ = 0, wrong_branches_ = 0,
         late_code_ = 0; ///< shares of the time
  std::string overhead_cause_;
  std::array<std::string, parts> device_causes_; ///< of what a tool saw on a device; empty: none looked
  bool roofline_ = false;
  int sources_ = 0;
};

void reasoning::times() {
  auto longest = longest_workload(e_, what_);
  auto index = static_cast<std::size_t>(of("profile.workload", longest.workload));
  if (index >= what_.workloads.size())
    index = longest.workload;
  if (index < what_.workloads.size())
    work_ = &what_.workloads[index];
  std::vector<double> ns;
  for (const auto& l : e_.launches)
    if (l.workload == index)
      ns.insert(ns.end(), l.candidate_ns.begin(), l.candidate_ns.end());
  run_s_ = of("run.quiet_ns") * 1e-9;
  gross_s_ = ns.empty() ? run_s_ : quiet(ns) * 1e-9;
  double way = ns.empty() || !work_ ? 0 : e_.floor_ns * 1e-9 / of("calls_per_order." + work_->name, 1);
  net_s_ = std::max(gross_s_ - way, 0.02 * gross_s_);
  if (run_s_ <= 0)
    run_s_ = net_s_;
  cores_ = std::max(1.0, of("run.cores", of("cores_busy", 1)));
  auto cores_here = peaks_.contains("threads") ? peaks_.at("threads") : 1.0;
  granted_ = std::clamp(static_cast<double>(what_.policy.threads), 1.0, std::max(1.0, cores_here));
  cycles_ = run_s_ * cores_ * (peaks_.contains("clock") ? peaks_.at("clock") : 0);
}

/// What the judge's way to the kernel costs is no fault of the kernel, and hides whatever the kernel does.
void reasoning::path() {
  if (gross_s_ <= 0 || e_.launches.empty())
    return;
  double way = unit_share(1 - std::min(net_s_, run_s_) / gross_s_);
  double floor_share = unit_share(1 - net_s_ / gross_s_);
  if (floor_share > 0.5 && way > 0.6)
    raise_overhead(way, "launch");
  if (floor_share > 0.1)
    say("overhead", text("the way to the kernel takes %.0f%% of the %.3g us of a call", 100 * floor_share,
                         gross_s_ * 1e6));
}

void reasoning::threads() {
  if (granted_ < 2)
    return;
  double busy = std::min(has("run.cores") ? of("run.cores") : of("cores_busy", granted_), granted_);
  if (!has("run.cores") && !has("cores_busy"))
    return;
  ++sources_;
  double idle = unit_share(1 - busy / granted_);
  // What the idle ones would save, less what a first other thread costs: none is worth waking for a short call.
  double worth = unit_share(idle - (busy > 1.1 ? 0 : fork_join_s / std::max(net_s_, 1e-9)));
  say("threads", text("%.2f of %.0f cores at work", busy, granted_) +
                     (idle > 0.2 && worth <= 0.1
                          ? text("; the %.3g us of a call are too few to wake another", net_s_ * 1e6)
                          : ""));
  bool starts = of("share.openmp") > 0.3 && run_s_ < fork_join_s;
  if (starts)
    raise_overhead(0.4 + of("share.openmp"), "thread_starts");
  else if (idle > 0.2 && worth > 0.1)
    raise(occupancy, 0.4 + worth);
}

/// Whether an operator of PyTorch mostly calculates; the others mostly move bytes. By name, so a weak
/// witness.
bool calculates(std::string_view name) {
  for (std::string_view part : {"mm", "conv", "linear", "matmul", "dot", "attention", "einsum", "exp", "log",
                                "tanh", "sigmoid", "softmax", "gelu", "silu", "erf", "sin", "cos", "pow"})
    if (name.find(part) != std::string_view::npos)
      return true;
  return false;
}

/// Of a Python candidate: what its calls into PyTorch cost, however little they have to do, and which they
/// are.
void reasoning::operators() {
  constexpr std::string_view before = "torch.op.", after = ".share";
  double calculating = 0, moving = 0;
  for (auto at = e_.counters.lower_bound(std::string{before});
       at != e_.counters.end() && at->first.starts_with(before); ++at)
    if (at->first.ends_with(after))
      (calculates(at->first) ? calculating : moving) += at->second;
  if (calculating + moving <= 0 || net_s_ <= 0)
    return;
  ++sources_;
  raise(compute, 0.45 * calculating);
  raise(memory, 0.45 * moving);
  double calls = of("torch.top_calls"), calling = unit_share(calls * operator_s / net_s_);
  say("calls", text("%.0f operators, one after the other; calling them takes about %.0f%% of %.3g us", calls,
                    100 * calling, net_s_ * 1e6));
  if (calling > 0.3)
    raise_overhead(0.3 + calling, "operator_calls");
}

/// What a vendor's tool counted of its own units, by the roles that the manifest gives its names: no estimate of
/// ours is as good.
void reasoning::units() {
  if (has(counter_keys::kernels_count)) // device() knows more of them
    return;
  double best = 0;
  bool told = false;
  auto hear = [&](part p, const char* role, double whole) {
    auto at = e_.counters.find(std::string{counter_keys::role_of} + role);
    if (at == e_.counters.end())
      return;
    told = true;
    raise(p, at->second / whole);
    best = std::max(best, at->second);
  };
  constexpr double reachable = 0.85; // no real kernel keeps a unit busy all the time
  for (const char* role : {"memory", "cache"})
    hear(memory, role, reachable);
  for (const char* role : {"compute", "tensor"})
    hear(compute, role, reachable);
  hear(latency, "latency", 1);
  hear(frontend, "frontend", 1);
  hear(overhead, "overhead", 1);
  // Few threads are no fault while something else is at its limit.
  if (auto at = e_.counters.find(std::string{counter_keys::role_of} + "occupancy"); at != e_.counters.end()) {
    told = true;
    raise(occupancy, (1 - at->second) * (1 - best));
  }
  sources_ += told ? 2 : 0;
}

/// What a tool counted of the kernels that a call launched on a device.
void reasoning::device() {
  auto all = device_shares(e_.counters, net_s_ * 1e9);
  std::array<double, parts> most{};
  for (const auto& s : all) {
    auto p = static_cast<part>(std::find(names, names + parts, s.bottleneck) - names);
    if (p < parts && s.share > most[p]) {
      most[p] = s.share;
      device_causes_[p] = s.cause;
      raise(p, s.share);
    }
  }
  sources_ += all.empty() ? 0 : 3;
}

void reasoning::roofline() {
  if (!work_ || peaks_.empty() || net_s_ <= 0)
    return;
  auto priced = what_;
  if (priced.bytes.empty()) // all tensors once, if the problem does not say
    priced.bytes = text("%.0f", cost_of(what_, *work_, peaks_).tensor_bytes);
  auto floor = floor_of(priced, *work_, peaks_);
  if (!floor)
    return;
  roofline_ = true;
  moved_ = floor->moved;
  level_ = floor->level;
  ++sources_;
  bytes_share_ = floor->memory_s / net_s_;
  if (floor->memory_s > 0) {
    say("memory", text("%.3g GB/s of the %.3g GB/s that this machine reaches", floor->moved / net_s_ / 1e9,
                       floor->bandwidth / 1e9) +
                      " (" + floor->level + ")");
    raise(memory, bytes_share_ / 0.7); // no real access pattern reaches the peak
  }
  if (floor->cost.flops > 0 && floor->rate > 0) {
    flops_share_ = floor->cost.flops / floor->rate / net_s_;
    say("compute", text("%.3g GFLOP/s of the %.3g GFLOP/s that this machine reaches",
                        floor->cost.flops / net_s_ / 1e9, floor->rate / 1e9));
    raise(compute, flops_share_ / 0.75);
  }
  // Far slower than on data that lies ready: the rest is waiting for data to arrive.
  double arriving = unit_share(1 - run_s_ / net_s_);
  double rate = floor->cost.tensor_bytes / net_s_;
  if (has("run.quiet_ns") && arriving > 0.4 && rate > 0.15 * peak_rate(peaks_, "bytes.dram", 1)) {
    raise(memory, arriving);
    say("arrival", text("%.3g us a call on data in cache, %.3g us on data that must arrive", run_s_ * 1e6,
                        net_s_ * 1e6));
  }
}

/// Of the simulation: what missed which level, and whether calls are long enough to have waited for it.
void reasoning::simulated_caches() {
  double per_second = of("cg.D1m") / run_s_, accesses = of("cg.Dr") + of("cg.Dw");
  auto latency_of = [&](const char* level, double otherwise) {
    auto at = peaks_.find(std::string{"latency."} + level);
    return at == peaks_.end() ? otherwise : at->second;
  };
  double set = work_ ? cost_of(what_, *work_, peaks_).tensor_bytes : 0;
  auto level = level_of(set, peaks_, static_cast<std::int64_t>(granted_));
  const char* next = level == "l1" || level == "l2" ? "l2" : "l3";
  double far = of("cg.LLm"), near = std::max(0.0, of("cg.D1m") - far);
  double waiting = (far * latency_of("dram", 1e-7) + near * latency_of(next, 5e-9)) / (run_s_ * cores_);
  double bandwidth = peak_rate(peaks_, std::string{"bytes."} + next, static_cast<std::int64_t>(granted_));
  double main_memory = peak_rate(peaks_, "bytes.dram", static_cast<std::int64_t>(granted_));
  double traffic = std::max(bandwidth > 0 ? per_second * line_bytes / bandwidth : 0,
                            main_memory > 0 ? far * line_bytes / run_s_ / main_memory : 0);
  if (accesses > 0)
    say("cache", text("%.1f%% of the accesses miss the first level, %.1f%% the last; %.3g GB/s of lines",
                      100 * of("cg.D1m") / accesses, 100 * far / accesses, per_second * line_bytes / 1e9));
  raise(memory, traffic / 0.7);
  // A loop whose turns wait for each other's loads cannot have them overlap, however slow a load is today.
  bool chained = has("mca.cycles") && loop_busy() < 0.2 && traffic < 0.45;
  if (waiting > 1.7 && !chained) // they overlap, and still there are too many
    raise(memory, 0.45 + 0.1 * waiting);
  else if (waiting > 0.45 && traffic < 0.45 && (!has("mca.cycles") || loop_busy() < 0.65))
    raise(latency, 0.3 + 0.6 * waiting); // a loop without a chain has its loads in flight together
  waits_for_loads_ = traffic < 0.45 ? waiting : 0;
}

/// Instructions, misses and branches, simulated or counted, against the time of a call on ready data.
void reasoning::simulated() {
  if (cycles_ <= 0 || !has("cg.Ir"))
    return;
  ++sources_;
  bool counted = of("hw.cycles") > 0 && of("hw.instructions") > 0, wide = of("insn.max_vector_bits") >= 512;
  double ipc = counted ? of("hw.instructions") / of("hw.cycles") : of("cg.Ir") / cycles_;
  // The simulator runs a build for 256 bits where the kernel has 512: up to twice the instructions.
  if (wide && !counted)
    ipc *= 0.7;
  say("instructions", text("%.2f a cycle", ipc));
  ipc_ = ipc;
  // So few are done in less than a tenth of a microsecond: what is measured is the way to them.
  if (of("cg.Ir") < few_instructions && ipc < 0.1)
    raise_overhead(0.8, "launch");
  simulated_caches();
  // Fresh data surprise the predictor; in the run on the same data it may have learnt them by heart. And the
  // simulated one is a simple one: what it gets wrong now and then, the real one gets right.
  double fresh = std::max(1.0, net_s_ / run_s_);
  double branches = of("cg.Bc") + of("cg.Bi"), missed = of("cg.Bcm") + of("cg.Bim");
  double rate = branches > 0 ? missed / branches : 0;
  double wrong = missed * mispredict_cycles / (cycles_ * fresh) * unit_share((rate - 0.03) / 0.04);
  double fetch = of("cg.I1mr") * fetch_miss_cycles / cycles_;
  if (of("hw.branch-misses") > 0 && of("hw.cycles") > 0)
    wrong = of("hw.branch-misses") * mispredict_cycles / of("hw.cycles");
  if (branches > 0)
    say("branches", text("%.1f%% mispredicted by a simple predictor, about %.0f%% of the time", 100 * rate,
                         100 * unit_share(wrong)));
  if (fetch > 0.1)
    say("code", text("%.3g instruction lines a call miss the first level, about %.0f%% of the time",
                     of("cg.I1mr"), 100 * unit_share(fetch)));
  // Who retires three a cycle and more is not short of instructions; of 512 bits two start in one, so two and a half are many.
  double many = wide && counted ? 2.2 : 3.2, few = wide && counted ? 0.8 : 1.2;
  wrong_branches_ = wrong;
  late_code_ = fetch;
  double short_of =
      (wrong + fetch > 0.2 ? 0.25 + wrong + fetch : wrong + fetch) * unit_share(many - ipc / fresh);
  raise(frontend, short_of);
  raise(compute, (ipc / fresh - few) / (many - 0.2 - few) * (1 - 0.7 * unit_share(wrong + fetch)));
}

/// The hot loop as the CPU's model sees it, with all data in the first level.
void reasoning::modelled() {
  bool large = of("hot.bytes") > 28e3; // than the first level of instructions
  if (large) {
    raise(frontend, 0.6);
    late_code_ = std::max(late_code_, 0.5);
    say("code", text("the hot loop is %.3g kB of instructions", of("hot.bytes") / 1e3));
  }
  double cycles = of("mca.cycles"), throughput = of("mca.throughput"), share = of("hot.share");
  if (cycles <= 0 || throughput <= 0 || share < 0.2)
    return;
  ++sources_;
  double busy = loop_busy();
  say("loop", text("the model of the hot loop (%.0f%% of the samples): %.3g cycles a turn, %.3g if nothing "
                   "waited for a result",
                   100 * share, cycles, throughput));
  // The model does not see misses: it speaks for what memory leaves.
  double left = (1 - 0.8 * share_[memory]) * (large ? 0.5 : 1); // nor the instructions' own misses
  if (run_s_ > 0 && net_s_ > run_s_)                            // nor what fresh data cost
    left *= run_s_ / net_s_;
  waits_for_results_ = share * (1 - busy);
  raise(latency, busy < 0.65 ? share * (1.15 - busy) * left : 0);
  // A loop whose instructions come far slower than the model's is held up by what the model does not know.
  double fits = ipc_ > 0 && of("mca.ipc") > 0 ? unit_share(ipc_ / (0.4 * of("mca.ipc"))) : 1;
  raise(compute, busy > 0.7 ? 0.75 * share * busy * left * fits : 0);
}

void reasoning::sampled() {
  if (of("share.math") > 0.3) {
    raise(compute, of("share.math"));
    say("functions", text("%.0f%% of the samples in the mathematical library", 100 * of("share.math")));
  }
  if (of("share.openmp") > 0.2)
    say("waiting", text("%.0f%% of the samples in the threads' runtime", 100 * of("share.openmp")));
}

double reasoning::confidence(part winner) const {
  double second = 0;
  for (int p = 0; p < parts; ++p)
    if (p != winner)
      second = std::max(second, share_[p]);
  double sure = 0.3 + 0.1 * std::min(sources_, 3) + 0.5 * (share_[winner] - second);
  return std::clamp(sure * unit_share(0.3 + share_[winner]), 0.05, 0.95);
}

std::string reasoning::memory_cause() const {
  constexpr double lines_wasted = 3; // so many times the bytes that must move
  double lines = of("cg.D1m") * line_bytes;
  if (moved_ > 0 && lines > lines_wasted * moved_) {
    bool indexed = std::any_of(what_.tensors.begin(), what_.tensors.end(), [](const tensor_spec& t) {
      return t.role != tensor_role::out && !is_floating(t.dtype);
    });
    if (of("cg.D1mw") > of("cg.D1mr"))
      return "strided_writes";
    if (indexed)
      return "gather";
    // Vectors one after the other miss as often as they fill a line; what misses more often steps over lines.
    double vector_lines = of("insn.max_vector_bits") / 8 / line_bytes;
    bool stepping = of("cg.D1mr") > std::max(0.25, 1.3 * vector_lines) * of("cg.Dr");
    return stepping ? "strided_reads" : "reuse";
  }
  return level_ == "l1" || level_ == "l2" ? "cache_bandwidth"
                                          : "bandwidth"; // the third is shared, as memory is
}

std::string reasoning::compute_cause() const {
  if (of("share.math") > 0.3)
    return "math_functions";
  if (!has("insn.total"))
    return {};
  return of("insn.scalar_fp") > 2 * of("insn.vector") ? "scalar_code" : "vector_units";
}

std::string reasoning::cause_of(part winner) const {
  if (!device_causes_[winner].empty())
    return device_causes_[winner];
  switch (winner) {
  case memory:
    return memory_cause();
  case compute:
    return compute_cause();
  case latency:
    return waits_for_loads_ > waits_for_results_ ? "dependent_loads" : "dependency_chain";
  case occupancy:
    return "idle_cores";
  case frontend:
    return wrong_branches_ > late_code_ ? "mispredicted_branches" : "code_size";
  default:
    return overhead_cause_;
  }
}

/// What hides the other parts takes from their shares.
void reasoning::weigh() {
  if (share_[overhead] > 0.6) { // what the kernel does inside is hardly seen
    for (int p = 0; p < parts; ++p)
      if (p != overhead)
        share_[p] *= 0.6;
  } else if (share_[occupancy] > 0.5 && bytes_share_ < 0.6) {
    // Whatever a core does, there could be more of them; a full memory bus would be another matter.
    for (auto p : {memory, compute, latency, frontend})
      share_[p] = std::min(share_[p], 0.85 * share_[occupancy]);
  } else if (share_[occupancy] > 0) {
    share_[occupancy] *= 1 - 0.6 * unit_share(bytes_share_);
  }
}

/// Which tools found nothing, and why, a line each.
std::string reasoning::lacking() const {
  std::string lines;
  const std::string_view nothing_from{finding_keys::nothing_from};
  for (const auto& [name, why] : e_.findings)
    if (name.starts_with(nothing_from))
      lines += (lines.empty() ? "" : "\n") + name.substr(nothing_from.size()) + ": " + why.substr(0, 300);
  return lines;
}

diagnosis reasoning::conclude() {
  diagnosis d;
  times();
  if (gross_s_ <= 0)
    return d;
  path();
  operators();
  units();
  device();
  roofline();
  simulated();
  sampled();
  modelled();
  threads();
  if (sources_ == 0 && share_[overhead] <= 0)
    return d;
  weigh();
  auto winner = static_cast<part>(std::max_element(share_.begin(), share_.end()) - share_.begin());
  d.bottleneck = names[winner];
  d.cause = cause_of(winner);
  d.confidence = confidence(winner);
  if (roofline_)
    d.roofline_fraction = unit_share(std::max(bytes_share_, flops_share_));
  std::string all;
  for (int p = 0; p < parts; ++p)
    all += (all.empty() ? "" : ", ") + std::string{names[p]} + text(" %.2f", share_[p]);
  d.evidence = std::move(said_);
  d.evidence["shares"] = all;
  bool outside = of("share.object", 1) < 0.7;
  for (auto key :
       {"vectorizer", "loops", "operators", "units", "device_kernels", "busiest_library", "simulation"})
    if (auto at = e_.findings.find(key);
        at != e_.findings.end() && (outside || key != std::string_view{"busiest_library"}))
      d.evidence[key] = at->second.substr(0, 400);
  if (auto lacks = lacking(); !lacks.empty())
    d.evidence[diagnosis_lacks] = lacks;
  if (work_)
    d.evidence["workload"] = work_->name;
  return d;
}

} // namespace

longest_call longest_workload(const evidence& found, const problem& what) {
  longest_call most;
  std::vector<std::vector<double>> ns(what.workloads.size());
  for (const auto& l : found.launches)
    if (l.workload < ns.size())
      ns[l.workload].insert(ns[l.workload].end(), l.candidate_ns.begin(), l.candidate_ns.end());
  double largest = -1;
  for (std::size_t w = 0; w < ns.size(); ++w) {
    double s = ns[w].empty() ? 0 : quiet(ns[w]) * 1e-9;
    if (s > 0) {
      auto calls = found.counters.find(counter_keys::calls_per_order_of + what.workloads[w].name);
      s -= found.floor_ns * 1e-9 / (calls == found.counters.end() ? 1 : std::max(1.0, calls->second));
    }
    double size =
        ns[w].empty() ? cost_of(what, what.workloads[w], {}).tensor_bytes * 1e-18 : std::max(s, 1e-9);
    if (what.workloads[w].held_out && ns[w].empty())
      size = 0;
    if (size > largest) {
      largest = size;
      most = {static_cast<std::uint32_t>(w), std::max(0.0, s)};
    }
  }
  return most;
}

diagnosis diagnose(const evidence& found, const problem& what) {
  return reasoning{found, what}.conclude();
}

} // namespace ke
