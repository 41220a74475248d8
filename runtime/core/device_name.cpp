#include "runtime/core/device_name.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace ke {
namespace {

constexpr char numbered = '#';

} // namespace

std::string kind_of_device(std::string_view name) {
  auto at = name.rfind(numbered);
  bool counts = at != name.npos && at + 1 < name.size() &&
                std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at) + 1, name.end(),
                            [](char c) { return c >= '0' && c <= '9'; });
  return std::string{counts ? name.substr(0, at) : name};
}

std::string device_name(std::string_view kind, std::size_t count) {
  return std::string{kind} + (count > 1 ? numbered + std::to_string(count) : std::string{});
}

bool names_device(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
         fnmatch(pattern.c_str(), kind_of_device(name).c_str(), 0) == 0;
}

} // namespace ke
