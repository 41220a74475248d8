#include "runtime/store/row_read.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/store/blob_files.hpp"
#include "runtime/store/record.hpp"

namespace ke {
namespace {

/// A blob larger than this was not written by us.
constexpr std::size_t largest_blob = std::size_t{1} << 30;

failure not_found(table where, std::string_view key) {
  return {failure_kind::not_found,
          "there is no row " + shown_key(key) + " in table " + std::string{to_text(where)}};
}

} // namespace

result<std::string> read_row(transaction& txn, table where, std::string_view key, const std::string& dir) {
  std::string_view row;
  if (int rc = txn.get(where, key, row))
    return classify(rc) == store_error::missing ? not_found(where, key) : store_failure(rc, "read", dir);
  auto body = unseal(where, key, row);
  if (!body)
    return body.error();
  return std::string{*body};
}

result<std::vector<std::pair<std::string, std::string>>> read_rows(transaction& txn, table where,
                                                                   std::string_view prefix,
                                                                   std::string_view first, std::size_t limit,
                                                                   const std::string& dir) {
  std::vector<std::pair<std::string, std::string>> rows;
  std::optional<failure> wrong;
  if (limit == 0)
    return rows;
  int rc = txn.walk(where, prefix, first, [&](std::string_view key, std::string_view row) {
    auto body = unseal(where, key, row);
    if (!body) {
      wrong = body.error();
      return false;
    }
    rows.emplace_back(key, *body);
    return rows.size() < limit;
  });
  if (rc != 0)
    return store_failure(rc, "read", dir);
  if (wrong)
    return *wrong;
  return rows;
}

result<std::string> read_blob(transaction& txn, std::string_view digest, const std::string& dir) {
  auto key = digest_key(digest);
  failure absent{failure_kind::not_found, "there is no blob " + std::string{digest}};
  if (key.empty())
    return absent;
  auto row = read_row(txn, table::digests, key, dir);
  if (!row)
    return row.error().kind == failure_kind::not_found ? absent : row.error();
  auto place = unpack<blob_place>(*row);
  if (!place)
    return place.error();
  failure damaged{failure_kind::corrupt, "the content of blob " + std::string{digest} + " is damaged"};
  std::string packed, content;
  if (place->file) {
    if (blob_files::read(dir, digest, packed) != 0)
      return failure{failure_kind::corrupt, "the file of blob " + std::string{digest} + " can't be read"};
  } else {
    auto bytes = read_row(txn, table::blobs, sequence_key(place->sequence), dir);
    if (!bytes)
      return failure{failure_kind::corrupt, damaged.text + ": " + bytes.error().text};
    packed = std::move(*bytes);
  }
  if (!decompress(packed, content, largest_blob) || digest_of(content) != digest)
    return damaged;
  return content;
}

} // namespace ke
