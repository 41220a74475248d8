#include "backends/evaluation/compiler_crash.hpp"

#include "backends/evaluation/kernel_builder.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace ke {
namespace {

/// The line by which a compiler tells that it, or a program of its own, has crashed; empty: none.
std::string crash_line(const std::string& text) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    auto says = [&](const char* words) { return line.find(words) != std::string::npos; };
    // By its place in the line: a source that is quoted, or the text of a #error, says such words elsewhere.
    auto internal = line.find("internal compiler error: ");
    bool of_front_end = internal != std::string::npos && line.find(' ') + 1 == internal;
    bool of_driver = line.find(": fatal error: ") == line.find(':') || line.starts_with("clang");
    if (of_front_end || (of_driver && says("clang frontend command failed")) ||
        (of_driver && says("signal terminated program cc1") && !says("time limit") && !says("size limit")))
      return line.substr(0, 400);
  }
  return {};
}

} // namespace

std::string compiler_crash(const process_exit& exit, const job_limits& limits, const problem& what) {
  if (exit.why.kind != failure_kind::none || exit.cancelled || (exit.code == 0 && !exit.timed_out))
    return {};
  auto words = build_failure(exit, limits, what);
  constexpr int of_time = 24, of_size = 25; // SIGXCPU, SIGXFSZ: limits
  // A launcher tells the signal that has ended its child as 128 more.
  int signal = exit.signal ? exit.signal : exit.code > 128 && exit.code < 128 + 65 ? exit.code - 128 : 0;
  if (exit.timed_out || signal == of_time)
    return words;
  if (auto line = crash_line(exit.err); !line.empty())
    return line;
  bool limit = signal == of_size || words.find("memory limit") != std::string::npos;
  return signal && !limit ? "killed by signal " + std::to_string(signal) : std::string{};
}

std::string compiler_name(const std::vector<std::string>& command) {
  return command.empty() ? std::string{} : std::filesystem::path{command.front()}.filename().string();
}

std::string second_compiler_lacks(const backend& with) {
  if (with.second_build.empty() || is_installed(with.second_build.front()))
    return {};
  return "no second compiler is here to try it: " +
         (with.second_hint.empty() ? "install " + with.second_build.front() : with.second_hint);
}

} // namespace ke
