#include "backends/judge/drivers/host_memory.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge/result_marks.hpp"
#include "runtime/core/problem.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <map>
#include <unistd.h>

using namespace ke;

namespace {

/// A process's memory of some pages from `base` on.
struct fake_process {
  std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t base = 64 * page;
  std::string bytes = std::string(300 * page, '\0');
  std::uint64_t foreign = 0; ///< a page that is not its own
  std::size_t writes = 0;

  marked_memory view() {
    return {[this](std::uint64_t at) { return at / page != foreign / page; },
            [this](std::uint64_t at, const char* from, std::size_t n) {
              std::memcpy(bytes.data() + (at - base), from, n);
              ++writes;
              return true;
            }};
  }
  std::string copy(std::uint64_t at, std::size_t n) const { return bytes.substr(at - base, n); }
  void write(dtype d, std::uint64_t at, std::size_t elements, random_source& random) {
    for (std::size_t i = 0; i < elements; ++i)
      set_element(d, bytes.data() + (at - base), i, random.uniform() - 0.5);
  }
};

} // namespace

TEST_CASE("pages of a result that a call did not write are told from those that it wrote") {
  for (auto d : {dtype::f32, dtype::f64, dtype::f16, dtype::bf16}) {
    random_source random{5};
    fake_process p;
    result_marks marks;
    std::size_t size = d == dtype::f64 ? 8 : d == dtype::f32 ? 4 : 2, n = 40 * p.page / size;
    auto at = p.base + 256;
    double charged = 0;
    for (int call = 0; call < 50; ++call) {
      p.write(d, at, call == 0 ? n : n / 4, random);
      auto before = p.copy(at, 40 * p.page), copy = before;
      auto found = marks.unwritten(at, copy);
      if (call == 0)
        CHECK(found == 0);
      else
        charged += static_cast<double>(found) / 49;
      for (std::size_t i = 0; i < n; ++i) // one unit in the last place is what a mark may take
        if (double x = element(d, before.data(), i), y = element(d, copy.data(), i); x != y)
          REQUIRE(std::fabs(x - y) < 0.01 * std::fabs(y) + 1e-3);
      marks.place(p.view(), d, at, copy, random);
    }
    CHECK(charged == Approx(29.5).margin(1)); // of 39 whole pages, three quarters
  }
}

TEST_CASE("a result that is written anew in the same memory has no page left from before") {
  random_source random{7};
  fake_process p;
  result_marks marks;
  std::uint64_t found = 0;
  for (int call = 0; call < 200; ++call) {
    // Half of it is the same in every call, as the zeros of a padding are.
    std::size_t n = 200 * p.page / 4;
    std::memset(p.bytes.data(), 0, p.bytes.size());
    p.write(dtype::f32, p.base, n / 2, random);
    auto copy = p.copy(p.base, n * 4);
    found += marks.unwritten(p.base, copy);
    CHECK(copy == p.copy(p.base, n * 4));
    marks.place(p.view(), dtype::f32, p.base, copy, random);
  }
  CHECK(found == 0);
  CHECK(p.writes > 200 * 80); // of 64 pages at most, some of which are drawn twice
  CHECK(p.writes <= 200 * 128);
}

TEST_CASE("what a mark changed is put back in the judge's copy and in nothing else") {
  random_source random{9};
  fake_process p;
  result_marks marks;
  auto n = 10 * p.page;
  p.write(dtype::f32, p.base, n / 4, random);
  auto original = p.copy(p.base, n);
  marks.place(p.view(), dtype::f32, p.base, original, random);
  auto changed = p.copy(p.base, n);
  CHECK(changed != original);
  CHECK(marks.unwritten(p.base, changed) == 10);
  CHECK(changed == original);
  // Marks in one half of the memory say nothing of a result in the other.
  marks.place(p.view(), dtype::f32, p.base, original, random);
  auto other = p.copy(p.base + n, n);
  CHECK(marks.unwritten(p.base + n, other) == 0);
}

TEST_CASE("no mark is put into integers or infinities or short results or pages of somebody else") {
  random_source random{11};
  fake_process p;
  result_marks marks;
  p.write(dtype::i32, p.base, p.page, random);
  marks.place(p.view(), dtype::i32, p.base, p.copy(p.base, 4 * p.page), random);
  marks.place(p.view(), dtype::f32, p.base, p.copy(p.base, p.page - 4), random);
  CHECK(p.writes == 0);
  p.foreign = p.base;
  marks.place(p.view(), dtype::f32, p.base, p.copy(p.base, p.page), random);
  CHECK(p.writes == 0);
  p.foreign = 0;
  for (std::size_t i = 0; i < p.page / 4; ++i)
    set_element(dtype::f32, p.bytes.data(), i, -std::numeric_limits<double>::infinity());
  marks.place(p.view(), dtype::f32, p.base, p.copy(p.base, p.page), random);
  CHECK(p.writes == 0);
}

TEST_CASE("a result of eight bits, where a mark is like any other value, is never taken for an old one") {
  // Once a right kernel was wrong in one of a hundred runs: its new value was that of the mark.
  for (auto d : {dtype::f8e4m3, dtype::f8e5m2}) {
    random_source random{11};
    fake_process p;
    result_marks marks;
    const std::size_t n = 40 * p.page;
    std::uint64_t found = 0;
    for (int call = 0; call < 300; ++call) {
      p.write(d, p.base, n, random);
      auto copy = p.copy(p.base, n);
      found += marks.unwritten(p.base, copy);
      REQUIRE(copy == p.copy(p.base, n));
      marks.place(p.view(), d, p.base, copy, random);
    }
    CHECK(found == 0);
    auto left = p.copy(p.base, n); // and one that is left from before is told
    CHECK(marks.unwritten(p.base, left) == 40);
  }
}

/// Numbers of the arena's pages in the machine's memory; zeros: this user may not see them.
std::vector<std::uint64_t> page_numbers(const host_memory& arena) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), pages = arena.size() / page;
  unique_fd map{open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
  std::vector<std::uint64_t> entries(pages);
  REQUIRE(pread(map.get(), entries.data(), pages * 8,
                static_cast<off_t>(reinterpret_cast<std::uintptr_t>(arena.begin()) / page * 8)) ==
          static_cast<ssize_t>(pages * 8));
  for (auto& e : entries)
    e &= (std::uint64_t{1} << 55) - 1;
  return entries;
}

/// Bug: a run's processes got the pages of the last one's in the same order, so its launches agreed, and the next run with
/// none of them (decision 0067).
TEST_CASE("an arena's pages are not those of the last one in the same order") {
  constexpr std::size_t bytes = 2u << 20;
  std::map<std::uint64_t, std::size_t> before;
  for (auto number : page_numbers(*host_memory::make(bytes)))
    before.emplace(number, before.size());
  auto arena = host_memory::make(bytes);
  auto now = page_numbers(*arena);
  std::size_t again = 0, in_order = 0;
  for (std::size_t i = 1; i < now.size(); ++i) {
    auto a = before.find(now[i - 1]), b = before.find(now[i]);
    if (now[i] == 0 || a == before.end() || b == before.end())
      continue;
    ++again;
    in_order += a->second + 1 == b->second || b->second + 1 == a->second;
  }
  INFO(again << " pages of the last one");
  CHECK(8 * in_order <= again);
}
