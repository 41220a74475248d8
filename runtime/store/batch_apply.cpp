#include "runtime/store/batch_apply.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/store/blob_files.hpp"
#include "runtime/store/record.hpp"

namespace ke {
namespace {

constexpr std::size_t longest_key = 511; // LMDB's

int put_row(transaction& txn, store_positions& next, table where, std::string_view key,
            std::string_view body) {
  auto& last = next.last[static_cast<std::size_t>(where)];
  bool beyond = last.empty() || key > last;
  int rc = txn.put(where, key, seal(where, key, body), beyond);
  if (rc == 0 && beyond)
    last = key;
  return rc;
}

int put_blob(transaction& txn, store_positions& next, const std::string& digest, const std::string& bytes,
             const std::string& dir) {
  auto key = digest_key(digest);
  std::string_view row;
  int rc = txn.get(table::digests, key, row);
  if (classify(rc) != store_error::missing)
    return rc; // already stored, or an error
  auto packed = compress(bytes);
  blob_place place{next.blob, bytes.size(), packed.size(), packed.size() > blob_files::threshold};
  if (place.file) {
    place.sequence = 0;
    // A failed transaction may have left a file of this name and size. It is written again, to be surely
    // whole and synced.
    rc = blob_files::write(dir, digest, packed);
  } else {
    rc = put_row(txn, next, table::blobs, sequence_key(next.blob), packed);
    ++next.blob;
  }
  return rc != 0 ? rc : put_row(txn, next, table::digests, key, pack(place));
}

int put_journal(transaction& txn, store_positions& next, std::uint32_t campaign,
                const journal_record& record) {
  auto known = next.journal.find(campaign);
  if (known == next.journal.end()) {
    std::string key;
    if (int rc = txn.last_key(table::journal, key_of(campaign), key))
      return rc;
    known = next.journal.emplace(campaign, key.empty() ? 0 : number_of(std::string_view{key}.substr(4)) + 1)
                .first;
  }
  return put_row(txn, next, table::journal, journal_key(campaign, known->second++), pack(record));
}

} // namespace

int store_positions::load(transaction& txn) {
  for (std::size_t i = 0; i < table_count; ++i)
    if (int rc = txn.last_key(static_cast<table>(i), {}, last[i]))
      return rc;
  auto& newest = last[static_cast<std::size_t>(table::blobs)];
  blob = newest.empty() ? 0 : number_of(newest) + 1;
  return 0;
}

std::string fault_in(const store_batch& batch) {
  auto bad_key = [](table where, const std::string& key) {
    return key.empty() || key.size() > longest_key
               ? "a key of table " + std::string{to_text(where)} + " has " + std::to_string(key.size()) +
                     " bytes; 1 to 511 are possible"
               : std::string{};
  };
  for (auto& row : batch.puts)
    if (auto why = bad_key(row.where, row.key); !why.empty())
      return why;
  for (auto& row : batch.erases)
    if (auto why = bad_key(row.where, row.key); !why.empty())
      return why;
  for (auto& [digest, bytes] : batch.blobs)
    if (digest_key(digest).empty())
      return "\"" + digest + "\" is not a digest";
  return {};
}

std::size_t size_of(const store_batch& batch) {
  std::size_t bytes = 64;
  for (auto& row : batch.puts)
    bytes += row.key.size() + row.value.size() + 32;
  for (auto& [digest, content] : batch.blobs)
    bytes += content.size() + 128;
  for (auto& [campaign, record] : batch.journal)
    bytes += record.body.size() + 64;
  return bytes;
}

int apply(const store_batch& batch, transaction& txn, store_positions& next, const std::string& dir) {
  for (auto& row : batch.erases)
    if (int rc = txn.erase(row.where, row.key))
      return rc;
  for (auto& [digest, bytes] : batch.blobs)
    if (int rc = put_blob(txn, next, digest, bytes, dir))
      return rc;
  for (auto& row : batch.puts)
    if (int rc = put_row(txn, next, row.where, row.key, row.value))
      return rc;
  for (auto& [campaign, record] : batch.journal)
    if (int rc = put_journal(txn, next, campaign, record))
      return rc;
  return 0;
}

} // namespace ke
