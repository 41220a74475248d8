#include "interface/cli/named_problem.hpp"

#include "backends/evaluation/backend.hpp"
#include "config/problem_file.hpp"

#include <iostream>
#include <utility>

namespace ke::cli {

std::optional<problem> named_problem(const std::string& path) {
  auto loaded = load_problem(path);
  for (const auto& e : loaded.errors)
    std::cerr << to_line(e) << '\n';
  return loaded.errors.empty() ? std::optional{std::move(loaded.problem)} : std::nullopt;
}

std::string backend_for(const problem& what, const std::string& named) {
  if (!named.empty())
    return named;
  auto all = load_backends(built_in_backends(), {});
  return all ? usual_backend(*all, what.reference_language) : named;
}

} // namespace ke::cli
