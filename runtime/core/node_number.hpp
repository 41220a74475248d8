#pragma once

#include <cstdint>

namespace ke {

/// Nodes of a tree are numbered from 0, the reference root. This number stands for none.
inline constexpr std::uint32_t no_node = 0xffffffff;

} // namespace ke
