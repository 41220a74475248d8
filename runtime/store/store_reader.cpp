#include "runtime/store/store_reader.hpp"

#include "runtime/core/rows.hpp"
#include "runtime/store/environment.hpp"
#include "runtime/store/opening.hpp"
#include "runtime/store/row_read.hpp"

#include <filesystem>

namespace ke {
namespace {

/// What one read transaction copies at most.
constexpr std::size_t rows_per_transaction = 10'000;
constexpr std::size_t bytes_per_transaction = 16u << 20;

struct copied_row {
  std::string key, value;
};

} // namespace

result<store_reader> store_reader::open(const std::string& dir,
                                        std::function<status(const std::string&)> verify) {
  auto path = opening::canonical(dir);
  if (!path)
    return path.error();
  failure none{failure_kind::not_found, "there is no store in " + *path};
  opening_gate gate{*path};
  bool owned = owner_lives(*path);
  auto found = opening::inspect(*path, owned);
  if (!found)
    return found.error();
  if (found->fresh)
    return none;
  if (!owned)
    if (auto verified = opening::verify_if_due(*path, *found, verify); !verified)
      return verified.error();
  auto env = environment::open(*path, environment::mode::reader, 0);
  if (!env)
    return env.error();
  store_reader reader;
  reader.dir_ = *path;
  reader.env_ = std::move(*env);
  auto identity = reader.row<store_identity>(table::meta, "identity");
  if (!identity) {
    if (identity.error().kind == failure_kind::not_found && !found->identity)
      return none; // an owner is just creating it
    return opening::damaged(*path, identity.error().text);
  }
  if (auto same = opening::check_identity(*path, found->identity, *identity); !same)
    return same.error();
  if (identity->schema < store_schema)
    return failure{failure_kind::invalid, "the store " + *path + " has schema " +
                                              std::to_string(identity->schema) +
                                              " and has to be brought to " + std::to_string(store_schema) +
                                              " first: resume its campaign once"};
  reader.id_ = identity->id;
  return reader;
}

result<std::string> store_reader::get(table where, std::string_view key) const {
  transaction txn{*env_, transaction::kind::read};
  if (int rc = txn.begin())
    return store_failure(rc, "read", dir_);
  return read_row(txn, where, key, dir_);
}

result<std::string> store_reader::blob(std::string_view digest) const {
  transaction txn{*env_, transaction::kind::read};
  if (int rc = txn.begin())
    return store_failure(rc, "read", dir_);
  return read_blob(txn, digest, dir_);
}

bool store_reader::has_blob(std::string_view digest) const {
  auto key = digest_key(digest);
  return !key.empty() && get(table::digests, key);
}

/// Rows of one read transaction: no visitor holds one open.
struct store_reader::some_rows {
  std::vector<copied_row> rows;
  status sound = ok; ///< of the row after them
  bool more = false;
};

status store_reader::read_some(table where, std::string_view prefix, const std::string& from, bool after,
                               some_rows& some) const {
  transaction txn{*env_, transaction::kind::read};
  if (int rc = txn.begin())
    return store_failure(rc, "read", dir_);
  std::size_t bytes = 0;
  int rc = txn.walk(where, prefix, from, [&](std::string_view key, std::string_view row) {
    if (after && key == from)
      return true;
    if (some.rows.size() == rows_per_transaction || bytes > bytes_per_transaction) {
      some.more = true;
      return false;
    }
    auto body = unseal(where, key, row);
    if (!body) {
      some.sound = body.error();
      return false;
    }
    some.rows.push_back({std::string{key}, std::string{*body}});
    bytes += key.size() + body->size();
    return true;
  });
  return rc == 0 ? ok : status{store_failure(rc, "read", dir_)};
}

status store_reader::scan(table where, std::string_view prefix, const visitor& visit,
                          std::string_view first) const {
  std::string resume{first};
  bool resumed = false; // the next transaction starts at the last row of the one before
  for (;;) {
    some_rows some;
    if (auto s = read_some(where, prefix, resume, resumed, some); !s)
      return s;
    for (auto& row : some.rows)
      if (!visit(row.key, row.value))
        return ok;
    if (!some.sound || !some.more)
      return some.sound;
    resumed = true;
    resume = std::move(some.rows.back().key);
  }
}

status store_reader::journal(std::uint32_t campaign, std::uint64_t from,
                             const std::function<bool(std::uint64_t, const journal_record&)>& visit) const {
  auto expected = from;
  status wrong = ok;
  auto end = scan(
      table::journal, key_of(campaign),
      [&](std::string_view key, std::string_view value) {
        auto sequence = number_of(key.substr(4));
        if (sequence != expected) {
          wrong = failure{failure_kind::corrupt, "the journal of campaign " + std::to_string(campaign) +
                                                     " lacks record " + std::to_string(expected)};
          return false;
        }
        ++expected;
        auto record = unpack<journal_record>(value);
        if (!record) {
          wrong = failure{record.error().kind, "record " + std::to_string(sequence) +
                                                   " of the journal of campaign " + std::to_string(campaign) +
                                                   ": " + record.error().text};
          return false;
        }
        return visit(sequence, *record);
      },
      journal_key(campaign, from));
  return wrong ? end : wrong;
}

result<std::vector<campaign_row>> store_reader::campaigns() const {
  std::vector<campaign_row> all;
  auto end = rows<campaign_row>(table::campaigns, {}, [&](std::string_view, const campaign_row& row) {
    all.push_back(row);
    return true;
  });
  if (!end)
    return end.error();
  return all;
}

result<std::uint64_t> store_reader::count(table where) const {
  transaction txn{*env_, transaction::kind::read};
  std::uint64_t rows = 0;
  int rc = txn.begin();
  if (rc == 0)
    rc = txn.count(where, rows);
  if (rc != 0)
    return store_failure(rc, "read", dir_);
  return rows;
}

std::uint64_t store_reader::epoch() const {
  auto epoch = row<std::uint64_t>(table::meta, "epoch");
  return epoch ? *epoch : 0;
}

std::optional<owner_record> store_reader::owner() const {
  if (!owner_lives(dir_))
    return std::nullopt;
  auto record = read_owner_record(dir_);
  return record && !record->closed ? record : std::nullopt;
}

} // namespace ke
