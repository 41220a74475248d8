#include "runtime/core/baseline.hpp"

#include <algorithm>

namespace ke {
namespace {

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
                                                           : b && b->name == kind;
  auto whole = !b || (goal.baseline == baseline_kind::eager) == b->source.empty();
  if (named && whole)
    return ok;
  return failure{failure_kind::invalid, "[goal] baseline = \"" + std::string{kind} +
                                            "\", but the problem carries " +
                                            (b ? "the baseline \"" + b->name + "\"" : "no baseline") +
                                            "; hand the campaign in with this version's `submit`"};
}

std::string baseline_lacks(const goal_settings& goal, const problem& what) {
  auto python = what.reference_language == "python";
  if (goal.baseline == baseline_kind::eager && !python)
    return "\"eager\" is a reference in Python as PyTorch runs it; problem " + what.name +
           " has one in C++: use \"reference\", \"best-known\" or \"file:PATH\"";
  if (goal.baseline == baseline_kind::compile)
    return python ? "torch.compile compiles in the first call of each launch, which takes longer than a call "
                    "may: use \"eager\", or \"file:PATH\" with a backend whose call_s allows it"
                  : "\"compile\" is a reference in Python through torch.compile; problem " + what.name +
                        " has one in C++: use \"reference\", \"best-known\" or \"file:PATH\"";
  return {};
}

} // namespace ke
