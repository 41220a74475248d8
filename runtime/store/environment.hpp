#pragma once

#include "runtime/core/result.hpp"
#include "runtime/store/store_port.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>

struct MDB_env;
struct MDB_txn;

namespace ke {

inline constexpr std::size_t table_count = names_of<table>::value.size();

/// An open LMDB environment; only environment.cpp sees LMDB. LMDB's locks break silently when one process
/// opens an environment twice, so open ones are registered by path: a reader in the owner's process gets the
/// owner's.
class environment {
public:
  enum class mode {
    owner,    ///< read and write; creates files and tables
    reader,   ///< beside an owner; without lock file if it can't be written
    unlocked, ///< read only, touches nothing: the process knows that nobody writes
  };

  static result<std::shared_ptr<environment>> open(const std::string& canonical_dir, mode m,
                                                   std::size_t map_bytes);
  ~environment();
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

  const std::string& dir() const { return dir_; }

  /// Doubles the map. Waits for this process's read transactions; the caller must have no transaction open.
  /// LMDB error number.
  int grow();
  /// Closes and reopens, after a fatal error of LMDB (a commit failed in its last write). Waits for this
  /// process's read transactions; the caller must have no transaction open. LMDB error number; until a try
  /// succeeds, every transaction fails.
  int reopen();
  /// Extends the file to its last page number (store.md). Error number.
  int keep_length();
  /// Frees reader slots of dead processes.
  void drop_dead_readers();
  /// Writes a compact copy to `dir`/data.mdb, synced. Error number.
  int copy_compact(const std::string& dir);

private:
  friend class transaction;
  environment() = default;
  int open_tables();
  int make_data_file();
  int open_once(bool without_lock, std::size_t map_bytes);

  MDB_env* env_ = nullptr;
  mode mode_ = mode::reader;
  std::string dir_;
  std::size_t map_bytes_ = 0;
  std::array<unsigned, table_count> tables_{};
  std::array<bool, table_count> present_{};
  /// Shared by every read transaction of this process, exclusive while the map is resized.
  std::shared_mutex resize_;
};

/// One LMDB transaction; without effect unless committed. Views are valid until it ends or writes. Functions
/// return error numbers of LMDB or the system: 0 is success, `missing()` no such row.
class transaction {
public:
  enum class kind { read, write };
  transaction(environment& env, kind k) : env_{env}, kind_{k} {}
  ~transaction();
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;

  int begin();
  int commit();

  int get(table where, std::string_view key, std::string_view& row);
  /// `last`: the key is beyond all others, which packs pages tightly.
  int put(table where, std::string_view key, std::string_view row, bool last = false);
  /// Absent rows are no error.
  int erase(table where, std::string_view key);
  /// The greatest key with the prefix; empty if none.
  int last_key(table where, std::string_view prefix, std::string& key);
  int count(table where, std::uint64_t& rows);
  /// Removes a table of an older schema with all its rows; an absent one is no error.
  int drop(std::string_view retired);

  using row_visitor = std::function<bool(std::string_view key, std::string_view row)>;
  /// Rows with the prefix from `first` (inclusive; empty: the prefix) in key order, until the visitor returns
  /// false.
  int walk(table where, std::string_view prefix, std::string_view first, const row_visitor& visit);

  /// Reads the list of free pages and checks its form; 0, or an error number. Read transactions only.
  int check_free_list();

  static int missing();

private:
  environment& env_;
  kind kind_;
  MDB_txn* txn_ = nullptr;
  std::shared_lock<std::shared_mutex> shared_;
};

/// The kind of trouble behind an error number of LMDB or the system.
enum class store_error { none, missing, map_full, disk_full, disk_io, short_of_means, fatal, damaged, other };
store_error classify(int error);
std::string error_text(int error);

/// The failure for an error number met while `doing` ("commit", "read") in `dir`.
failure store_failure(int error, const std::string& doing, const std::string& dir);

} // namespace ke
