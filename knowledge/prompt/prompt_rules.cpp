#include "knowledge/prompt/prompt_parts.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/problem.hpp"

#include "knowledge/prompt/promised.hpp"
#include "knowledge/prompt/quote.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/text/candidate_language.hpp"
#include "runtime/text/filled_text.hpp"
#include "runtime/text/source_template.hpp"
#include "runtime/text/source_tokens.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace ke {

/// answer_forms.md and template_form.md, embedded by the build: what an answer may look like.
extern const std::string_view answer_forms, template_form;

namespace {

/// Whether a tensor is drawn beyond what its `init` says: a KernelBench file names no tensor.
bool drawn_freely(const tensor_spec& t) {
  return t.role != tensor_role::out && t.range.empty() && !t.promised && !is_form(t.init);
}

/// What the judge tries besides random inputs (docs/manual/trust.md, "Edges").
std::string edges(const problem& p) {
  if (!p.generator.empty())
    return "Inputs are made by the problem's generator (below), and no others are tried.\n";
  auto any = [&](auto&& what) {
    return p.tensors.empty() || std::any_of(p.tensors.begin(), p.tensors.end(), what);
  };
  if (!any([](const auto& t) { return drawn_freely(t) && is_floating(t.dtype); }))
    return any([](const auto& t) { return drawn_freely(t) && t.dtype != dtype::boolean; })
               ? "Integers of all magnitudes of their types are tried.\n"
               : "";
  // Only these are bent; other floating tensors are drawn wide.
  bool bent = any([](const auto& t) {
    return drawn_freely(t) && is_floating(t.dtype) && (t.init == "normal" || t.init == "uniform");
  });
  std::string text = "Inputs of large, tiny and very unequal size";
  if (!bent)
    return text + " are tried.\n";
  text += ", with equal values and with a large common offset are tried";
  if (p.policy.fast_math)
    return text + ".\n";
  // A transform carries values that are not finite into outputs that do not depend on them.
  return text +
         (p.tensor_scale ? ", and subnormal numbers and zeros of both signs"
                         : ", and NaN, infinities, subnormal numbers and zeros of both signs") +
         ": where the reference stands by its result, yours must agree.\n";
}

/// What the judge varies of a KernelBench file beyond what it draws.
std::string varied(const problem& p) {
  return is_python(p) && p.tensors.empty()
             ? "Parameters that the constructor fills with one number (ones, zeros) have other numbers when "
               "you are "
               "called, in whatever way you make them as nn.Parameter with that many elements and that "
               "number: use "
               "them. Inputs have both signs and masks any pattern where the reference takes them.\n"
             : "";
}

/// Whether an output is of floating numbers (`real`) or of integers, and the problem gives no tolerance.
bool without_own(const problem& p, bool real) {
  if (p.tensors.empty()) // a KernelBench file names no tensor
    return real;
  return std::any_of(p.tensors.begin(), p.tensors.end(), [&](const auto& t) {
    return t.role != tensor_role::in && is_floating(t.dtype) == real &&
           !p.tolerances.contains(std::string{to_text(t.dtype)});
  });
}

/// Whether an output of eight bits has no tolerance of its own.
bool rounds_to_float8(const problem& p) {
  return std::any_of(p.tensors.begin(), p.tensors.end(), [&](const auto& t) {
    return t.role != tensor_role::in && is_float8(t.dtype) &&
           !p.tolerances.contains(std::string{to_text(t.dtype)});
  });
}

/// The rule of all types for which the problem gives no tolerance of its own.
std::string scaled(const problem& p) {
  std::string exact = without_own(p, false) ? "Integers must be the reference's, every one.\n" : "";
  if (rounds_to_float8(p))
    exact += "A result in eight bits must be rounded to nearest: truncation is not within the tolerance.\n";
  if (!without_own(p, true))
    return exact;
  if (p.tensor_scale)
    return exact +
           "An error is measured against the largest element of its output tensor, so transforms (FFT, "
           "Winograd) are allowed; lower precision and left-out terms are not.\n";
  return exact +
         "An error is measured against its own element and the terms behind it: sums in any order are within "
         "the tolerance, transforms that err against the largest output (FFT, Winograd) and lower precision "
         "are not.\n";
}

/// The problem's own tolerances of its outputs, and whether each has one.
std::pair<std::string, bool> own_tolerances(const problem& p) {
  std::string text;
  bool all = true;
  std::set<dtype> told;
  for (const auto& t : p.tensors) {
    if (t.role == tensor_role::in || !told.insert(t.dtype).second)
      continue;
    auto own = p.tolerances.find(std::string{to_text(t.dtype)});
    if (own == p.tolerances.end()) {
      all = false;
      continue;
    }
    text += "An element in " + own->first + " may differ from the right value by " +
            exact_number(own->second.rtol) +
            (p.tensor_scale ? " of the largest one's size" : " of its size") + " plus " +
            exact_number(own->second.atol) + ".\n";
  }
  return {text, all && !told.empty()}; // a KernelBench file names no tensor
}

/// Which errors are allowed: whether a transform is worth the trouble depends on it.
std::string tolerated(const problem& p) {
  if (p.bitwise)
    return "Every bit of the results must be the reference's.\n";
  auto [own, all] = own_tolerances(p);
  return all ? own : own + scaled(p);
}

bool has_held_out(const problem& p) {
  return std::any_of(p.workloads.begin(), p.workloads.end(), [](const auto& w) { return w.held_out; });
}

/// What the goal makes of the times; `p` carries what they are compared with.
std::string compared(const problem& p, double floor) {
  auto b = baseline_of(p);
  auto with = !b                        ? std::string{"the reference"}
              : b->name == "eager"      ? std::string{"the reference as PyTorch runs it"}
              : b->name == "best-known" ? std::string{"the best solution that is known so far (not shown)"}
                                        : in_line(b->name) + ", which is in use now (not shown)";
  auto text =
      "Your kernel is timed against " + with +
      ", in pairs of calls on the same inputs; what counts is the geometric mean of the speedups over "
      "the workloads, by their weights.";
  if (floor > 0)
    text += " None of them" +
            std::string{has_held_out(p) ? ", nor of the ones that are kept back for the claim," : ""} +
            " may run at less than " + short_number(floor) + " of the speed of " +
            (b ? "that" : "the reference") + "; other shapes are checked, not timed.";
  return text + "\n";
}

/// Which of the inputs are near when a call begins.
std::string arriving_on_device(const problem& p) {
  return p.policy.cold_cache ? ""
                             : ": each call has tensors of its own, and of those only what was written last "
                               "is still in L2, so "
                               "large ones come from memory";
}

/// What a call costs beside the device's work. The figures: measured on an H200.
std::string timed_on_device(const problem& p) {
  return p.policy.graph_launch ? " What is timed is the device's work: calls are replayed as a CUDA graph, "
                                 "so host code counts for "
                                 "nothing, and it must be such that it can be captured (no synchronisation, "
                                 "no value read from the device)."
                               : " What is timed are calls with their host code: a launch of Triton takes "
                                 "some 18 us of it, an operator "
                                 "of PyTorch 9, so the time of a short kernel is that of its host code.";
}

} // namespace

bool is_device(const device_info& target) {
  return target.facts.contains(device_facts::uuid) || target.facts.contains(device_facts::execution);
}

std::string task_part(const prompt_request& r) {
  const auto& p = *r.problem;
  auto python = is_python(p);
  // Of the host's threads; what declares its own launch is code of a device.
  auto on_host = r.language->prototype.empty();
  auto on_device = on_host && is_device(*r.target);
  std::string text = "\n## Task\nWrite a faster implementation of this operator. " +
                     definition_of(p, *r.language) + "Policy: " +
                     (on_device ? std::string{"the work is done on the device"}
                      : on_host ? "at most " + std::to_string(p.policy.threads) + " thread(s)"
                                : std::string{"device code alone"});
  if (p.policy.threads > 1 && !python && on_host)
    text += " (they may stay between calls, asleep, and wait for each other by locks, condition variables, "
            "atomics, barriers and latches)";
  if (!p.policy.vendor_libraries)
    text +=
        python ? ", no call of PyTorch that does most of the work by itself (softmax, a norm, attention, "
                 "a loss, an activation, convolution, pooling) unless the reference calls it: products, sums "
                 "and functions of single elements are yours to use; no other processes, files or network"
               : ", no vendor libraries, no other processes, files or network";
  if (!p.policy.fast_math)
    text += r.language->syntax.family == source_language::cpp && on_host
                ? ", results within the tolerance (no -ffast-math)"
                : ", results within the tolerance";
  return text + ". Time counts with " + (p.policy.cold_cache ? "cold" : "hot") + " caches" +
         (on_device ? arriving_on_device(p) : "") + "." + (on_device ? timed_on_device(p) : "") + "\n" +
         compared(p, r.floor) + tolerated(p) + edges(p) + varied(p);
}

std::string target_part(const prompt_request& r) {
  const std::pair<const char*, const char*> told[] = {
      {"model", "processor"},
      {"arch", "architecture"},
      {"isa", "instruction sets"},
      {device_facts::cores, is_device(*r.target) ? "SMs" : "cores"},
      {"l1d", "L1 data cache"},
      {"l2", "L2 cache"},
      {"l3", "L3 cache"},
      {"compiler", "compiler"},
      {"flags", "compiler flags"},
      {"execution", "candidates are"},
      {"python", "Python"},
      {"torch", "PyTorch"},
      {device_facts::most_clock, "clock"},
      {"memory", "memory"},
      {device_facts::memory_rate, "memory's bandwidth"},
      {device_facts::processor_shared, "shared memory per SM"},
      {device_facts::processor_registers, "registers per SM"},
      {device_facts::processor_threads, "threads per SM"}};
  auto text = "\n## Target\n" + r.target->name + ", backend " + r.target->backend + ".\n";
  for (auto [key, words] : told)
    if (auto f = r.target->facts.find(key); f != r.target->facts.end() && !f->second.empty())
      text += "- " + std::string{words} + ": " + f->second.substr(0, 300) + "\n";
  return text;
}

std::string constraints_part(const prompt_request& r) {
  std::string text;
  for (const auto& c : r.constraints)
    text += "- " + c.title + ". " + *c.text + "\n";
  return text.empty() ? text : "\n## Rules\n" + text;
}

std::string answer_part(const prompt_request& r) {
  const auto& syntax = r.language->syntax;
  auto parts = syntax.family == source_language::cpp      ? " (includes too)"
               : syntax.family == source_language::python ? " (imports too)"
                                                          : "";
  auto with_template = syntax.constant.empty()
                           ? std::string{}
                           : filled_text(template_form, {{"comment", syntax.comments.front()},
                                                         {"constant", constant_line(syntax, "NAME", "8")}});
  return "\n" + filled_text(answer_forms, {{"parts", parts},
                                           {"fence", r.language->fence()},
                                           {"candidates", std::to_string(most_candidates_of_answer)},
                                           {"template", with_template},
                                           {"kib", std::to_string(r.language->source_bytes >> 10)}});
}

} // namespace ke
