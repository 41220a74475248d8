#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/core/image.hpp"

#include <cstdint>
#include <utility>

namespace ke {

// Values of an image that codec.hpp encodes, for the few sources that keep such: who only passes an image on
// does not compile msgpack.

template <class T>
void image_writer::packed(const T& x) {
  auto text = pack(x);
  value<std::uint64_t>(text.size());
  bytes_ += text;
}

template <class T>
T image_reader::packed() {
  auto x = unpack<T>(take(value<std::uint64_t>(), 1));
  good_ = good_ && x;
  return x ? std::move(*x) : T{};
}

} // namespace ke
