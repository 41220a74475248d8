#include "backends/device/judge_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace ke {

/// judge_kernels.cu as PTX, embedded by the build; empty where nothing could compile it.
extern const std::string_view judge_kernels_ptx;

namespace {

constexpr unsigned block_threads = 256;
constexpr std::size_t most_blocks = 1024;
constexpr std::size_t caches = 4; ///< so many times the last-level cache are walked over

double device_now_ns() {
  return std::chrono::duration<double, std::nano>{std::chrono::steady_clock::now().time_since_epoch()}
      .count();
}

} // namespace

device_buffer::~device_buffer() {
  drop();
}

void device_buffer::drop() {
  if (device_)
    (void)cu_->memory_free(device_);
  if (host_)
    (void)cu_->host_free(host_);
  device_ = 0, host_ = nullptr, bytes_ = 0;
}

status device_buffer::take(std::size_t bytes) {
  void* host = nullptr;
  auto code = cu_->memory_alloc(&device_, bytes);
  if (code == 0)
    code = cu_->host_alloc(&host, bytes, 0);
  host_ = static_cast<char*>(host);
  bytes_ = bytes;
  if (code == 0)
    return ok;
  drop();
  return failure{failure_kind::device,
                 "the judge's buffer of " + std::to_string(bytes >> 20) +
                     " MiB has no room on the device: " + cu_->error_of(code),
                 true};
}

status device_buffer::hold(std::size_t bytes, std::size_t kept) {
  if (bytes <= bytes_)
    return ok;
  device_buffer larger{*cu_};
  if (kept == 0)
    drop(); // there may be no room for both
  auto wanted = std::max<std::size_t>(bytes + bytes / (kept == 0 ? 4 : 1), 1u << 20); // it grows step by step
  if (auto s = larger.take(wanted); !s)
    return s;
  if (kept != 0)
    std::memcpy(larger.host_, host_, kept);
  std::swap(device_, larger.device_);
  std::swap(host_, larger.host_);
  std::swap(bytes_, larger.bytes_);
  return ok;
}

void back_on_shelf::operator()(device_buffer* lent) const {
  auto& shelf = device->shelf_;
  shelf.emplace_back(lent);
  std::sort(shelf.begin(), shelf.end(), [](const auto& a, const auto& b) { return a->bytes() < b->bytes(); });
}

lent_buffer judge_device::borrow() {
  if (shelf_.empty())
    return {new device_buffer{*cu_}, back_on_shelf{this}};
  lent_buffer largest{shelf_.back().release(), back_on_shelf{this}};
  shelf_.pop_back();
  return largest;
}

result<judge_device*> judge_device::of(int number) {
  static std::unique_ptr<judge_device> the; // never destroyed before exit: contexts end with the process
  if (the && the->number_ == number)
    return the.get();
  const auto& cu = cuda::driver();
  if (!cu)
    return cu.error();
  if (judge_kernels_ptx.empty())
    return failure{failure_kind::missing,
                   "this program was built without the judge's device kernels; build it where clang++-19 is",
                   false};
  std::unique_ptr<judge_device> made{new judge_device{*cu, number}};
  if (auto opened = made->open(); !opened)
    return opened.error();
  the.release(); // NOLINT(bugprone-unused-return-value): another device's stays as it is until the end
  the = std::move(made);
  return the.get();
}

status judge_device::checked(cuda::outcome code, const char* what) const {
  if (code == 0)
    return ok;
  return failure{failure_kind::device,
                 "device " + std::to_string(number_) + ": cannot " + what + ": " + cu_->error_of(code), true};
}

status judge_device::open() {
  if (auto s = checked(cu_->init(0), "start the driver library"); !s)
    return s;
  cuda::device d = 0;
  if (auto s = checked(cu_->device_get(&d, number_), "find it"); !s)
    return s;
  if (auto s = checked(cu_->context_create(&context_, cuda::waits_spinning, d), "make a context"); !s)
    return s;
  cache_bytes_ =
      caches * static_cast<std::size_t>(std::max(cu_->value(cuda::attribute::l2_bytes, d), 1 << 20));
  if (auto s = checked(cu_->memory_alloc(&cache_, cache_bytes_), "take memory to flush the cache with"); !s)
    return s;
  if (auto s = checked(cu_->stream_create(&copies_, cuda::own_order), "make a stream"); !s)
    return s;
  return load();
}

status judge_device::load() {
  cuda::module module = nullptr;
  std::string text{judge_kernels_ptx}; // ends with a zero
  if (auto s = checked(cu_->module_load(&module, text.c_str()), "load the judge's kernels"); !s)
    return s;
  struct {
    cuda::function* to;
    const char* name;
  } const wanted[] = {{&nothing_, "ke_nothing"}, {&write_, "ke_write"}, {&compare_, "ke_compare"},
                      {&gather_, "ke_gather"},   {&flush_, "ke_flush"}, {&mix_, "ke_mix"},
                      {&agree_, "ke_agree"}};
  for (const auto& w : wanted)
    if (auto s = checked(cu_->module_function(w.to, module, w.name), "find the judge's kernels"); !s)
      return s;
  for (int i = 0; i < 8; ++i) // the first ones load and allocate
    fence();
  return ok;
}

double judge_device::fence() {
  auto begun = device_now_ns();
  (void)cu_->launch(nothing_, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
  (void)cu_->context_wait();
  return device_now_ns() - begun;
}

std::size_t judge_device::free_bytes() const {
  std::size_t free = 0, total = 0;
  return cu_->memory_info(&free, &total) == 0 ? free : 0;
}

status judge_device::flush(std::uint32_t key) {
  std::uint64_t words = cache_bytes_ / sizeof(std::uint32_t);
  void* arguments[] = {&cache_, &words, &key};
  if (auto s =
          checked(cu_->launch(flush_, most_blocks, 1, 1, block_threads, 1, 1, 0, nullptr, arguments, nullptr),
                  "flush its cache");
      !s)
    return s;
  return checked(cu_->context_wait(), "flush its cache");
}

template <class Part>
status judge_device::upload(const std::vector<Part>& list) {
  auto bytes = list.size() * sizeof(Part);
  if (auto s = chunks_.hold(bytes); !s)
    return s;
  std::memcpy(chunks_.on_host(), list.data(), bytes);
  return checked(cu_->copy_to_device(chunks_.on_device(), chunks_.on_host(), bytes, nullptr), "write to it");
}

status judge_device::launch(cuda::function kernel, std::size_t chunks, void** arguments) {
  auto blocks = static_cast<unsigned>(std::min(chunks, most_blocks));
  return checked(cu_->launch(kernel, blocks, 1, 1, block_threads, 1, 1, 0, nullptr, arguments, nullptr),
                 "launch the judge's kernels");
}

status judge_device::write(device_buffer& staged, std::size_t bytes, const std::vector<device_chunk>& chunks,
                           cuda::address arena, cuda::address copy) {
  if (chunks.empty())
    return ok;
  if (auto s = upload(chunks); !s)
    return s;
  if (auto s =
          checked(cu_->copy_to_device(staged.on_device(), staged.on_host(), bytes, nullptr), "write to it");
      !s)
    return s;
  auto list = chunks_.on_device(), from = staged.on_device();
  auto count = static_cast<std::uint32_t>(chunks.size());
  void* arguments[] = {&list, &count, &from, &arena, &copy};
  if (auto s = launch(write_, chunks.size(), arguments); !s)
    return s;
  return checked(cu_->context_wait(), "write to it");
}

result<std::vector<bool>> judge_device::compare(const std::vector<device_chunk>& chunks, std::size_t marks,
                                                cuda::address arena, cuda::address copy) {
  if (chunks.empty())
    return std::vector<bool>(marks, true);
  if (auto s = upload(chunks); !s)
    return s.error();
  if (auto s = clear_marks(marks); !s)
    return s.error();
  auto list = chunks_.on_device(), found = marks_.on_device();
  auto count = static_cast<std::uint32_t>(chunks.size());
  void* arguments[] = {&list, &count, &arena, &copy, &found};
  if (auto s = launch(compare_, chunks.size(), arguments); !s)
    return s.error();
  return unmarked(marks);
}

status judge_device::clear_marks(std::size_t marks) {
  auto bytes = marks * sizeof(std::uint32_t);
  if (auto s = marks_.hold(bytes); !s)
    return s;
  return checked(cu_->set_bytes(marks_.on_device(), 0, bytes, nullptr), "write to it");
}

result<std::vector<bool>> judge_device::unmarked(std::size_t marks) {
  auto bytes = marks * sizeof(std::uint32_t);
  if (auto s =
          checked(cu_->copy_to_host(marks_.on_host(), marks_.on_device(), bytes, nullptr), "read from it");
      !s)
    return s.error();
  if (auto s = checked(cu_->context_wait(), "read from it"); !s)
    return s.error();
  const auto* set = reinterpret_cast<const std::uint32_t*>(marks_.on_host());
  std::vector<bool> all(marks);
  for (std::size_t m = 0; m < marks; ++m)
    all[m] = set[m] == 0;
  return all;
}

result<std::unique_ptr<device_memory>> judge_device::take(std::size_t bytes) {
  cuda::address at = 0;
  auto what = "take " + std::to_string(bytes >> 20) + " MiB for the judge";
  if (auto s = checked(cu_->memory_alloc(&at, std::max<std::size_t>(bytes, 1)), what.c_str()); !s)
    return s.error();
  return std::make_unique<device_memory>(*cu_, at, bytes);
}

result<std::unique_ptr<device_memory>> judge_device::take(std::string_view bytes) {
  auto room = take(bytes.size());
  if (!room)
    return room;
  if (auto s =
          checked(cu_->copy_to_device((*room)->at(), bytes.data(), bytes.size(), nullptr), "write to it");
      !s)
    return s.error();
  if (auto s = checked(cu_->context_wait(), "write to it"); !s)
    return s.error();
  return room;
}

status judge_device::mix(const std::vector<device_mix>& parts, cuda::address arena, cuda::address copy) {
  if (parts.empty())
    return ok;
  if (auto s = upload(parts); !s)
    return s;
  auto list = chunks_.on_device();
  auto count = static_cast<std::uint32_t>(parts.size());
  void* arguments[] = {&list, &count, &arena, &copy};
  if (auto s = launch(mix_, parts.size(), arguments); !s)
    return s;
  return checked(cu_->context_wait(), "write to it"); // the list may change
}

status judge_device::gather(const device_memory& to, const std::vector<device_chunk>& chunks,
                            cuda::address arena) {
  if (chunks.empty())
    return ok;
  if (auto s = begin_gather(to.at(), chunks, arena); !s)
    return s;
  return checked(cu_->context_wait(), "read from it");
}

result<std::vector<bool>> judge_device::agree(const std::vector<device_compared>& parts, std::size_t marks) {
  if (parts.empty())
    return std::vector<bool>(marks, true);
  if (auto s = upload(parts); !s)
    return s.error();
  if (auto s = clear_marks(marks); !s)
    return s.error();
  auto list = chunks_.on_device(), found = marks_.on_device();
  auto count = static_cast<std::uint32_t>(parts.size());
  void* arguments[] = {&list, &count, &found};
  if (auto s = launch(agree_, parts.size(), arguments); !s)
    return s.error();
  return unmarked(marks);
}

status judge_device::begin_gather(cuda::address to, const std::vector<device_chunk>& chunks,
                                  cuda::address arena) {
  if (auto s = upload(chunks); !s)
    return s;
  auto list = chunks_.on_device();
  auto count = static_cast<std::uint32_t>(chunks.size());
  void* arguments[] = {&list, &count, &arena, &to};
  return launch(gather_, chunks.size(), arguments);
}

status judge_device::gather(device_buffer& to, std::size_t bytes, const std::vector<device_chunk>& chunks,
                            cuda::address arena) {
  if (chunks.empty())
    return ok;
  if (auto s = begin_gather(to.on_device(), chunks, arena); !s)
    return s;
  if (auto s = checked(cu_->copy_to_host(to.on_host(), to.on_device(), bytes, nullptr), "read from it"); !s)
    return s;
  return checked(cu_->context_wait(), "read from it");
}

status judge_device::read(cuda::address from, void* to, std::size_t bytes) {
  if (auto s = checked(cu_->copy_to_host(to, from, bytes, copies_), "read from it"); !s)
    return s;
  return checked(cu_->stream_wait(copies_), "read from it");
}

} // namespace ke
