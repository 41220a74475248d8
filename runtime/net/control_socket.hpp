#pragma once

#include "runtime/core/result.hpp"
#include "runtime/net/keys.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ke {

/// Where the owner of a store listens: `$XDG_RUNTIME_DIR/ke-runtime/<store-id>.sock`, else
/// `<store>/control.sock`, else (too long for a Unix socket) `/tmp/ke-runtime-<uid>/<store-id>.sock`. Pure:
/// the caller brings the environment. The owner record keeps the choice.
std::string control_path(const std::string& store, const std::string& store_id,
                         const std::string& runtime_dir, unsigned uid);

/// Makes the path's folder (mode 0700 if it is ours alone) and removes a socket left by a dead owner. Only
/// the holder of the store's lock may call it. `invalid` if the folder belongs to another user or is a link.
status prepare_control_path(const std::string& path, const std::string& store);

/// How a command reaches the owner.
struct control_target {
  std::string endpoint;         ///< ipc://PATH, or tcp:// of `--connect`
  std::string server_key;       ///< Z85; empty on loopback and ipc
  std::optional<key_pair> keys; ///< the client's
  /// While a client waits it asks so often whether the owner lives; who answers none of three has gone.
  std::chrono::milliseconds ping_every{2000};
};

struct control_answer {
  int exit_code = 0;
  std::string json; ///< of the last answer
};

/// One synchronous client of an owner: connect, ask, listen. One thread; blocks, with limits.
class control_client {
public:
  /// Proves that an owner answers (`ping`). `held` if nobody does within `patience`: a stopped owner, or
  /// none.
  static result<control_client> connect(const control_target& target,
                                        std::chrono::milliseconds patience = std::chrono::milliseconds{800});
  control_client(control_client&&) noexcept;
  control_client& operator=(control_client&&) noexcept;
  ~control_client();

  /// Sends one command and waits for its last answer; earlier ones go to `on_part` as they come. `timeout` if
  /// silent for `patience`.
  result<control_answer> ask(const std::string& command_json,
                             std::chrono::milliseconds patience = std::chrono::seconds{30},
                             const std::function<void(const std::string&)>& on_part = {});

  /// The next event line; `timeout` after `patience`, `connection` if the owner left.
  result<std::string> next_event(std::chrono::milliseconds patience);

private:
  struct core;
  explicit control_client(std::unique_ptr<core> c);
  std::unique_ptr<core> core_;
};

/// The command that `control_client::connect` sends: {"command":"ping"}. The transport answers it itself.
inline constexpr const char* ping_command = R"({"command":"ping"})";

} // namespace ke
