#pragma once

#include "runtime/core/result.hpp"
#include "runtime/net/keys.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// Where a store's owner may listen, best first, without paths too long for a Unix socket:
///   $XDG_RUNTIME_DIR/ke-runtime/<store-id>.sock
///   <store>/control.sock
///   /tmp/ke-runtime-<uid>/<store-id>.sock
/// Pure: the caller brings the environment.
std::vector<std::string> control_paths(const std::string& store, const std::string& store_id,
                                       const std::string& runtime_dir, unsigned uid);

/// Makes the path's folder (mode 0700) and removes a dead owner's socket. For the holder of the store's lock
/// only. `invalid` if the folder can't be made or written, is another user's or a link. The store's own
/// folder keeps its mode, but must be this user's, too.
status prepare_control_path(const std::string& path, const std::string& store);

/// Prepares the first path that works. A runtime folder may be gone or belong to another user (`sudo -E`,
/// cron, containers); the next path is tried then. The owner record keeps the choice. `invalid`, with every
/// reason, if none works.
result<std::string> take_control_path(const std::vector<std::string>& paths, const std::string& store);

/// How a command reaches the owner.
struct control_target {
  std::string endpoint;         ///< ipc://PATH, or tcp:// of `--connect`
  std::string server_key;       ///< Z85; empty on loopback and ipc
  std::optional<key_pair> keys; ///< the client's
  /// A waiting client pings the owner this often; three pings without answer: the owner has gone.
  std::chrono::milliseconds ping_every{2000};
};

struct control_answer {
  int exit_code = 0;
  std::string json; ///< of the last answer
};

/// The text of {"error": TEXT}; any other answer as it is.
std::string error_in(const std::string& answer_json);

/// One synchronous client of an owner: connect, ask, listen. One thread; blocks, with limits.
class control_client {
public:
  /// Proves that an owner answers (`ping`). `held` if none does within `patience`: stopped, or there is none.
  static result<control_client> connect(const control_target& target,
                                        std::chrono::milliseconds patience = std::chrono::milliseconds{800});
  control_client(control_client&&) noexcept;
  control_client& operator=(control_client&&) noexcept;
  ~control_client();

  /// Sends one command and waits for the last answer; earlier ones go to `on_part`. `timeout` after a silence
  /// of `patience`.
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
