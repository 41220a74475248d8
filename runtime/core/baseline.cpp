#include "runtime/core/baseline.hpp"

#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr std::string_view compiled_name = "torch.compile";
constexpr std::string_view mark = "baseline:"; ///< no initialiser's name: those end in .npy

auto entry_of(const problem& what) {
  return std::find_if(what.files.begin(), what.files.end(),
                      [](const auto& f) { return f.first.starts_with(mark) && !f.first.ends_with(".npy"); });
}

} // namespace

void set_baseline(problem& what, const baseline& b) {
  what = without_baseline(std::move(what));
  what.files[std::string{mark} + b.name] = b.source;
}

std::optional<baseline> baseline_of(const problem& what) {
  auto found = entry_of(what);
  if (found == what.files.end())
    return std::nullopt;
  return baseline{found->first.substr(mark.size()), found->second};
}

problem without_baseline(problem what) {
  for (auto found = entry_of(what); found != what.files.end(); found = entry_of(what))
    what.files.erase(found);
  return what;
}

std::string baseline_name(const problem& what) {
  auto b = baseline_of(what);
  return b ? b->name : "reference";
}

status baseline_agrees(const goal_settings& goal, const problem& what) {
  auto kind = to_text(goal.baseline);
  auto b = baseline_of(what);
  auto named = goal.baseline == baseline_kind::file        ? b && b->name.starts_with(kind)
               : goal.baseline == baseline_kind::reference ? !b
               : goal.baseline == baseline_kind::compile   ? b && b->name == compiled_name
                                                           : b && b->name == kind;
  auto whole = !b || (goal.baseline == baseline_kind::eager) == b->source.empty();
  if (named && whole)
    return ok;
  return failure{failure_kind::invalid, "[goal] baseline = \"" + std::string{kind} +
                                            "\", but the problem carries " +
                                            (b ? "the baseline \"" + b->name + "\"" : "no baseline") +
                                            "; hand the campaign in with this version's `submit`"};
}

baseline compiled_reference(const problem& what) {
  auto numbers_vary = std::any_of(what.scalars.begin(), what.scalars.end(),
                                  [](const scalar_spec& s) { return !s.range.empty(); });
  auto own_shapes = numbers_vary ? "" : ", dynamic=False";
  auto kernelbench = what.tensors.empty();
  auto text = what.reference;
  if (!text.ends_with('\n'))
    text += '\n';
  // At the end, so that the reference's own lines keep their numbers and its imports from __future__ stay
  // first.
  text +=
      "\n\n# What candidates are compared with: the same through torch.compile.\nimport torch as _torch\n\n";
  text += kernelbench ? "\ndef ModelNew(*arguments):\n    return _torch.compile(Model(*arguments)"
                      : "kernel = _torch.compile(reference";
  text += own_shapes;
  text += ")\n";
  return {std::string{compiled_name}, text};
}

bool is_compiled(const std::optional<baseline>& b) {
  return b && b->name == compiled_name;
}

std::string baseline_lacks(const goal_settings& goal, const problem& what) {
  auto python = what.reference_language == "python";
  if (goal.baseline == baseline_kind::eager && !python)
    return "\"eager\" is a reference in Python as PyTorch runs it; problem " + what.name +
           " has one in C++: use \"reference\", \"best-known\" or \"file:PATH\"";
  if (goal.baseline == baseline_kind::compile && !python)
    return "\"compile\" is a reference in Python through torch.compile; problem " + what.name +
           " has one in C++: use \"reference\", \"best-known\" or \"file:PATH\"";
  return {};
}

} // namespace ke
