#include "runtime/observe/own_memory.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

namespace ke {
namespace {

void raise_to(std::atomic<std::uint64_t>& most, std::uint64_t value) {
  auto seen = most.load();
  while (value > seen && !most.compare_exchange_weak(seen, value)) {
  }
}

} // namespace

std::uint64_t own_status(std::string_view field) {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field) && line.size() > field.size() && line[field.size()] == ':') {
      auto value = std::stoull(line.substr(field.size() + 1));
      return line.ends_with(" kB") ? value * 1024 : value;
    }
  return 0;
}

anonymous_peak::anonymous_peak()
    : watch_{[this] {
        while (!over_) {
          raise_to(most_, anonymous_bytes());
          std::this_thread::sleep_for(std::chrono::milliseconds{2});
        }
      }} {}

anonymous_peak::~anonymous_peak() {
  over_ = true;
  watch_.join();
}

std::uint64_t anonymous_peak::bytes() const {
  raise_to(most_, anonymous_bytes());
  return most_;
}

} // namespace ke
