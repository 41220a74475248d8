#include "backends/judge/result_marks.hpp"

#include "backends/judge/inputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace ke {
namespace {

constexpr std::size_t most_marked = 64;     ///< pages of a result
constexpr std::size_t most_pages = 1 << 14; ///< of all results that are remembered

/// Elements of a mark in eight bits: one alone would often be what a later call writes there, and taken for
/// what it had been is a whole step off.
constexpr std::size_t eight_bits_together = 8;

bool all_finite(dtype d, const char* data, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i)
    if (!std::isfinite(element(d, data, i)))
      return false;
  return true;
}

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// The pages that lie wholly in so many bytes from an address on: the first, and the one behind the last.
struct pages_of {
  std::uint64_t first, last;
  pages_of(std::uint64_t address, std::size_t bytes)
      : first{(address + page_bytes() - 1) / page_bytes()}, last{(address + bytes) / page_bytes()} {
    last = std::max(first, last);
  }
  std::uint64_t count() const { return last - first; }
};

/// All of them, or as many as are marked, drawn at random.
std::set<std::uint64_t> some_of(const pages_of& all, random_source& random) {
  std::set<std::uint64_t> some;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(most_marked, all.count()); ++i)
    some.insert(all.first + (all.count() <= most_marked ? i : random.below(all.count())));
  return some;
}

} // namespace

std::uint64_t result_marks::unwritten(std::uint64_t address, std::span<char> copy) {
  pages_of all{address, copy.size()};
  auto from = pages_.lower_bound(all.first * page_bytes()),
       until = pages_.lower_bound(all.last * page_bytes());
  std::uint64_t marked = 0, bare = 0;
  for (auto page = from; page != until; ++page) {
    std::size_t left = 0;
    for (const auto& m : page->second) {
      auto* now = copy.data() + (m.at - address);
      if (std::memcmp(now, m.now.data(), m.bytes) != 0)
        continue;
      std::memcpy(now, m.was.data(), m.bytes);
      ++left;
    }
    ++marked;
    bare += left == per_page ? 1 : 0;
  }
  pages_.erase(from, until);
  return marked == 0 ? 0 : bare * all.count() / marked;
}

void result_marks::place(const marked_memory& memory, dtype d, std::uint64_t address,
                         std::span<const char> copy, random_source& random) {
  if (!is_floating(d))
    return;
  if (pages_.size() > most_pages)
    pages_.clear();
  pages_of all{address, copy.size()};
  std::size_t size = bytes_of(d), together = is_float8(d) ? eight_bits_together : 1;
  for (auto page : some_of(all, random)) {
    auto begin = page * page_bytes();
    if (!memory.is_own(begin))
      continue;
    marks made;
    std::size_t placed = 0;
    auto first = (begin - address + size - 1) / size, each = (begin - address + page_bytes()) / size - first;
    for (std::size_t m = 0; m < per_page; ++m) { // one in each half: never the same element
      auto half = each / per_page, i = first + m * half + random.below(half - together + 1);
      auto& mark = made[m];
      mark.at = address + i * size;
      mark.bytes = together * size;
      std::memcpy(mark.was.data(), copy.data() + i * size, mark.bytes);
      mark.now = mark.was;
      for (std::size_t k = 0; k < together; ++k)
        mark.now[k * size] = static_cast<char>(mark.now[k * size] ^ 1); // the lowest byte comes first here
      if (!all_finite(d, mark.was.data(), together) || !all_finite(d, mark.now.data(), together))
        continue;
      if (!memory.write(mark.at, mark.now.data(), mark.bytes))
        return;
      ++placed;
    }
    if (placed == per_page)
      pages_[begin] = made;
  }
}

} // namespace ke
