#include "runtime/playbook/playbook.hpp"

#include "runtime/playbook/plan/points.hpp"
#include "runtime/text/source_text.hpp"

#include <exception>
#include <unordered_set>

namespace ke {
namespace {

using namespace playbook;

std::string refusal(const std::string& why) {
  return "The playbook has no answer: " + why + ".\n";
}

std::vector<point> points_for(const task& t, const understood_kernel& u) {
  if (t.operation == "improve" && t.parent && !t.parent->plan.empty())
    return improvements(t, u, *t.parent);
  if (t.operation == "fix" && t.parent)
    return simplifications(t, u, *t.parent);
  return drafts(t, u);
}

/// The answer with the first point of a list whose source was not tried, after `ahead` different ones. Empty: there
/// is none.
std::string first_untried(const task& t, const understood_kernel& u, const std::vector<point>& list,
                          const std::unordered_set<std::string>& tried, std::int64_t ahead) {
  std::unordered_set<std::string> seen;
  for (const auto& p : list) {
    auto source = render(t, u, p);
    if (source.empty())
      continue;
    auto digest = source_digest(source, source_language::cpp);
    if (!seen.insert(digest).second || ahead-- > 0)
      continue;
    if (!tried.count(digest))
      return rationale(t, p) + "\n\n```cpp\n" + source + "```\n";
  }
  return {};
}

std::string answer(std::string_view prompt) {
  auto reading = read_task(prompt);
  if (!reading.found)
    return refusal(reading.why);
  const auto& t = *reading.found;
  if (t.backend != "cpu-cpp" && t.backend != "riscv-v")
    return refusal("it writes C++ for cpu-cpp only, and the target's backend is `" + t.backend + "`");
  auto u = understand(t);
  if (!u.found)
    return refusal(u.why);
  auto points = points_for(t, *u.found);
  std::unordered_set<std::string> tried(t.tried.begin(), t.tried.end());
  // Drafts are asked for side by side, before any is in `tried`: the number keeps them apart.
  auto skip = t.operation == "draft" ? std::max<std::int64_t>(0, t.draft) : 0;
  auto pass = [&](const std::vector<point>& list, std::int64_t ahead) {
    return first_untried(t, *u.found, list, tried, ahead);
  };
  if (auto text = pass(points, skip); !text.empty())
    return text;
  // Past the list: what earlier drafts left untried, then the neighbours of the drafts.
  if (skip > 0)
    if (auto text = pass(points, 0); !text.empty() && !t.tried.empty())
      return text;
  auto first = drafts(t, *u.found);
  for (const auto& from : first)
    if (auto text = pass(improvements(t, *u.found, from),
                         t.operation == "draft"
                             ? std::max<std::int64_t>(0, skip - static_cast<std::int64_t>(first.size()))
                             : 0);
        !text.empty())
      return text;
  return refusal("every point of its space was tried");
}

} // namespace

std::string playbook_answer(std::string_view prompt_text) {
  try {
    return answer(prompt_text);
  } catch (const std::exception& error) {
    return refusal(error.what());
  }
}

} // namespace ke
