#pragma once

#include "runtime/net/keys.hpp"
#include "runtime/net/transport_port.hpp"
#include "runtime/net/wire.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// An address to listen on, and who may speak there. With keys, the authenticated key must have the right,
/// too. Without keys, TCP is open to every user of the machine and admits no client; an ipc socket (mode
/// 0600) is open to the owner's user only, who is trusted.
struct listen_endpoint {
  std::string address; ///< tcp://HOST:PORT (PORT may be *), or ipc://PATH
  bool workers = true;
  bool clients = true;
};

struct listen_options {
  std::vector<listen_endpoint> endpoints;
  /// CURVE on TCP; needed unless loopback. ipc:// is never encrypted: its file mode guards it.
  std::optional<key_pair> keys;
  std::string authorized_keys; ///< folder of workers' .pub files
  /// Folder of clients' .pub files; commands of those in its subfolder `trusted` are `frame::trusted`.
  std::string client_keys;
  bool admit_any_key = false; ///< an open fleet: any client that knows our key is a worker
  std::string store;          ///< its id, for the workers' welcome
  std::uint64_t epoch = 1;    ///< the store's fencing epoch
  std::chrono::milliseconds beat{2000};
  unsigned missed = 3; ///< beats missed until a peer is lost
  std::chrono::milliseconds lease{10'000};
  std::uint32_t min_version = wire::min_version;
  std::uint32_t max_version = wire::version;
  /// Last word on a hello, on the transport thread: a refusal, or nothing. Must be quick and pure.
  std::function<std::optional<wire::refuse_body>(const wire::hello_body&)> admit;
};

struct connect_options {
  std::string endpoint;
  std::string server_key;       ///< pinned, Z85; empty: no CURVE (loopback and ipc only)
  std::optional<key_pair> keys; ///< absent with a server key: a fresh pair is made (an open fleet admits it)
  bool session = true;          ///< workers: hello, beats. false: a client that sends commands
  wire::hello_body hello;       ///< of the first attachment; later ones use `set_hello`
  std::chrono::milliseconds beat{2000}; ///< until a welcome says another one
  unsigned missed = 3;
};

/// The thread that owns ZeroMQ, as a coordinator (`listen`), or as a worker or client (`connect`). Does
/// handshake, liveness, beats and blobs; the application sees sessions begin (`hello` on the coordinator,
/// `welcome` on the worker, both through on_frame) and end (on_lost).
///
/// A worker's frame sent outside a session is dropped and counted: send on `welcome`. A `refuse` for good
/// arrives through on_frame. Destruction says bye, gives libzmq half a second to flush, and joins. Not from a
/// callback.
class transport final : public transport_port {
public:
  static result<std::unique_ptr<transport>> listen(listen_options o, transport_events events);
  static result<std::unique_ptr<transport>> connect(connect_options o, transport_events events);
  ~transport() override;

  void send(frame f) override;
  void send_blob(std::string peer, std::string digest, std::string bytes) override;
  void set_beat(std::string peer, std::string body) override;
  void set_hello(std::string body) override;

  /// The addresses as bound, ports resolved; in the order of `listen_options::endpoints`.
  const std::vector<std::string>& endpoints() const;

private:
  struct core;
  explicit transport(std::unique_ptr<core> c);
  std::unique_ptr<core> core_;
};

} // namespace ke
