#include "knowledge/prompt/prompt_budget.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ke {

std::uint64_t token_estimate(std::size_t bytes) {
  return (bytes + bytes_of_token_estimate - 1) / bytes_of_token_estimate;
}

prompt fit_prompt(std::vector<weighed_section> sections, std::uint64_t budget) {
  std::uint64_t total = 0;
  for (const auto& s : sections)
    total += token_estimate(s.what.text.size());
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](auto i) { return sections[i].required; });
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    const auto &x = sections[a], &y = sections[b];
    if (x.value != y.value)
      return x.value < y.value;
    return x.what.text.size() != y.what.text.size() ? x.what.text.size() > y.what.text.size() : a > b;
  });
  std::vector<bool> out(sections.size(), false);
  for (auto i : order) {
    if (budget == 0 || total <= budget)
      break;
    out[i] = true;
    total -= token_estimate(sections[i].what.text.size());
  }
  prompt p;
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (out[i])
      p.dropped.push_back(std::move(sections[i].what.name));
    else
      p.sections.push_back(std::move(sections[i].what));
  return p;
}

} // namespace ke
