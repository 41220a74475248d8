#pragma once

#include "runtime/core/result.hpp"

#include <zmq.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Thin owners of libzmq's handles, for this room's sources only; headers for other rooms must not include
/// it.
namespace ke::zmq {

class context {
public:
  context() : handle_{zmq_ctx_new()} {}
  ~context() {
    if (handle_)
      zmq_ctx_term(handle_);
  }
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  void* handle() const { return handle_; }

private:
  void* handle_;
};

/// A received message: the parts, and the user id that the ZAP handler gave to the connection.
struct message {
  std::vector<std::string> parts;
  std::string user;
};

enum class sent { yes, full, unroutable };

/// One socket: made, used and closed on one thread.
class socket {
public:
  socket() = default;
  socket(context& c, int type) : handle_{zmq_socket(c.handle(), type)} {}
  ~socket() { close(); }
  socket(socket&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
  socket& operator=(socket&& other) noexcept {
    close();
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }

  explicit operator bool() const { return handle_ != nullptr; }
  void* handle() const { return handle_; }
  void close();

  void set(int option, int value);
  void set(int option, std::string_view value);
  void set_long(int option, std::int64_t value);
  status bind(const std::string& address);
  status connect(const std::string& address);
  std::string last_endpoint() const;

  /// Never blocks; nothing if there is no message. Parts over `max_parts` are read and dropped.
  std::optional<message> receive(std::size_t max_parts = 8);
  /// Never blocks. All parts or none.
  sent send(std::initializer_list<std::string_view> parts);

private:
  void* handle_ = nullptr;
};

} // namespace ke::zmq
