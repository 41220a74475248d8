#include "backends/evaluation/nesting_python.hpp"

#include "runtime/process/bubblewrap.hpp"
#include "runtime/process/seccomp_filter.hpp"
#include "runtime/process/unique_fd.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ke {
namespace fs = std::filesystem;
namespace {

constexpr int filter_fd = 4, second_filter_fd = 5; ///< as fork_server.py and compile.py know them

bool under(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

} // namespace

std::vector<fs::path> python_homes(const fs::path& program) {
  std::vector<fs::path> homes;
  std::error_code error;
  auto add = [&](const fs::path& folder) {
    auto real = fs::canonical(folder, error);
    if (!error && !under(real, "/usr"))
      homes.push_back(folder);
  };
  auto environment = fs::absolute(program).parent_path().parent_path();
  if (fs::exists(environment / "pyvenv.cfg", error))
    add(environment);
  auto real = fs::canonical(program, error);
  if (!error)
    add(real.parent_path().parent_path());
  return homes;
}

std::string fork_mode(sandbox_level level) {
  return !has_launcher(level) ? "open" : nested_users() ? "users" : "boxed";
}

std::string fork_limits(const sandbox_spec& box, std::uint64_t descriptors, std::uint64_t memory_bytes,
                        std::uint64_t inodes) {
  std::string how = fork_mode(box.level);
  for (auto number : {std::uint64_t{next_outer_user().value_or(0)}, std::uint64_t{box.processes}, descriptors,
                      memory_bytes, box.scratch_bytes, inodes})
    how += ' ' + std::to_string(number);
  return how;
}

result<process_spec> nesting_python(process_spec inner, sandbox_spec box,
                                    const std::vector<fs::path>& shows) {
  box.nests = true;
  if (!has_launcher(box.level))
    return sandboxed(std::move(inner), box);
  auto filter = seccomp_filter();
  if (!filter)
    return filter.error();
  auto second = kernel_filter(kernel_stage::interpreting);
  if (!second)
    return second.error();
  inner.pass_fds.emplace_back(filter->get(), filter_fd);
  inner.pass_fds.emplace_back(second->get(), second_filter_fd);
  auto all = python_homes(inner.argv.front());
  all.insert(all.end(), shows.begin(), shows.end());
  for (const auto& path : all)
    box.read_only.emplace_back(path.string(), path.string());
  inner.keeps = std::make_shared<std::pair<std::shared_ptr<void>, std::pair<unique_fd, unique_fd>>>(
      std::move(inner.keeps), std::pair{*std::move(filter), *std::move(second)});
  return sandboxed(std::move(inner), box);
}

} // namespace ke
