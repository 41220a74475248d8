#include "backends/judge/warm_fork.hpp"

#include "runtime/process/bubblewrap.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace ke {
namespace {

using clock = std::chrono::steady_clock;

struct request_header { // REQUEST of fork_server.py
  char magic[4] = {'K', 'E', 'F', '2'};
  std::uint32_t user = 0, processes = 0, descriptors = 0;
  std::uint64_t address_space = 0, file_bytes = 0, scratch_bytes = 0, inodes = 0;
};
static_assert(sizeof(request_header) == 48);

failure machine(std::string what) {
  return {failure_kind::device, "the warm Python process " + std::move(what), true};
}

/// Why send_with failed.
failure not_taken() {
  return machine(errno == ETIMEDOUT ? "takes no request" : std::string{"has ended: "} + std::strerror(errno));
}

clock::time_point until_in(double seconds) {
  return clock::now() + std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
}

bool make_pipe(unique_fd& read_end, unique_fd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return false;
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
  return ::fcntl(read_end.get(), F_SETFL, O_NONBLOCK) == 0;
}

/// False with errno: nobody has the other end, or nobody has made room there in time.
bool send_with(int socket, const request_header& header, const int* fds, std::size_t count,
               clock::time_point until) {
  alignas(cmsghdr) char extra[CMSG_SPACE(8 * sizeof(int))] = {};
  iovec data{const_cast<request_header*>(&header), sizeof header};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = extra;
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  auto* c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(c), fds, count * sizeof(int));
  for (;;) {
    if (::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
      return true; // a packet goes whole or not at all
    if (errno != EAGAIN && errno != EINTR)
      return false;
    if (clock::now() >= until) {
      errno = ETIMEDOUT;
      return false;
    }
    ::poll(nullptr, 0, 5); // other judges' requests are before ours
  }
}

/// One packet with at most one descriptor; empty when the other end is closed or nothing came in time.
std::string receive(int socket, clock::time_point until, unique_fd& handle) {
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now()).count();
    pollfd p{socket, POLLIN, 0};
    int ready = ::poll(&p, 1, static_cast<int>(std::max<std::int64_t>(0, left)));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return {};
    char text[512];
    alignas(cmsghdr) char extra[CMSG_SPACE(sizeof(int))] = {};
    iovec data{text, sizeof text};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = extra;
    message.msg_controllen = sizeof extra;
    auto n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (n <= 0)
      return {};
    if (auto* c = CMSG_FIRSTHDR(&message); c && c->cmsg_type == SCM_RIGHTS) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(c), sizeof fd);
      handle.reset(fd);
    }
    return {text, static_cast<std::size_t>(n)};
  }
}

/// The process of a pidfd as we number it; 0 if it is gone.
pid_t pid_of(int pidfd) {
  std::ifstream in{"/proc/self/fdinfo/" + std::to_string(pidfd)};
  for (std::string word; in >> word;)
    if (word == "Pid:") {
      pid_t pid = 0;
      in >> pid;
      return std::max<pid_t>(pid, 0);
    }
  return 0;
}

bool write_whole(int fd, std::string_view text) {
  while (!text.empty()) {
    auto n = ::write(fd, text.data(), text.size());
    if (n < 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

request_header header_of(const fork_request& what) {
  request_header header;
  header.user = next_outer_user().value_or(0);
  header.processes = what.processes;
  header.address_space = what.address_space;
  header.file_bytes = what.file_bytes;
  header.scratch_bytes = what.scratch_bytes;
  header.descriptors = what.descriptors;
  header.inodes = what.inodes;
  return header;
}

} // namespace

result<warm_fork> warm_fork::ask(const fork_request& what) {
  warm_fork made;
  unique_fd payload{::memfd_create("ke-payload", MFD_CLOEXEC)}, out, err;
  int ends[2];
  bool good = payload && ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
  if (!good)
    return machine(std::string{"cannot be asked: "} + std::strerror(errno));
  made.control_.reset(ends[0]);
  unique_fd theirs{ends[1]};
  if (!write_whole(payload.get(), what.payload))
    return machine(std::string{"cannot be given its work: "} + std::strerror(errno));
  if (!make_pipe(made.process.out, out) || !make_pipe(made.process.err, err))
    return machine(std::string{"cannot be given pipes: "} + std::strerror(errno));
  auto header = header_of(what);
  int fds[] = {theirs.get(), payload.get(), what.memory, what.go, what.done, out.get(), err.get(), what.page};
  auto count = std::size(fds) - (what.page < 0 ? 1 : 0);
  auto until = until_in(what.wait_s);
  if (!send_with(what.parent, header, fds, count, until))
    return not_taken();
  theirs.reset();
  auto answer = receive(made.control_.get(), until, made.process.pidfd);
  if (answer.size() > 1 && answer[0] == 'E' && !made.process.pidfd) { // the fork itself may be first to speak
    made.trouble_ = answer.substr(1);
    answer = receive(made.control_.get(), clock::now() + std::chrono::seconds{2}, made.process.pidfd);
    if (answer.empty())
      return machine("could not make a fork: " + made.trouble_);
  }
  if (answer.size() != 1 + sizeof made.base_bytes || answer[0] != 'P' || !made.process.pidfd)
    return machine(answer.empty() ? "did not answer" : "answered something else");
  std::memcpy(&made.base_bytes, answer.data() + 1, sizeof made.base_bytes);
  made.process.pid = pid_of(made.process.pidfd.get());
  return made;
}

status warm_fork::ready(int parent, double wait_s) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return machine(std::string{"cannot be asked: "} + std::strerror(errno));
  unique_fd ours{ends[0]}, theirs{ends[1]}, none;
  request_header header;
  std::memcpy(header.magic, "KEW2", sizeof header.magic);
  auto until = until_in(wait_s);
  int fds[] = {theirs.get()};
  if (!send_with(parent, header, fds, 1, until))
    return not_taken();
  theirs.reset();
  auto answer = receive(ours.get(), until, none);
  if (answer != "W")
    return machine(answer.empty() ? "did not answer" : "answered something else");
  return ok;
}

warm_fork::~warm_fork() {
  if (control_ && !over_)
    kill();
}

std::optional<child_end> warm_fork::ended(std::chrono::nanoseconds wait) {
  unique_fd none;
  for (auto until = clock::now() + wait;;) {
    auto said = receive(control_.get(), until, none);
    if (said.size() > 1 && said[0] == 'E') {
      trouble_ = said.substr(1);
      continue;
    }
    pollfd gone{process.pidfd.get(), POLLIN, 0};
    child_end end;
    if (said.size() == 9 && said[0] == 'X') {
      std::int32_t code, signal;
      std::memcpy(&code, said.data() + 1, 4);
      std::memcpy(&signal, said.data() + 5, 4);
      end.code = code;
      end.signal = signal;
    } else if (::poll(&gone, 1, 0) != 1) {
      return std::nullopt; // neither told nor dead
    }
    over_ = true;
    return end;
  }
}

child_end warm_fork::kill() {
  ::syscall(SYS_pidfd_send_signal, process.pidfd.get(), SIGKILL, nullptr, 0);
  auto end = ended(std::chrono::seconds{2}).value_or(child_end{});
  over_ = true;
  return end;
}

} // namespace ke
