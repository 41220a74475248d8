#pragma once

#include "runtime/net/wire.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ke::wire {

/// The sending half of the blob channel, for all peers: cuts content into chunks, keeps at most a window of
/// them unacknowledged, and after a silence resumes at the receiver's last in-order byte. One transfer per
/// peer at a time, so contents arrive in order. Pure.
class blob_sender {
public:
  using time_point = std::chrono::steady_clock::time_point;
  struct out {
    std::string peer;
    blob_chunk chunk;
  };

  explicit blob_sender(std::chrono::nanoseconds resend_after) : resend_after_{resend_after} {}

  /// False if the peer's queue is full (limits of wire.md) or the content too big.
  bool add(const std::string& peer, std::string digest, std::string bytes, time_point now);
  /// The chunks that may be sent now, each once per (re)send.
  std::vector<out> take(time_point now);
  void acked(const std::string& peer, const blob_ack& ack, time_point now);
  /// The socket did not take a chunk of this peer (no route yet, no room): resume at the last acknowledged
  /// byte, at `again`.
  void stalled(const std::string& peer, time_point again);
  void forget(const std::string& peer);
  /// When to resend a silent transfer.
  time_point next() const;
  bool idle() const { return peers_.empty(); }

private:
  struct transfer {
    std::string digest;
    std::string bytes;
    std::uint64_t sent = 0, acked = 0;
    bool begun = false;
    time_point last; ///< sign of progress
    time_point not_before = time_point::min();
  };
  std::chrono::nanoseconds resend_after_;
  std::map<std::string, std::deque<transfer>> peers_;
};

/// The receiving half: assembles in order, acknowledges every chunk with the bytes so far. Pure.
class blob_receiver {
public:
  struct outcome {
    blob_ack ack;
    std::optional<std::string> complete; ///< content that matches its digest
  };

  outcome chunk(const std::string& peer, const blob_chunk& c);
  void forget(const std::string& peer);
  std::uint64_t bytes() const { return bytes_; }

private:
  void drop(const std::string& peer, const std::string& digest);
  void finish(const std::string& peer, const blob_chunk& c, outcome& out);

  std::map<std::string, std::map<std::string, std::string>> parts_; ///< peer -> digest -> bytes so far
  /// Last digests, so that a lost ack is answered again.
  std::map<std::string, std::deque<std::string>> finished_;
  std::uint64_t bytes_ = 0;
};

inline constexpr std::uint64_t max_blob = 256u << 20;
inline constexpr std::uint64_t max_assembly = 512u << 20;
inline constexpr std::size_t max_assembly_per_peer = 8;

} // namespace ke::wire
