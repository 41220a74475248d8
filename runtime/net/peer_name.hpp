#pragma once

#include <cstddef>
#include <string>

namespace ke {

/// A peer is its lane and its route: routes of two lanes may be equal.
std::string peer_name(std::size_t lane, const std::string& route);
/// Its inverse; false if the text is no such name.
bool parse_peer(const std::string& peer, std::size_t& lane, std::string& route);

} // namespace ke
