#include "backends/device_compiler/device_compile.hpp"

#include "backends/device_compiler/cubin.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

namespace ke {

/// device_types.h, embedded by the build.
extern const std::string_view device_types;

namespace {

constexpr auto check_name = "launch declaration"; ///< the file of our own lines behind a candidate's
constexpr int first_with_own_features = 90;       ///< sm_90a: what later devices do not run

/// The standard headers that sources name although NVRTC has none. CUDA's own are files, where they are there.
std::vector<std::pair<std::string, std::string>> own_headers(bool cuda_headers) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* name : {"stdint.h", "cstdint", "inttypes.h", "cinttypes", "stddef.h", "cstddef", "math.h",
                           "cmath",    "float.h", "cfloat",     "limits.h",  "climits",  "stdio.h", "cstdio",
                           "stdlib.h", "cstdlib", "string.h",   "cstring",   "assert.h", "cassert"})
    all.emplace_back(name, device_types);
  if (!cuda_headers)
    for (const char* name : {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h"})
      all.emplace_back(name, device_types);
  return all;
}

std::size_t count_of(const std::string& arguments) {
  return arguments.empty()
             ? 0
             : 1 + static_cast<std::size_t>(std::count(arguments.begin(), arguments.end(), ','));
}

/// Lines behind the source by which the compiler itself counts each entry's parameters.
std::string parameter_checks(const device_source& s, const std::vector<placed_launch>& launches) {
  if (s.arguments.empty())
    return {};
  std::string text = "\n#line 1 \"" + std::string{check_name} +
                     "\"\nnamespace ke_launch { template <class F> struct parameters_of; "
                     "template <class... P> struct parameters_of<void(P...)> { static constexpr int count = "
                     "sizeof...(P); }; }\n";
  std::set<std::string> done;
  auto n = std::to_string(count_of(s.arguments));
  for (const auto& p : launches)
    if (done.insert(p.launch.entry).second)
      text += "static_assert(ke_launch::parameters_of<decltype(" + p.launch.entry + ")>::count == " + n +
              ", \"" + p.launch.entry + " must take these " + n + " arguments: " + s.arguments + "\");\n";
  return text;
}

std::string error_line(const device_source& s, const placed_launch& at, const std::string& text) {
  return s.name + "(" + std::to_string(at.line) + "): error: " + text;
}

/// Why an entry that is declared can't be launched.
std::string without_entry(const device_source& s, const placed_launch& p,
                          const std::vector<std::string>& there) {
  std::string names;
  for (const auto& name : there)
    names += (names.empty() ? "" : ", ") + name;
  return error_line(s, p,
                    "launch.entry: no extern \"C\" __global__ function is called \"" + p.launch.entry + "\"" +
                        (names.empty() ? "" : "; the compiled code has " + names));
}

/// The entries whose number of arguments the compiler found wrong.
std::string miscounted(const device_source& s, const std::vector<placed_launch>& launches,
                       const std::string& log) {
  auto n = std::to_string(count_of(s.arguments));
  std::string lines;
  for (const auto& p : launches)
    if (auto text = p.launch.entry + " must take these " + n + " arguments: " + s.arguments;
        log.find("static assertion failed with \"" + text) != log.npos)
      lines += (lines.empty() ? "" : "\n") + error_line(s, p, "launch.entry: " + text);
  return lines;
}

std::vector<std::string> options_of(const device_source& s, const std::string& arch) {
  std::vector<std::string> options{"--gpu-architecture=" + arch, "--ptxas-options=-v"};
  for (const auto& folder : s.includes)
    options.push_back("-I" + folder);
  options.insert(options.end(), s.options.begin(), s.options.end());
  return options;
}

} // namespace

result<std::string> compiled_arch(const std::string& arch, const std::vector<int>& known) {
  int number = 0;
  std::string names;
  for (int k : known)
    names += (names.empty() ? "sm_" : ", sm_") + std::to_string(k);
  bool whole = false;
  if (arch.starts_with("sm_")) {
    auto [end, error] = std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
    whole = error == std::errc{} && end == arch.data() + arch.size();
  }
  if (!whole || std::find(known.begin(), known.end(), number) == known.end())
    return failure{failure_kind::missing, "this NVRTC does not compile for \"" + arch + "\"; it knows " +
                                              names + ": install a version that fits the device"};
  return arch + (number >= first_with_own_features ? "a" : "");
}

result<device_object> compile_device_code(const device_source& s, const nvrtc& compiler) {
  auto launches = read_launches(s.text, s.name, s.shapes);
  if (!launches)
    return launches.error();
  auto arch = compiled_arch(s.arch, compiler.architectures());
  if (!arch)
    return arch.error();
  auto compiled = [&](const std::string& checks) {
    return compiler.compile(s.text + checks, s.name, own_headers(!s.includes.empty()), options_of(s, *arch));
  };
  auto made = compiled(parameter_checks(s, *launches));
  std::string wrong;
  if (made && !made->compiled && made->log.find(check_name) != std::string::npos) {
    wrong = miscounted(s, *launches, made->log); // its own errors, without what they make of our lines
    made = compiled({});
  }
  if (!made)
    return made.error();
  if (!made->compiled)
    return failure{failure_kind::invalid,
                   made->log.empty() ? s.name + "(1): error: NVRTC does not compile it, and does not say why"
                                     : made->log};
  auto entries = entries_of(made->cubin);
  for (const auto& p : *launches)
    if (std::find(entries.begin(), entries.end(), p.launch.entry) == entries.end())
      return failure{failure_kind::invalid, without_entry(s, p, entries)};
  if (!wrong.empty())
    return failure{failure_kind::invalid, wrong};
  device_object object{s.arch, {}, std::move(made->cubin), std::move(made->log), std::move(made->ptx)};
  for (auto& p : *launches)
    object.launches.push_back(std::move(p.launch));
  return object;
}

} // namespace ke
