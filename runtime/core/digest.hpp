#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace ke {

/// Content identity: BLAKE2b-256 as 64 lower-case hexadecimal digits (libsodium). Thread-safe.
std::string digest_of(std::string_view bytes);

/// Digest of several parts. Lengths are hashed too, so that no two lists collide by concatenation.
std::string digest_of_parts(std::initializer_list<std::string_view> parts);

/// BLAKE2b-256 under a key of 16 to 64 bytes, as 32 raw bytes: nobody can make it without the key.
std::string keyed_digest(std::string_view key, std::string_view bytes);
/// Whether two texts are equal, in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);
/// Bytes from the system's generator, fit for keys.
std::string random_key(std::size_t bytes = 32);

/// 16 raw bytes that differ for different parts, unless somebody has looked for two that don't (XXH3): a name for
/// large contents of our own, at the speed of memory.
std::string content_name(std::span<const std::string_view> parts);

/// zstd, level 3. `decompress` gives false and an empty string if the bytes are damaged or exceed `limit`.
std::string compress(std::string_view bytes);
bool decompress(std::string_view bytes, std::string& out, std::size_t limit = 256u << 20);

/// XXH3-like 64-bit checksum against accidental damage of records (BLAKE2b truncated to 8 bytes).
std::uint64_t checksum_of(std::string_view bytes);

} // namespace ke
