// The judge's side of a device, on the driver library of host memory (tests/fake_cuda).
#include "backends/device/device_arena.hpp"
#include "backends/device/device_list.hpp"
#include "tests/device/fake_judge_device.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

using namespace ke;
using ke_test::fake_judge_device;

namespace {

std::unique_ptr<device_arena> arena_of(std::size_t bytes) {
  auto made = device_arena::make(fake_judge_device(), bytes);
  REQUIRE(made);
  return *std::move(made);
}

std::string read(device_arena& arena, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '\0');
  REQUIRE(arena.read(offset, text.data(), bytes));
  return text;
}

} // namespace

TEST_CASE("what is written lies in the arena once it is settled, at any offset and of any size") {
  auto arena = arena_of(1 << 20);
  std::vector<std::pair<std::uint64_t, std::string>> written;
  std::uint64_t offset = 3;
  for (std::size_t bytes : {1u, 15u, 16u, 17u, 1000u, 70'000u, 200'001u}) {
    written.emplace_back(offset, std::string(bytes, static_cast<char>('a' + written.size())));
    offset += bytes + 5;
  }
  for (const auto& [at, text] : written)
    REQUIRE(arena->write(at, text.data(), text.size()));
  CHECK(read(*arena, 3, 1) == std::string(1, '\0'));
  REQUIRE(arena->settle());
  for (const auto& [at, text] : written)
    CHECK(read(*arena, at, text.size()) == text);
}

TEST_CASE("of writes to the same place the last one holds, whichever is larger") {
  auto arena = arena_of(1 << 16);
  std::string large(30'000, 'L'), row(64, 'r'), again(10, 'x');
  REQUIRE(arena->write(100, large.data(), large.size()));
  REQUIRE(arena->write(500, row.data(), row.size()));
  REQUIRE(arena->write(520, again.data(), again.size()));
  REQUIRE(arena->settle());
  CHECK(read(*arena, 100, 400) == std::string(400, 'L'));
  CHECK(read(*arena, 500, 20) == std::string(20, 'r'));
  CHECK(read(*arena, 520, 10) == again);
  CHECK(read(*arena, 530, 34) == std::string(34, 'r'));
  REQUIRE(arena->write(510, large.data(), 4)); // and of a later settlement
  REQUIRE(arena->settle());
  CHECK(read(*arena, 508, 8) == "rrLLLLrr");
}

TEST_CASE("a byte that somebody else changed is found, in its range and in no other") {
  auto arena = arena_of(1 << 20);
  std::string text(150'000, 't');
  REQUIRE(arena->write(7, text.data(), text.size()));
  REQUIRE(arena->settle());
  std::vector<device_arena::range> ranges{{7, 100}, {107, 100'000}, {100'107, 40'000}};
  auto same = arena->unchanged(ranges);
  REQUIRE(same);
  CHECK(*same == std::vector<bool>{true, true, true});
  // The candidate's process maps the same memory.
  const auto& cu = fake_judge_device().cu();
  cuda::allocation handle = 0;
  cuda::address mapped = 0;
  REQUIRE(cu.import_handle(&handle, reinterpret_cast<void*>(static_cast<std::intptr_t>(arena->descriptor())),
                           1) == 0);
  REQUIRE(cu.reserve(&mapped, arena->size(), 0, 0, 0) == 0);
  REQUIRE(cu.map(mapped, arena->size(), 0, handle, 0) == 0);
  char other = 'o';
  REQUIRE(cu.copy_to_device(mapped + 100'106, &other, 1, nullptr) == 0);
  same = arena->unchanged(ranges);
  REQUIRE(same);
  CHECK(*same == std::vector<bool>{true, false, true});
  (void)cu.unmap(mapped, arena->size());
}

TEST_CASE("results are copied out of the arena, each to its own place") {
  auto arena = arena_of(1 << 20);
  std::string a(1001, 'a'), b(70'003, 'b');
  REQUIRE(arena->write(13, a.data(), a.size()));
  REQUIRE(arena->write(5000, b.data(), b.size()));
  REQUIRE(arena->settle());
  std::string x(1001, '\0'), y(70'003, '\0');
  std::vector<device_arena::range> from{{5000, b.size()}, {13, a.size()}};
  std::vector<char*> to{y.data(), x.data()};
  REQUIRE(arena->copy_out(from, to));
  CHECK(x == a);
  CHECK(y == b);
}

TEST_CASE("pinned memory that one process's arena needed serves the next, and two at once have their own") {
  const std::string large(8 << 20, 'x');
  {
    auto arena = arena_of(large.size());
    REQUIRE(arena->write(0, large.data(), large.size()));
    REQUIRE(arena->settle());
  }
  {
    auto kept = fake_judge_device().borrow(), another = fake_judge_device().borrow();
    CHECK(kept->bytes() >= large.size());
    CHECK(kept.get() != another.get());
  }
  auto first = arena_of(1 << 16), second = arena_of(1 << 16);
  REQUIRE(first->write(10, "first", 5));
  REQUIRE(second->write(10, "other", 5));
  REQUIRE(first->write(20, "first", 5));
  REQUIRE(second->settle());
  REQUIRE(first->settle());
  CHECK(read(*first, 10, 15) == std::string{"first\0\0\0\0\0first", 15});
  CHECK(read(*second, 10, 15) == std::string{"other\0\0\0\0\0\0\0\0\0\0", 15});
}

TEST_CASE("a key picks the same elements of a pool for every arena, whichever way they are cut, and another "
          "key others") {
  std::string bytes;
  for (std::uint32_t i = 0; i < 5000; ++i)
    bytes.append(reinterpret_cast<const char*>(&i), sizeof i);
  auto pool = fake_judge_device().take(std::string_view{bytes});
  REQUIRE(pool);
  auto a = arena_of(1 << 20), b = arena_of(1 << 20);
  constexpr std::size_t n = 50'000; // more than a chunk holds
  REQUIRE(a->mix(4, n * 4, **pool, 4, 7));
  REQUIRE(b->mix(64, n * 4, **pool, 4, 7));
  REQUIRE(b->mix(400'000, n * 4, **pool, 4, 8));
  REQUIRE(a->settle());
  REQUIRE(b->settle());
  auto one = read(*a, 4, n * 4), same = read(*b, 64, n * 4), other = read(*b, 400'000, n * 4);
  CHECK(one == same);
  CHECK(one != other);
  std::vector<std::uint32_t> seen(n), times(5000);
  std::memcpy(seen.data(), one.data(), one.size());
  for (auto x : seen) {
    REQUIRE(x < 5000);
    ++times[x];
  }
  CHECK(*std::max_element(times.begin(), times.end()) < 40); // 10 on the average
  CHECK(std::count(times.begin(), times.end(), 0u) < 5);
  std::size_t as_before = 0, as_in_the_other = 0;
  for (std::size_t i = 1; i < n; ++i) {
    as_before += seen[i] == seen[i - 1] + 1;
    std::uint32_t there;
    std::memcpy(&there, other.data() + i * 4, 4);
    as_in_the_other += there == seen[i];
  }
  CHECK(as_before < 40);
  CHECK(as_in_the_other < 40);
  device_arena::range range{64, n * 4};
  auto unchanged = b->unchanged({&range, 1}); // the judge knows what it has written
  REQUIRE(unchanged);
  CHECK(unchanged->front());
}

TEST_CASE("Bug: red zones of a layout that nobody used lay over what was mixed afterwards") {
  std::uint32_t value = 0x01010101;
  auto pool = fake_judge_device().take(std::string_view{reinterpret_cast<const char*>(&value), sizeof value});
  REQUIRE(pool);
  auto arena = arena_of(1 << 16);
  REQUIRE(arena->write(100, "zone", 4));
  REQUIRE(arena->mix(0, 400, **pool, 4, 1));
  REQUIRE(arena->write(200, "last", 4));
  REQUIRE(arena->mix(400, 400, **pool, 4, 1));
  REQUIRE(arena->settle());
  CHECK(read(*arena, 100, 4) == std::string(4, '\1'));
  CHECK(read(*arena, 200, 4) == "last");
  CHECK(read(*arena, 796, 8) == std::string(4, '\1') + std::string(4, '\0'));
}

TEST_CASE("results agree within their bounds alone, and what isn't finite by its bits alone") {
  auto agree = [](device_number form, const std::string& a, const std::string& b, std::size_t elements,
                  double relative, double absolute, bool larger) -> bool {
    auto x = fake_judge_device().take(std::string_view{a}), y = fake_judge_device().take(std::string_view{b});
    REQUIRE(x);
    REQUIRE(y);
    auto same = fake_judge_device().agree(
        {{(*x)->at(), (*y)->at(), static_cast<std::uint32_t>(elements), 0, form, larger, relative, absolute}},
        1);
    REQUIRE(same);
    return same->front();
  };
  auto f32 = [&](float a, float b, double relative, double absolute, bool larger = false) {
    return agree(device_number::f32, {reinterpret_cast<char*>(&a), 4}, {reinterpret_cast<char*>(&b), 4}, 1,
                 relative, absolute, larger);
  };
  CHECK(f32(1, 1.0009f, 1e-3, 0));
  CHECK_FALSE(f32(1, 1.0011f, 1e-3, 0));
  CHECK(f32(1, 1.0015f, 1e-3, 1e-3));
  CHECK_FALSE(f32(1, 1.0015f, 1e-3, 1e-3, true));
  CHECK(f32(-1, -1.0009f, 1e-3, 0));
  CHECK_FALSE(f32(-1, 1, 1e-3, 0));
  float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  CHECK(f32(infinity, infinity, 0, 0));
  CHECK(f32(nan, nan, 0, 0));
  CHECK_FALSE(f32(infinity, 3e38f, 1, 1));
  CHECK_FALSE(f32(1, nan, 1, 1));
  CHECK_FALSE(f32(nan, 1, 1, 1));
  auto sixteen = [&](device_number form, std::uint16_t a, std::uint16_t b, double relative) {
    return agree(form, {reinterpret_cast<char*>(&a), 2}, {reinterpret_cast<char*>(&b), 2}, 1, relative, 0,
                 true);
  };
  CHECK(sixteen(device_number::bf16, 0x3f80, 0x3f81, 0.01)); // 1 and 1.0078
  CHECK_FALSE(sixteen(device_number::bf16, 0x3f80, 0x3f82, 0.01));
  CHECK(sixteen(device_number::f16, 0x3c00, 0x3c01, 0.001)); // 1 and 1.00098
  CHECK_FALSE(sixteen(device_number::f16, 0x3c00, 0x3c02, 0.001));
  CHECK(sixteen(device_number::f16, 0x0001, 0x0002, 1.01));    // subnormal
  CHECK_FALSE(sixteen(device_number::f16, 0x7bff, 0x7c00, 1)); // the largest, infinity
  CHECK(agree(device_number::bytes, "abc", "abc", 3, 0, 0, false));
  CHECK_FALSE(agree(device_number::bytes, "abc", "abd", 3, 1, 1, false));
}

TEST_CASE("a write beyond the arena's end is refused") {
  auto arena = arena_of(1 << 16);
  char byte = 'b';
  CHECK_FALSE(arena->write(arena->size(), &byte, 1));
  CHECK_FALSE(arena->write(~0ull, &byte, 1));
}

TEST_CASE("devices are listed with what documents call them") {
  setenv("KE_LIBCUDA", KE_FAKE_CUDA, 1);
  auto all = list_devices();
  REQUIRE(all.devices.size() == 1);
  CHECK(short_name(all.devices.front()) == "nvidia-f100");
  CHECK(all.devices.front().arch == "sm_90");
  CHECK(all.driver == "CUDA 13.0");
  CHECK(find_device(all.devices.front().uuid));
  CHECK_FALSE(find_device("GPU-00"));
  auto named = [](std::string name) {
    nvidia_device d;
    d.name = std::move(name);
    d.arch = "sm_90";
    return short_name(d);
  };
  CHECK(named("NVIDIA H100 80GB HBM3") == "nvidia-h100");
  CHECK(named("NVIDIA H200") == "nvidia-h200");
  CHECK(named("NVIDIA A100-SXM4-80GB") == "nvidia-a100");
  CHECK(named("NVIDIA GeForce GTX") == "nvidia-sm_90");
}

TEST_CASE("MPS is found where somebody listens, not where its pipe is left from one that has ended") {
  auto folder = std::filesystem::temp_directory_path() / ("ke-mps-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  CHECK_FALSE(mps_runs(folder));
  auto pipe = folder / "control";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(mps_runs(folder));
  unique_fd daemon{open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  REQUIRE(daemon);
  CHECK(mps_runs(folder));
  daemon.reset();
  CHECK_FALSE(mps_runs(folder));
  std::filesystem::remove_all(folder);
}
