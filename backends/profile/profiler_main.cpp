// ke-profiler: looks closer at a judged candidate. Trusted; what it starts on the candidate is sandboxed, and
// ends with it.
//   ke-profiler              reads a packed profile_task on stdin, writes a packed profile_result to stdout
//   ke-profiler trace        reads the same; calls its instrumented object once and writes what that printed
//   ke-profiler under WORDS  reads the same; calls the candidate under a tool of these words and writes what that printed
//   ke-profiler check WORDS  reads the same; looks for faults of it with such a tool, writes a packed profile_result
//   ke-profiler ticks IN OUT puts time stamps at the loops of a module of LLVM IR; runs in a sandbox itself,
//                            for the module is a candidate's
#include "backends/evidence/profile_task.hpp"
#include "backends/profile/finalist_check.hpp"
#include "backends/profile/loop_ticks.hpp"
#include "backends/profile/profiler.hpp"
#include "backends/profile/tool_call.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/process/process_service.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr std::size_t most_ir = 32u << 20;

int put_ticks(const std::string& from, const std::string& to) {
  std::ifstream in{from, std::ios::binary};
  std::string ir{std::istreambuf_iterator<char>{in}, {}};
  if (!in.eof() && !in.good()) {
    std::cerr << "ke-profiler: " << from << " can't be read\n";
    return 3;
  }
  if (ir.size() > most_ir) {
    std::cerr << "ke-profiler: " << from << " is too long for time stamps\n";
    return 1;
  }
  auto module = ke::insert_ticks(ir);
  if (module.loops.empty()) {
    std::cerr << "ke-profiler: there is no loop in " << from << '\n';
    return 1;
  }
  std::ofstream out{to, std::ios::binary};
  out << module.text;
  return out.flush() ? 0 : 3;
}

ke::result<std::string> told_by_tool(const ke::profile_task& task, bool checks,
                                     const std::vector<std::string>& tool, ke::process_port& processes) {
  if (!checks)
    return ke::call_under(task, tool, processes);
  auto seen = ke::check_finalist(task, tool, processes);
  return seen ? ke::result<std::string>{ke::pack(*seen)} : seen.error();
}

} // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "ticks")
    std::_Exit(put_ticks(words[1], words[2])); // a sanitizer's last look for leaks can't work in a sandbox
  bool traces = words == std::vector<std::string>{"trace"};
  bool under = words.size() > 1 && words.front() == "under",
       checks = words.size() > 1 && words.front() == "check";
  if (!traces && !under && !checks && !words.empty()) {
    std::cerr << "ke-profiler: nothing, trace, under TOOL..., check TOOL..., or ticks IN OUT\n";
    return 2;
  }
  std::string bytes{std::istreambuf_iterator<char>{std::cin}, {}};
  auto task = ke::unpack<ke::profile_task>(bytes, {std::size_t{1} << 30, std::size_t{1} << 24, 32});
  if (!task) {
    std::cerr << "ke-profiler: the task on stdin is not readable: " << task.error().text << '\n';
    return 2;
  }
  std::string said;
  try {
    ke::process_service processes;
    if (under || checks) {
      auto told = told_by_tool(*task, checks, {words.begin() + 1, words.end()}, processes);
      if (!told) {
        std::cerr << told.error().text << '\n';
        return 1;
      }
      said = *std::move(told);
    } else {
      said = traces ? ke::call_instrumented(*task, processes) : ke::pack(ke::profile(*task, processes));
    }
  } catch (const std::exception& e) {
    std::cerr << "ke-profiler: " << e.what() << '\n';
    return 4;
  }
  return std::fwrite(said.data(), 1, said.size(), stdout) == said.size() && std::fflush(stdout) == 0 ? 0 : 3;
}
