#include "backends/judge/drivers/launch_values.hpp"

#include "runtime/text/expression.hpp"

#include <string_view>

namespace ke {
namespace {

constexpr std::int64_t most_grid[] = {2147483647, 65535, 65535}, most_block[] = {1024, 1024, 64};
constexpr std::int64_t most_threads = 1024, most_shared = 1 << 20;

failure wrong(const declared_launch& l, const std::string& what) {
  return {failure_kind::invalid, "launch of " + l.entry + ": " + what, false};
}

result<std::int64_t> value_of(const declared_launch& l, std::string_view of, const std::string& expression,
                              std::int64_t most, const std::map<std::string, std::int64_t>& symbols) {
  auto value = integer_value(expression, symbols);
  if (!value)
    return wrong(l, std::string{of} + " = \"" + expression + "\": " + value.error().text);
  if (*value < 0 || *value > most)
    return wrong(l, std::string{of} + " = \"" + expression + "\" is " + std::to_string(*value) +
                        " here; a device takes 0 to " + std::to_string(most));
  return *value;
}

status add_extents(const declared_launch& l, std::string_view of, const std::vector<std::string>& expressions,
                   const std::int64_t (&most)[3], const std::map<std::string, std::int64_t>& symbols,
                   std::vector<std::uint64_t>& to) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::int64_t n = 1;
    if (axis < expressions.size()) {
      auto value = value_of(l, of, expressions[axis], most[axis], symbols);
      if (!value)
        return value.error();
      n = *value;
    }
    to.push_back(static_cast<std::uint64_t>(n));
  }
  return ok;
}

} // namespace

result<std::vector<std::uint64_t>> launch_values(const std::vector<declared_launch>& launches,
                                                 const std::map<std::string, std::int64_t>& symbols) {
  std::vector<std::uint64_t> values;
  for (const auto& l : launches) {
    if (auto grid = add_extents(l, "grid", l.grid, most_grid, symbols, values); !grid)
      return grid.error();
    if (auto block = add_extents(l, "block", l.block, most_block, symbols, values); !block)
      return block.error();
    auto threads = values[values.size() - 1] * values[values.size() - 2] * values[values.size() - 3];
    if (threads > most_threads)
      return wrong(l, std::to_string(threads) + " threads in a block; a device takes " +
                          std::to_string(most_threads));
    auto shared = value_of(l, "shared", l.shared, most_shared, symbols);
    if (!shared)
      return shared.error();
    values.push_back(static_cast<std::uint64_t>(*shared));
  }
  return values;
}

} // namespace ke
