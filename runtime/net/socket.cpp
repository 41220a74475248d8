#include "runtime/net/socket.hpp"

#include <array>
#include <cerrno>

namespace ke::zmq {

void socket::close() {
  if (handle_)
    zmq_close(std::exchange(handle_, nullptr));
}

void socket::set(int option, int value) {
  zmq_setsockopt(handle_, option, &value, sizeof value);
}

void socket::set_long(int option, std::int64_t value) {
  zmq_setsockopt(handle_, option, &value, sizeof value);
}

void socket::set(int option, std::string_view value) {
  zmq_setsockopt(handle_, option, value.data(), value.size());
}

status socket::bind(const std::string& address) {
  if (zmq_bind(handle_, address.c_str()) != 0)
    return failure{
        failure_kind::invalid,
        "cannot listen on " + address + ": " + zmq_strerror(zmq_errno()) +
            (zmq_errno() == EADDRINUSE ? " (another process has it: choose another address)" : "")};
  return ok;
}

status socket::connect(const std::string& address) {
  if (zmq_connect(handle_, address.c_str()) != 0)
    return failure{failure_kind::invalid, "cannot connect to " + address + ": " + zmq_strerror(zmq_errno())};
  return ok;
}

std::string socket::last_endpoint() const {
  std::array<char, 512> text{};
  std::size_t size = text.size();
  zmq_getsockopt(handle_, ZMQ_LAST_ENDPOINT, text.data(), &size);
  return text.data();
}

std::optional<message> socket::receive(std::size_t max_parts) {
  message out;
  for (;;) {
    zmq_msg_t part;
    zmq_msg_init(&part);
    int rc;
    do
      rc = zmq_msg_recv(&part, handle_, ZMQ_DONTWAIT);
    while (rc < 0 && zmq_errno() == EINTR);
    if (rc < 0) {
      zmq_msg_close(&part);
      return std::nullopt; // parts of one message arrive together: only the first can be missing
    }
    if (out.parts.size() < max_parts)
      out.parts.emplace_back(static_cast<const char*>(zmq_msg_data(&part)), zmq_msg_size(&part));
    bool more = zmq_msg_more(&part) != 0;
    if (!more)
      if (auto user = zmq_msg_gets(&part, "User-Id"))
        out.user = user;
    zmq_msg_close(&part);
    if (!more)
      return out;
  }
}

sent socket::send(std::initializer_list<std::string_view> parts) {
  auto left = parts.size();
  for (auto part : parts) {
    --left;
    int rc;
    do
      rc = zmq_send(handle_, part.data(), part.size(), ZMQ_DONTWAIT | (left ? ZMQ_SNDMORE : 0));
    while (rc < 0 && zmq_errno() == EINTR);
    if (rc < 0)
      return zmq_errno() == EAGAIN ? sent::full
                                   : sent::unroutable; // only at the first part: libzmq takes a message whole
  }
  return sent::yes;
}

} // namespace ke::zmq
