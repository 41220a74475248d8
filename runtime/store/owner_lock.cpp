#include "runtime/store/owner_lock.hpp"

#include "runtime/text/json_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

namespace ke {
namespace {

constexpr off_t owner_byte = 0, gate_byte = 1;

std::string path_in(const std::string& dir) {
  return dir + "/owner.lock";
}

bool set_lock(int fd, short type, off_t byte, bool wait) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  int rc;
  do
    rc = ::fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
  while (rc != 0 && errno == EINTR);
  return rc == 0;
}

std::string boot_id() {
  std::ifstream in{"/proc/sys/kernel/random/boot_id"};
  std::string id;
  std::getline(in, id);
  return id;
}

failure held_by(const std::string& dir) {
  auto record = read_owner_record(dir);
  auto who = record && !record->closed ? "process " + std::to_string(record->pid) + " on host " + record->host
                                       : std::string{"a process that is just opening or closing it"};
  return {failure_kind::held,
          "the store " + dir + " is held by " + who +
              ", which does not answer; stop that process, or give this one another store"};
}

} // namespace

result<owner_lock> owner_lock::take(const std::string& dir) {
  int fd = ::open(path_in(dir).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return failure{errno == ENOSPC || errno == EDQUOT ? failure_kind::disk_full : failure_kind::invalid,
                   "the store directory " + dir + " can't be written (" + std::strerror(errno) +
                       "); make it writable or name another store"};
  owner_lock lock{fd, dir};
  if (!set_lock(fd, F_WRLCK, owner_byte, false)) {
    if (errno == EAGAIN || errno == EACCES)
      return held_by(dir);
    return failure{failure_kind::invalid, "the store " + dir + " can't be locked (" + std::strerror(errno) +
                                              "); put it on a local file system"};
  }
  return lock;
}

owner_lock::~owner_lock() {
  if (fd_ >= 0)
    ::close(fd_);
}

status owner_lock::write(const owner_record& r) {
  nlohmann::json json;
  if (r.closed)
    json = {{"closed", true}, {"data_size", r.data_size}, {"data_changed_ns", r.data_changed_ns}};
  else
    json = {{"pid", r.pid},
            {"host", r.host},
            {"boot", r.boot},
            {"since_unix_ms", r.since_unix_ms},
            {"socket", r.socket}};
  // Padded to one length and overwritten in place: no disk space is needed after the first time, and no
  // reader meets an empty file.
  auto text = json_line(json);
  if (text.size() < 1023)
    text.resize(1023, ' ');
  text += '\n';
  auto put = ::pwrite(fd_, text.data(), text.size(), 0);
  if (put != static_cast<ssize_t>(text.size()) || ::ftruncate(fd_, put) != 0 || ::fdatasync(fd_) != 0)
    return failure{errno == ENOSPC || errno == EDQUOT ? failure_kind::disk_full : failure_kind::internal,
                   "the record in " + path_in(dir_) + " can't be written (" + std::strerror(errno) + ")"};
  return ok;
}

owner_record owner_lock::self(std::string socket) {
  owner_record r;
  r.pid = ::getpid();
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  r.host = host;
  r.boot = boot_id();
  r.since_unix_ms = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                                   std::chrono::system_clock::now().time_since_epoch())
                                                   .count());
  r.socket = std::move(socket);
  return r;
}

status owner_lock::shut_gate() {
  if (!set_lock(fd_, F_WRLCK, gate_byte, true))
    return failure{failure_kind::invalid, path_in(dir_) + " can't be locked (" + std::strerror(errno) + ")"};
  return ok;
}

opening_gate::opening_gate(const std::string& dir) : fd_{::open(path_in(dir).c_str(), O_RDONLY | O_CLOEXEC)} {
  if (fd_ >= 0)
    set_lock(fd_, F_RDLCK, gate_byte, true);
}

opening_gate::~opening_gate() {
  if (fd_ >= 0)
    ::close(fd_);
}

std::optional<owner_record> read_owner_record(const std::string& dir) {
  std::ifstream in{path_in(dir)};
  auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object())
    return std::nullopt;
  try {
    owner_record r;
    r.closed = json.value("closed", false);
    r.data_size = json.value("data_size", std::uint64_t{0});
    r.data_changed_ns = json.value("data_changed_ns", std::int64_t{0});
    r.pid = json.value("pid", std::int64_t{0});
    r.host = json.value("host", std::string{});
    r.boot = json.value("boot", std::string{});
    r.since_unix_ms = json.value("since_unix_ms", std::uint64_t{0});
    r.socket = json.value("socket", std::string{});
    return r;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt; // a value of another type: as unreadable as broken JSON
  }
}

bool owner_lives(const std::string& dir) {
  int fd = ::open(path_in(dir).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  struct flock lock{};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = owner_byte;
  lock.l_len = 1;
  bool lives = ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(fd);
  return lives;
}

} // namespace ke
