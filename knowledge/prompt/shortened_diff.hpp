#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ke {

/// A unified diff in at most `limit` bytes or so (a line for each change that is left out comes on top): whole changes in order,
/// as long as they fit; where a long one does not, later ones that do are shown, and a line says how long it is and where it stands.
/// A diff of one change that is too long is cut at the end of a line. Pure.
std::string shortened_diff(std::string_view diff, std::size_t limit);

} // namespace ke
