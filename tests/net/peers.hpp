#pragma once

#include "runtime/net/transport.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <tuple>
#include <unistd.h>

namespace ke::test {

using namespace std::chrono_literals;

/// A folder that is gone at the end of the test; its name is short enough for Unix sockets.
struct temp_folder {
  temp_folder() {
    char name[] = "/tmp/ke-net-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~temp_folder() { std::filesystem::remove_all(path); }
  temp_folder(const temp_folder&) = delete;
  std::string path;
};

/// What a transport told its application. Waits are bounded; the bound only matters when a test fails.
class inbox {
public:
  static constexpr auto patience = 20s;

  transport_events events() {
    transport_events e;
    e.on_frame = [this](frame f) {
      std::function<void(const frame&)> react;
      {
        std::lock_guard lock{mutex_};
        react = react_;
        f.passage.reset(); // dealt with: else a test's thread that is late makes its peer look like a flood
        frames_.push_back(f);
      }
      news_.notify_all();
      if (react)
        react(f);
    };
    e.on_blob = [this](std::string peer, std::string digest, std::string bytes) {
      std::lock_guard lock{mutex_};
      blobs_.emplace_back(std::move(peer), std::move(digest), std::move(bytes));
      news_.notify_all();
    };
    e.on_lost = [this](std::string peer, failure why) {
      std::lock_guard lock{mutex_};
      losses_.emplace_back(std::move(peer), std::move(why));
      news_.notify_all();
    };
    return e;
  }

  /// Called on the transport thread with every frame.
  void react(std::function<void(const frame&)> f) {
    std::lock_guard lock{mutex_};
    react_ = std::move(f);
  }

  /// Takes the next frame of the kind, waiting for it.
  std::optional<frame> take(frame_kind kind, std::chrono::milliseconds most = patience) {
    std::unique_lock lock{mutex_};
    auto at = frames_.end();
    auto found = news_.wait_for(lock, most, [&] {
      for (at = frames_.begin(); at != frames_.end() && at->kind != kind; ++at) {
      }
      return at != frames_.end();
    });
    if (!found)
      return std::nullopt;
    auto f = *at;
    frames_.erase(at);
    return f;
  }

  std::optional<std::tuple<std::string, std::string, std::string>>
  take_blob(std::chrono::milliseconds most = patience) {
    std::unique_lock lock{mutex_};
    if (!news_.wait_for(lock, most, [&] { return !blobs_.empty(); }))
      return std::nullopt;
    auto b = std::move(blobs_.front());
    blobs_.pop_front();
    return b;
  }

  std::optional<std::pair<std::string, failure>> take_loss(std::chrono::milliseconds most = patience) {
    std::unique_lock lock{mutex_};
    if (!news_.wait_for(lock, most, [&] { return !losses_.empty(); }))
      return std::nullopt;
    auto l = std::move(losses_.front());
    losses_.pop_front();
    return l;
  }

  std::size_t count(frame_kind kind) {
    std::lock_guard lock{mutex_};
    std::size_t n = 0;
    for (auto& f : frames_)
      n += f.kind == kind;
    return n;
  }

private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<frame> frames_;
  std::deque<std::tuple<std::string, std::string, std::string>> blobs_;
  std::deque<std::pair<std::string, failure>> losses_;
  std::function<void(const frame&)> react_;
};

/// A generous beat: tests that are not about silence must not depend on the machine's load.
inline constexpr auto calm_beat = 1000ms;

inline listen_options listening(const std::string& address) {
  listen_options o;
  o.endpoints = {{address}};
  o.beat = calm_beat;
  o.missed = 20;
  o.epoch = 7;
  return o;
}

inline connect_options connecting(const std::string& address, const std::string& name = "w1") {
  connect_options o;
  o.endpoint = address;
  o.beat = calm_beat;
  o.missed = 20;
  o.hello.name = name;
  o.hello.device_slots = 1;
  return o;
}

template <class T>
T must(result<T> r) {
  if (!r)
    FAIL(r.error().text);
  return std::move(*r);
}

} // namespace ke::test
