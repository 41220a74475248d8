#include "backends/device/side_by_side.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace ke {
namespace {

std::size_t allowed = 1; ///< written by the judge's one thread before it shares any work

} // namespace

void allow_threads(std::size_t most) {
  allowed = std::max<std::size_t>(most, 1);
}

std::size_t allowed_threads() {
  return allowed;
}

void side_by_side(std::size_t n, std::size_t least,
                  const std::function<void(std::size_t from, std::size_t to)>& work) {
  auto parts = std::clamp<std::size_t>(n / std::max<std::size_t>(least, 1), 1, allowed);
  auto begin_of = [&](std::size_t part) { return n / parts * part + std::min(part, n % parts); };
  std::vector<std::thread> others;
  for (std::size_t part = 1; part < parts; ++part)
    others.emplace_back([&, part] { work(begin_of(part), begin_of(part + 1)); });
  work(0, begin_of(1));
  for (auto& one : others)
    one.join();
}

} // namespace ke
