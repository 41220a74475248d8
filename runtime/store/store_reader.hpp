#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/result.hpp"
#include "runtime/store/owner_lock.hpp"
#include "runtime/store/store_port.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

class environment;
struct campaign_row;

/// A synchronous read-only view of a store, with or without a living owner, also on a read-only file system.
/// In the owner's process it shares the owner's environment. Sees each commit at once; two calls may see two
/// states. Never pins pages: a read transaction copies at most 10,000 rows and ends before any callback.
/// Cheap to copy; any thread.
class store_reader {
public:
  /// `verify` as in `store_options`; empty: no verification. Fails: `not_found` (no store), `corrupt`,
  /// `newer_version`, `invalid`.
  static result<store_reader> open(const std::string& dir,
                                   std::function<status(const std::string&)> verify = {});

  /// The row's pack() bytes, checksum verified. `not_found` or `corrupt`.
  result<std::string> get(table where, std::string_view key) const;

  template <class T>
  result<T> row(table where, std::string_view key) const {
    auto bytes = get(where, key);
    if (!bytes)
      return bytes.error();
    return unpack<T>(*bytes);
  }

  /// The content; its digest is verified.
  result<std::string> blob(std::string_view digest) const;
  bool has_blob(std::string_view digest) const;

  using visitor = std::function<bool(std::string_view key, std::string_view value)>;
  /// Rows with the prefix in key order, from `first` on if given, until the visitor returns false.
  status scan(table where, std::string_view prefix, const visitor& visit, std::string_view first = {}) const;

  template <class T, class F>
  status rows(table where, std::string_view prefix, F&& visit) const { ///< visit(key, const T&) -> bool
    status wrong = ok;
    auto end = scan(where, prefix, [&](std::string_view key, std::string_view value) {
      auto x = unpack<T>(value);
      if (x)
        return static_cast<bool>(visit(key, *x));
      wrong = x.error();
      return false;
    });
    return wrong ? end : wrong;
  }

  /// The journal of a campaign from sequence number `from` on, until the visitor returns false. A gap is
  /// `corrupt`.
  status journal(std::uint32_t campaign, std::uint64_t from,
                 const std::function<bool(std::uint64_t sequence, const journal_record&)>& visit) const;

  result<std::vector<campaign_row>> campaigns() const;
  result<std::uint64_t> count(table where) const;

  const std::string& dir() const { return dir_; }
  const std::string& id() const { return id_; }
  std::uint64_t epoch() const; ///< of the present or last owner; 0 if unreadable
  /// The living owner's record, if there is one.
  std::optional<owner_record> owner() const;

private:
  struct some_rows;
  /// From a key on, or from the one after it.
  status read_some(table where, std::string_view prefix, const std::string& from, bool after,
                   some_rows& some) const;

  std::string dir_, id_;
  std::shared_ptr<environment> env_;
};

} // namespace ke
