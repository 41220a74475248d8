#include "backends/device/device_arena.hpp"

#include "backends/device/side_by_side.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace ke {
namespace {

constexpr std::size_t step = 16; ///< bytes that the kernels move at once

cuda::allocation_form exported_form(int device) {
  cuda::allocation_form form{};
  form.type = 1;
  form.handles = cuda::file_descriptor;
  form.location = {1, device};
  return form;
}

/// Cut into chunks, the same distance from 16 on both sides.
void add_chunks(std::vector<device_chunk>& to, std::uint64_t at, std::uint64_t other, std::size_t bytes,
                std::uint32_t mark) {
  for (std::size_t done = 0; done < bytes;) {
    auto part = std::min(bytes - done, most_chunk - (at + done) % step);
    to.push_back({at + done, other + done, static_cast<std::uint32_t>(part), mark});
    done += part;
  }
}

/// By as many threads as the judge may have.
void copy_bytes(char* to, const char* from, std::size_t bytes) {
  constexpr std::size_t least = std::size_t{2} << 20;
  side_by_side(bytes, least, [&](std::size_t begin, std::size_t end) {
    std::memcpy(to + begin, from + begin, end - begin);
  });
}

std::size_t aligned_as(std::uint64_t place, std::size_t from) {
  return from + (place % step + step - from % step) % step;
}

} // namespace

result<std::unique_ptr<device_arena>> device_arena::make(judge_device& device, std::size_t bytes,
                                                         std::size_t pool) {
  std::unique_ptr<device_arena> made{new device_arena{device}};
  if (auto opened = made->open(bytes, pool); !opened)
    return opened.error();
  return made;
}

status device_arena::open(std::size_t bytes, std::size_t pool) {
  const auto& cu = device_.cu();
  auto form = exported_form(device_.number());
  std::size_t grain = 0;
  if (auto s = device_.checked(cu.granularity(&grain, &form, 0), "ask for its pages"); !s)
    return s;
  auto rounded = [&](std::size_t n) { return (n + grain - 1) / grain * grain; };
  judged_ = rounded(std::max<std::size_t>(bytes, 1));
  size_ = judged_ + rounded(pool);
  auto what = "take " + std::to_string(size_ >> 20) + " MiB for an arena";
  if (auto s = device_.checked(cu.create(&handle_, size_, &form, 0), what.c_str()); !s)
    return s;
  int descriptor = -1;
  if (auto s =
          device_.checked(cu.export_handle(&descriptor, handle_, cuda::file_descriptor, 0), "share memory");
      !s)
    return s;
  descriptor_.reset(descriptor);
  if (auto s = device_.checked(cu.reserve(&arena_, size_, 0, 0, 0), "reserve addresses"); !s)
    return s;
  if (auto s = device_.checked(cu.map(arena_, size_, 0, handle_, 0), "map an arena"); !s)
    return s;
  cuda::memory_access access{{1, device_.number()}, 3};
  if (auto s = device_.checked(cu.set_access(arena_, size_, &access, 1), "use an arena"); !s)
    return s;
  if (auto s = device_.checked(cu.memory_alloc(&copy_, judged_), what.c_str()); !s)
    return s;
  for (auto at : {arena_, copy_})
    if (auto s = device_.checked(cu.set_bytes(at, 0, judged_, nullptr), "clear an arena"); !s)
      return s;
  return ok;
}

device_arena::~device_arena() {
  const auto& cu = device_.cu();
  if (copy_)
    (void)cu.memory_free(copy_);
  if (arena_) {
    (void)cu.unmap(arena_, size_);
    (void)cu.unreserve(arena_, size_);
  }
  if (handle_)
    (void)cu.release(handle_);
}

result<char*> device_arena::place(std::uint64_t offset, std::size_t bytes) {
  if (offset > judged_ || bytes > judged_ - offset)
    return failure{failure_kind::internal, "a write beyond the arena's end", false};
  if (!staged_)
    staged_ = device_.borrow();
  auto from = aligned_as(offset, waiting_);
  if (auto s = staged_->hold(from + bytes, waiting_); !s)
    return s.error();
  waiting_ = from + bytes;
  add_chunks(writes_, offset, from, bytes, 0);
  return staged_->on_host() + from;
}

status device_arena::write(std::uint64_t offset, const char* from, std::size_t bytes) {
  auto to = place(offset, bytes);
  if (!to)
    return to.error();
  copy_bytes(*to, from, bytes);
  return ok;
}

std::vector<std::vector<device_chunk>> device_arena::in_rounds() const {
  std::vector<std::size_t> order(writes_.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return writes_[a].at < writes_[b].at; });
  // Who overlaps whom: few do (rows that are withheld), so those that reach a place are few.
  std::vector<std::vector<std::size_t>> before(writes_.size());
  std::vector<std::size_t> open;
  for (auto i : order) {
    const auto& w = writes_[i];
    std::erase_if(open, [&](auto j) { return writes_[j].at + writes_[j].bytes <= w.at; });
    for (auto j : open)
      before[std::max(i, j)].push_back(std::min(i, j));
    open.push_back(i);
  }
  std::vector<std::size_t> round(writes_.size(), 0);
  std::vector<std::vector<device_chunk>> rounds;
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    for (auto j : before[i])
      round[i] = std::max(round[i], round[j] + 1);
    rounds.resize(std::max(rounds.size(), round[i] + 1));
    rounds[round[i]].push_back(writes_[i]);
  }
  return rounds;
}

status device_arena::mix(std::uint64_t offset, std::size_t bytes, const device_memory& pool, std::size_t size,
                         std::uint64_t key) {
  if (offset > judged_ || bytes > judged_ - offset)
    return failure{failure_kind::internal, "a write beyond the arena's end", false};
  if (mixes_.empty()) // what was written before must not come after it: red zones of an earlier layout
    if (auto s = settle(); !s)
      return s;
  auto choices = static_cast<std::uint32_t>(pool.bytes() / size);
  for (std::size_t done = 0; done < bytes; done += most_chunk)
    mixes_.push_back({offset + done, pool.at(), key, static_cast<std::uint32_t>(done / size),
                      static_cast<std::uint32_t>(std::min(bytes - done, most_chunk) / size), choices,
                      static_cast<std::uint32_t>(size)});
  return ok;
}

status device_arena::settle() {
  if (auto s = device_.mix(std::exchange(mixes_, {}), arena_, copy_); !s)
    return s;
  if (writes_.empty())
    return ok;
  auto bytes = waiting_;
  for (const auto& round : in_rounds()) {
    if (auto s = device_.write(*staged_, bytes, round, arena_, copy_); !s)
      return s;
    bytes = 0; // they are there
  }
  writes_.clear();
  waiting_ = 0;
  staged_.reset();
  return ok;
}

result<std::vector<bool>> device_arena::unchanged(std::span<const range> ranges) {
  std::vector<device_chunk> chunks;
  for (std::size_t r = 0; r < ranges.size(); ++r)
    add_chunks(chunks, ranges[r].offset, 0, ranges[r].bytes, static_cast<std::uint32_t>(r));
  return device_.compare(chunks, ranges.size(), arena_, copy_);
}

status device_arena::copy_out(std::span<const range> from, std::span<char* const> to) {
  std::vector<device_chunk> chunks;
  std::vector<std::size_t> places;
  std::size_t bytes = 0;
  for (const auto& r : from) {
    places.push_back(aligned_as(r.offset, bytes));
    add_chunks(chunks, r.offset, places.back(), r.bytes, 0);
    bytes = places.back() + r.bytes;
  }
  auto out = device_.borrow();
  if (auto s = out->hold(bytes); !s)
    return s;
  if (auto s = device_.gather(*out, bytes, chunks, arena_); !s)
    return s;
  for (std::size_t i = 0; i < from.size(); ++i)
    copy_bytes(to[i], out->on_host() + places[i], from[i].bytes);
  return ok;
}

status device_arena::copy_out(std::span<const range> from, const device_memory& to,
                              std::span<const std::size_t> places) {
  std::vector<device_chunk> chunks;
  for (std::size_t i = 0; i < from.size(); ++i)
    add_chunks(chunks, from[i].offset, places[i], from[i].bytes, 0);
  return device_.gather(to, chunks, arena_);
}

status device_arena::soil(std::uint64_t offset, std::size_t bytes, unsigned char with) {
  if (offset < judged_ || offset > size_ || bytes > size_ - offset)
    return failure{failure_kind::internal, "rubbish beyond the arena's end", false};
  return device_.checked(device_.cu().set_bytes(arena_ + offset, with, bytes, nullptr), "write to it");
}

status device_arena::read(std::uint64_t offset, void* to, std::size_t bytes) {
  return device_.read(arena_ + offset, to, bytes);
}

} // namespace ke
