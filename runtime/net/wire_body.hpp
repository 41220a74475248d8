#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/net/wire.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

// Bodies of frames as bytes, for those who write and read them.
namespace ke::wire {

/// Of what a peer sends.
inline constexpr decode_limits limits{max_body, 1u << 16, 16, 12};

/// Body of a frame: `corrupt` if over the limits or of another shape.
template <class T>
result<T> decode(std::string_view body) {
  return unpack<T>(body, limits);
}

/// A frame ready for `transport_port::send`.
template <class T>
frame make_frame(std::string peer, frame_kind kind, const T& body, std::uint64_t correlation = 0) {
  return frame{std::move(peer), kind, 0, correlation, 0, pack(body)};
}

} // namespace ke::wire
