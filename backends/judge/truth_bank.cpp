#include "backends/judge/truth_bank.hpp"

#include "backends/judge/secret_random.hpp"
#include "runtime/process/free_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace ke {
namespace {

constexpr std::size_t name_bytes = 16;

bool read_at(int file, std::uint64_t at, void* to, std::size_t bytes) {
  for (std::size_t got = 0; got < bytes;) {
    auto n = pread(file, static_cast<char*>(to) + got, bytes - got, static_cast<off_t>(at + got));
    if (n <= 0)
      return false;
    got += static_cast<std::size_t>(n);
  }
  return true;
}

bool write_at(int file, std::uint64_t at, const void* from, std::size_t bytes) {
  for (std::size_t put = 0; put < bytes;) {
    auto n = pwrite(file, static_cast<const char*>(from) + put, bytes - put, static_cast<off_t>(at + put));
    if (n <= 0)
      return false;
    put += static_cast<std::size_t>(n);
  }
  return true;
}

/// Against other judges: of processes, not of descriptors, which they share.
class file_lock {
public:
  explicit file_lock(int file) : file_{file} { held_ = set(F_WRLCK); }
  ~file_lock() {
    if (held_)
      set(F_UNLCK);
  }
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;
  explicit operator bool() const { return held_; }

private:
  bool set(short kind) const {
    struct flock how{};
    how.l_type = kind;
    how.l_whence = SEEK_SET;
    return fcntl(file_, F_SETLKW, &how) == 0;
  }
  int file_;
  bool held_ = false;
};

} // namespace

struct truth_bank::head {
  std::uint64_t key = 0, end = 0, room = 0;
};

struct truth_bank::record_head {
  char name[name_bytes] = {};
  std::uint64_t bytes = 0;
};

std::uint64_t truth_bank::usual_room() {
  constexpr std::uint64_t share = 64; // a worker keeps up to three
  return std::clamp(free_host_memory() / share, least_room, most_room);
}

truth_bank::truth_bank(int file, std::uint64_t room) : file_{file}, key_{secret_key()} {
  head begin;
  fcntl(file_.get(), F_SETFD, FD_CLOEXEC); // for no process of a candidate
  file_lock alone{file_.get()};
  if (alone && !read_at(file_.get(), 0, &begin, sizeof begin)) {
    begin = {key_, sizeof begin, room};
    if (!write_at(file_.get(), 0, &begin, sizeof begin))
      begin.end = 0;
  }
  if (!alone || begin.end < sizeof begin || begin.end > begin.room || begin.room > most_room) {
    file_.reset();
    return;
  }
  key_ = begin.key;
  room_ = begin.room;
  seen_ = sizeof begin;
  read_new_records(begin.end);
}

void truth_bank::read_new_records(std::uint64_t end) {
  for (record_head next; seen_ + sizeof next <= end && read_at(file_.get(), seen_, &next, sizeof next);) {
    if (next.bytes > end - seen_ - sizeof next)
      break;
    index_.emplace(std::string{next.name, name_bytes}, std::pair{seen_ + sizeof next, next.bytes});
    seen_ += sizeof next + next.bytes;
  }
}

std::optional<std::string> truth_bank::find(const std::string& name) const {
  auto at = index_.find(name);
  if (at == index_.end())
    return std::nullopt;
  std::string record(at->second.second, '\0');
  if (!read_at(file_.get(), at->second.first, record.data(), record.size()))
    return std::nullopt;
  return record;
}

std::optional<std::vector<std::string>> truth_bank::find_all(const std::string& name) const {
  auto record = index_.find(name);
  if (record == index_.end())
    return std::nullopt;
  auto [at, left] = record->second;
  std::vector<std::string> all;
  while (left > 0) {
    std::uint64_t bytes = 0;
    if (left < sizeof bytes || !read_at(file_.get(), at, &bytes, sizeof bytes) || bytes > left - sizeof bytes)
      return std::nullopt;
    auto& next = all.emplace_back(bytes, '\0');
    if (!read_at(file_.get(), at + sizeof bytes, next.data(), bytes))
      return std::nullopt;
    at += sizeof bytes + bytes;
    left -= sizeof bytes + bytes;
  }
  return all;
}

void truth_bank::keep(const std::string& name, std::string_view record) {
  write_new(name, {&record, 1});
}

void truth_bank::keep_all(const std::string& name, std::span<const std::string_view> records) {
  std::vector<std::uint64_t> sizes;
  std::vector<std::string_view> parts;
  sizes.reserve(records.size()); // parts point into it
  for (auto r : records) {
    sizes.push_back(r.size());
    parts.emplace_back(reinterpret_cast<const char*>(&sizes.back()), sizeof sizes.back());
    parts.push_back(r);
  }
  write_new(name, parts);
}

void truth_bank::write_new(const std::string& name, std::span<const std::string_view> parts) {
  if (!keeps() || name.size() != name_bytes || index_.contains(name))
    return;
  file_lock alone{file_.get()};
  head begin;
  if (!alone || !read_at(file_.get(), 0, &begin, sizeof begin))
    return;
  read_new_records(begin.end); // of judges beside this one
  record_head next;
  for (auto part : parts)
    next.bytes += part.size();
  if (index_.contains(name) || seen_ != begin.end || begin.end + sizeof next + next.bytes > room_)
    return;
  std::memcpy(next.name, name.data(), name_bytes);
  auto at = begin.end + sizeof next;
  for (auto part : parts) {
    if (!write_at(file_.get(), at, part.data(), part.size()))
      return;
    at += part.size();
  }
  if (!write_at(file_.get(), begin.end, &next, sizeof next))
    return;
  begin.end = at;
  if (write_at(file_.get(), 0, &begin, sizeof begin))
    read_new_records(begin.end);
}

} // namespace ke
