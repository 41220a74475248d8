#pragma once

#include <cstddef>
#include <functional>

namespace ke {

/// Threads that the judge's own work may take. 1 until a driver says that the judge has processors which no candidate
/// is ever timed on: elsewhere its threads would warm and load what is measured. Not while `side_by_side` runs.
void allow_threads(std::size_t most);
std::size_t allowed_threads();

/// Of a tensor: fewer are done before another thread has begun.
inline constexpr std::size_t elements_of_a_thread = 128u << 10;

/// Calls work(from, to) for parts of [0, n) of at least `least`, at once where threads are allowed; returns after the
/// last. `work` may not throw, and may write only what belongs to its part.
void side_by_side(std::size_t n, std::size_t least,
                  const std::function<void(std::size_t from, std::size_t to)>& work);

} // namespace ke
