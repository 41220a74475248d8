#include "runtime/core/codec.hpp"
#include "runtime/store/blob_files.hpp"
#include "runtime/store/environment.hpp"
#include "runtime/store/opening.hpp"
#include "runtime/store/store_check.hpp"

namespace ke {
namespace {

/// Whether a row can be read, and what it names is there.
status verify_row(const std::string& dir, table where, std::string_view key, std::string_view row) {
  auto body = unseal(where, key, row);
  if (!body)
    return body.error();
  if (where != table::digests)
    return ok;
  auto place = unpack<blob_place>(*body);
  if (!place)
    return place.error();
  if (place->file && blob_files::size_of(dir, digest_text(key)) != static_cast<std::int64_t>(place->stored))
    return failure{failure_kind::corrupt, "the file of blob " + digest_text(key) + " is missing or cut"};
  return ok;
}

} // namespace

status verify_store(const std::string& dir) {
  auto path = opening::canonical(dir);
  if (!path)
    return path.error();
  auto env = environment::open(*path, environment::mode::unlocked, 0);
  if (!env)
    return env.error();
  transaction txn{**env, transaction::kind::read};
  if (int rc = txn.begin())
    return store_failure(rc, "read", *path);
  status sound = ok;
  for (std::size_t i = 0; i < table_count; ++i) {
    auto where = static_cast<table>(i);
    std::uint64_t rows = 0, expected = 0;
    int rc = txn.walk(where, {}, {}, [&](std::string_view key, std::string_view row) {
      ++rows;
      sound = verify_row(*path, where, key, row);
      return static_cast<bool>(sound);
    });
    if (!sound)
      return sound;
    if (rc == 0)
      rc = txn.count(where, expected);
    if (rc != 0)
      return store_failure(rc, "read", *path);
    if (rows != expected)
      return failure{failure_kind::corrupt, "table " + std::string{to_text(where)} + " has " +
                                                std::to_string(rows) + " rows and should have " +
                                                std::to_string(expected)};
  }
  if (int rc = txn.check_free_list())
    return failure{failure_kind::corrupt, "the list of free pages is damaged (" + error_text(rc) + ")"};
  return ok;
}

} // namespace ke
