#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ke {

/// Content identity: BLAKE2b-256 as 64 lower-case hexadecimal digits (libsodium). Thread-safe.
std::string digest_of(std::string_view bytes);

/// Digest of several parts; the parts' lengths are hashed too, so that no two lists collide by concatenation.
std::string digest_of_parts(std::initializer_list<std::string_view> parts);

/// zstd, level 3. `decompress` gives an empty string and false if the bytes are damaged or would exceed
/// `limit`.
std::string compress(std::string_view bytes);
bool decompress(std::string_view bytes, std::string& out, std::size_t limit = 256u << 20);

/// XXH3-like 64-bit checksum against accidental damage of records (BLAKE2b truncated to 8 bytes).
std::uint64_t checksum_of(std::string_view bytes);

/// Digest of a source text with comments, blank space and line ends normalised: equal for edits that change
/// nothing.
std::string source_digest(std::string_view source);

} // namespace ke
