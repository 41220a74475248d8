#include "runtime/net/blob_flow.hpp"

#include "runtime/core/digest.hpp"

#include <algorithm>

namespace ke::wire {

namespace {

constexpr std::size_t max_queue = 256;
constexpr std::size_t remembered = 16;

} // namespace

bool blob_sender::add(const std::string& peer, std::string digest, std::string bytes, time_point now) {
  auto& queue = peers_[peer];
  if (bytes.size() > max_blob || queue.size() >= max_queue) {
    if (queue.empty())
      peers_.erase(peer);
    return false;
  }
  // Wanted twice while it is on its way: once is enough.
  auto same = std::any_of(queue.begin(), queue.end(), [&](const transfer& t) { return t.digest == digest; });
  if (!same)
    queue.push_back({std::move(digest), std::move(bytes), 0, 0, false, now, now});
  return true;
}

std::vector<blob_sender::out> blob_sender::take(time_point now) {
  std::vector<out> ready;
  for (auto& [peer, queue] : peers_) {
    auto& t = queue.front();
    if (now < t.not_before)
      continue;
    if (t.begun && t.last + resend_after_ <= now) {
      t.sent = t.acked;
      t.begun = false;
    }
    // An empty content is one empty chunk.
    while (!t.begun || (t.sent < t.bytes.size() && t.sent - t.acked < blob_window * blob_chunk_size)) {
      auto piece = t.bytes.substr(t.sent, blob_chunk_size);
      ready.push_back({peer, {t.digest, t.bytes.size(), t.sent, std::move(piece)}});
      t.sent += ready.back().chunk.bytes.size();
      t.begun = true;
      t.last = now;
    }
  }
  return ready;
}

void blob_sender::acked(const std::string& peer, const blob_ack& ack, time_point now) {
  auto at = peers_.find(peer);
  if (at == peers_.end() || at->second.front().digest != ack.digest)
    return;
  auto& t = at->second.front();
  t.last = now;
  if (ack.received > t.bytes.size())
    return;
  // Less than before: the receiver lost its part and wants it again from there.
  t.sent = ack.received < t.acked ? ack.received : std::max(t.sent, ack.received);
  t.acked = ack.received;
  if (ack.refused || (t.begun && t.acked == t.bytes.size())) {
    at->second.pop_front();
    if (at->second.empty())
      peers_.erase(at);
    else
      at->second.front().last = now;
  }
}

void blob_sender::stalled(const std::string& peer, time_point again) {
  auto at = peers_.find(peer);
  if (at == peers_.end())
    return;
  auto& t = at->second.front();
  t.sent = t.acked;
  t.begun = false;
  t.not_before = again;
}

void blob_sender::forget(const std::string& peer) {
  peers_.erase(peer);
}

blob_sender::time_point blob_sender::next() const {
  auto next = time_point::max();
  for (auto& [peer, queue] : peers_)
    next =
        std::min(next, queue.front().begun ? queue.front().last + resend_after_ : queue.front().not_before);
  return next;
}

void blob_receiver::drop(const std::string& peer, const std::string& digest) {
  auto at = parts_.find(peer);
  if (at == parts_.end())
    return;
  if (auto part = at->second.find(digest); part != at->second.end()) {
    bytes_ -= part->second.size();
    at->second.erase(part);
  }
}

blob_receiver::outcome blob_receiver::chunk(const std::string& peer, const blob_chunk& c) {
  outcome out;
  out.ack.digest = c.digest;
  auto refuse = [&] {
    drop(peer, c.digest);
    out.ack.refused = true;
    return out;
  };
  auto& done = finished_[peer];
  auto& mine = parts_[peer];
  if (c.offset != 0 && !mine.count(c.digest)) {
    // Either our last ack was lost, or the beginning was (we restarted): the sender goes on from what we
    // name.
    out.ack.received = std::find(done.begin(), done.end(), c.digest) != done.end() ? c.size : 0;
    return out;
  }
  if (c.size > max_blob || c.offset > c.size || c.bytes.size() > c.size - c.offset ||
      c.bytes.size() > blob_chunk_size || c.digest.size() != 64)
    return refuse();
  if (!mine.count(c.digest) && mine.size() >= max_assembly_per_peer)
    return refuse();
  auto& part = mine[c.digest];
  if (c.offset == part.size() && part.size() + c.bytes.size() <= c.size) {
    if (bytes_ + c.bytes.size() > max_assembly)
      return refuse();
    part += c.bytes;
    bytes_ += c.bytes.size();
  }
  out.ack.received = part.size();
  if (part.size() == c.size)
    finish(peer, c, out);
  return out;
}

/// All bytes are there: are they the content that was named?
void blob_receiver::finish(const std::string& peer, const blob_chunk& c, outcome& out) {
  auto& mine = parts_[peer];
  auto& part = mine[c.digest];
  bytes_ -= part.size();
  if (digest_of(part) == c.digest) {
    out.complete = std::move(part);
    auto& done = finished_[peer];
    done.push_back(c.digest);
    if (done.size() > remembered)
      done.pop_front();
  } else {
    out.ack.refused = true;
  }
  mine.erase(c.digest);
}

void blob_receiver::forget(const std::string& peer) {
  if (auto at = parts_.find(peer); at != parts_.end()) {
    for (auto& [digest, part] : at->second)
      bytes_ -= part.size();
    parts_.erase(at);
  }
  finished_.erase(peer);
}

} // namespace ke::wire
