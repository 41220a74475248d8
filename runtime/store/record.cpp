#include "runtime/store/record.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/core/hex.hpp"

#include <array>
#include <cstring>

namespace ke {
namespace {

constexpr char record_version = 1;
constexpr std::size_t seal_bytes = 9;

/// What seals hold of each table, in the order of the enum. Never given to another: 4, 8 and 12 were tables of
/// schema 1.
constexpr std::array<char, names_of<table>::value.size()> table_numbers{0, 1,  2,  3,  5,  6, 7,
                                                                        9, 10, 11, 13, 14, 15};

/// Covers table and key, so that a row found under another key fails as well.
std::uint64_t sum_of(table where, std::string_view key, std::string_view body) {
  thread_local std::string bytes;
  bytes.clear();
  bytes += table_numbers[static_cast<std::size_t>(where)];
  bytes += static_cast<char>(key.size() >> 8);
  bytes += static_cast<char>(key.size());
  bytes += key;
  bytes += body;
  auto sum = checksum_of(bytes);
  if (bytes.capacity() > (1u << 20))
    bytes = {};
  return sum;
}

template <class T>
void append_big_endian(std::string& out, T x) {
  for (int shift = 8 * (static_cast<int>(sizeof x) - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(x >> shift);
}

} // namespace

std::string key_of(std::uint32_t campaign) {
  std::string key;
  append_big_endian(key, campaign);
  return key;
}

std::string key_of(std::uint32_t campaign, std::uint32_t tree, std::uint32_t node) {
  auto key = key_of(campaign);
  append_big_endian(key, tree);
  append_big_endian(key, node);
  return key;
}

std::string key_of(std::uint32_t campaign, std::uint32_t tree, std::uint32_t node, std::uint32_t last) {
  auto key = key_of(campaign, tree, node);
  append_big_endian(key, last);
  return key;
}

std::string journal_key(std::uint32_t campaign, std::uint64_t sequence) {
  auto key = key_of(campaign);
  append_big_endian(key, sequence);
  return key;
}

std::string store_batch::blob(std::string bytes) {
  auto digest = digest_of(bytes);
  blobs.emplace_back(digest, std::move(bytes));
  return digest;
}

std::string seal(table where, std::string_view key, std::string_view body) {
  std::string row;
  row.reserve(seal_bytes + body.size());
  row += record_version;
  auto sum = sum_of(where, key, body);
  for (int i = 0; i < 8; ++i)
    row += static_cast<char>(sum >> (8 * i));
  row += body;
  return row;
}

result<std::string_view> unseal(table where, std::string_view key, std::string_view row) {
  auto damaged = [&](const char* what) {
    return failure{failure_kind::corrupt,
                   "row " + shown_key(key) + " of table " + std::string{to_text(where)} + " " + what};
  };
  if (row.size() < seal_bytes)
    return damaged("is cut short");
  if (row[0] > record_version)
    return failure{failure_kind::newer_version,
                   damaged("was written by a later version of this program").text};
  if (row[0] != record_version)
    return damaged("has no valid record version");
  std::uint64_t sum = 0;
  for (int i = 0; i < 8; ++i)
    sum |= static_cast<std::uint64_t>(static_cast<unsigned char>(row[1 + i])) << (8 * i);
  auto body = row.substr(seal_bytes);
  if (sum != sum_of(where, key, body))
    return damaged("does not match its checksum");
  return body;
}

std::string sequence_key(std::uint64_t sequence) {
  std::string key;
  append_big_endian(key, sequence);
  return key;
}

std::uint64_t number_of(std::string_view big_endian) {
  std::uint64_t x = 0;
  for (unsigned char b : big_endian.substr(0, 8))
    x = x << 8 | b;
  return x;
}

std::string digest_key(std::string_view digest) {
  if (digest.size() != 64)
    return {};
  return from_hex(digest).value_or("");
}

std::string digest_text(std::string_view key) {
  return to_hex(key);
}

std::string shown_key(std::string_view key) {
  for (unsigned char c : key)
    if (c < 0x21 || c > 0x7e)
      return "0x" + to_hex(key);
  return "\"" + std::string{key} + "\"";
}

} // namespace ke
