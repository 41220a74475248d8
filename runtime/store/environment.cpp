#include "runtime/store/environment.hpp"

#include "runtime/store/durable_file.hpp"

#include <lmdb.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

namespace ke {
namespace {

constexpr unsigned reader_slots = 510;

struct registry {
  std::mutex guard;
  std::condition_variable closed;
  std::map<std::string, std::weak_ptr<environment>> open;
};

registry& environments() {
  static registry& r = *new registry; // outlives every static that may hold an environment
  return r;
}

/// LMDB found its own pages inconsistent and would abort: say so in a sentence and end with the exit code of
/// a damaged store.
void on_assertion(MDB_env* env, const char* what) {
  const char* path = "";
  mdb_env_get_path(env, &path);
  std::string text = std::string{"ke-runtime: the store "} + path + " is damaged (" + what +
                     "); restore a backup or run `ke-runtime store check`\n";
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(6);
}

MDB_val value_of(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};
}
std::string_view view_of(const MDB_val& v) {
  return {static_cast<const char*>(v.mv_data), v.mv_size};
}

struct cursor {
  MDB_cursor* handle = nullptr;
  ~cursor() {
    if (handle)
      mdb_cursor_close(handle);
  }
};

/// The least key that is greater than all keys with the prefix; empty if there is none.
std::string after_prefix(std::string_view prefix) {
  std::string key{prefix};
  while (!key.empty() && static_cast<unsigned char>(key.back()) == 0xff)
    key.pop_back();
  if (!key.empty())
    key.back() = static_cast<char>(static_cast<unsigned char>(key.back()) + 1);
  return key;
}

} // namespace

result<std::shared_ptr<environment>> environment::open(const std::string& dir, mode m,
                                                       std::size_t map_bytes) {
  auto& all = environments();
  std::unique_lock lock{all.guard};
  for (;;) {
    auto found = all.open.find(dir);
    if (found == all.open.end())
      break;
    if (auto shared = found->second.lock()) {
      if (m == mode::owner)
        return failure{failure_kind::held, "this process already has the store " + dir + " open"};
      return shared;
    }
    all.closed.wait(lock); // its last user is just closing it
  }
  std::shared_ptr<environment> env{new environment};
  env->dir_ = dir;
  env->mode_ = m;
  int rc = 0;
  for (bool without_lock = m == mode::unlocked;;) {
    if ((rc = env->open_once(without_lock, map_bytes)) == 0)
      break;
    if (rc == ENOMEM && m == mode::owner && map_bytes > (std::size_t{64} << 20))
      map_bytes /= 2;
    else if ((rc == EACCES || rc == EROFS || rc == EPERM) && m == mode::reader && !without_lock)
      without_lock = true;
    else
      break;
  }
  if (rc != 0) {
    env->dir_.clear(); // it was never registered
    lock.unlock();
    return store_failure(rc, "opened", dir);
  }
  env->map_bytes_ = map_bytes;
  all.open[dir] = env;
  return env;
}

environment::~environment() {
  if (dir_.empty())
    return;
  auto& all = environments();
  {
    std::lock_guard lock{all.guard};
    if (env_)
      mdb_env_close(env_);
    all.open.erase(dir_);
  }
  all.closed.notify_all();
}

/// A data file comes into being under another name: one whose first pages never reached the disk, because the
/// power was cut, would be taken for a damaged store.
int environment::make_data_file() {
  const auto path = dir_ + "/data.mdb", making = path + ".new";
  struct stat st{};
  if (::stat(path.c_str(), &st) == 0 && st.st_size > 0)
    return 0;
  ::unlink(making.c_str());
  int rc = mdb_env_create(&env_);
  if (rc != 0)
    return rc;
  mdb_env_set_maxdbs(env_, 32);
  rc = mdb_env_open(env_, making.c_str(), MDB_NOSUBDIR | MDB_NOTLS | MDB_NOLOCK, 0600);
  if (rc == 0 && (rc = open_tables()) == 0)
    rc = mdb_env_sync(env_, 1);
  mdb_env_close(env_);
  env_ = nullptr;
  if (rc == 0 && ::rename(making.c_str(), path.c_str()) != 0)
    rc = errno;
  if (rc == 0)
    return sync_directory(dir_);
  ::unlink(making.c_str());
  return rc;
}

int environment::open_once(bool without_lock, std::size_t map_bytes) {
  int rc = mode_ == mode::owner ? make_data_file() : 0;
  if (rc != 0)
    return rc;
  rc = mdb_env_create(&env_);
  if (rc != 0) {
    env_ = nullptr;
    return rc;
  }
  mdb_env_set_maxdbs(env_, 32);
  mdb_env_set_maxreaders(env_, reader_slots);
  mdb_env_set_assert(env_, on_assertion);
  // Durability rests on the default flags; these concern threads and access only.
  unsigned flags = MDB_NOTLS | (mode_ == mode::owner ? 0u : MDB_RDONLY) | (without_lock ? MDB_NOLOCK : 0u);
  if (mode_ == mode::owner)
    mdb_env_set_mapsize(env_, map_bytes);
  rc = mdb_env_open(env_, dir_.c_str(), flags, 0600);
  if (rc == 0 && (rc = open_tables()) == 0)
    return 0;
  mdb_env_close(env_);
  env_ = nullptr;
  return rc;
}

int environment::reopen() {
  std::unique_lock lock{resize_};
  if (env_)
    mdb_env_close(env_);
  env_ = nullptr;
  return open_once(mode_ == mode::unlocked, map_bytes_);
}

/// Tables of a store that is not yet brought forward.
static int count_retired(MDB_txn* txn, std::size_t& count) {
  for (auto name : retired_tables) {
    MDB_dbi handle = 0;
    int rc = mdb_dbi_open(txn, std::string{name}.c_str(), 0, &handle);
    if (rc != 0 && rc != MDB_NOTFOUND)
      return rc;
    count += rc == 0;
  }
  return 0;
}

int environment::open_tables() {
  auto attempt = [&](bool create) {
    MDB_txn* txn = nullptr;
    int rc = mdb_txn_begin(env_, nullptr, create ? 0u : MDB_RDONLY, &txn);
    if (rc != 0)
      return rc;
    std::size_t present = 0;
    for (std::size_t i = 0; i < table_count && rc == 0; ++i) {
      auto where = static_cast<table>(i);
      rc = mdb_dbi_open(txn, std::string{to_text(where)}.c_str(), create ? MDB_CREATE : 0u, &tables_[i]);
      present_[i] = rc == 0;
      present += rc == 0;
      if (rc == MDB_NOTFOUND)
        rc = 0;
    }
    std::size_t retired = 0;
    if (rc == 0)
      rc = count_retired(txn, retired);
    // How many tables there are stands in the meta page too: where fewer are found, the page that names them
    // is damaged.
    constexpr MDB_dbi directory = 1;
    MDB_stat named;
    if (rc == 0 && (rc = mdb_stat(txn, directory, &named)) == 0 &&
        present < std::min<std::size_t>(named.ms_entries - retired, table_count))
      rc = MDB_CORRUPTED;
    if (rc != 0) {
      mdb_txn_abort(txn);
      return rc;
    }
    rc = mdb_txn_commit(txn); // also keeps the handles of a read transaction
    return rc != 0 ? rc : present == table_count ? 0 : MDB_NOTFOUND;
  };
  int rc = attempt(false);
  if (rc != MDB_NOTFOUND)
    return rc;
  return mode_ == mode::owner ? attempt(true) : 0; // a reader takes an absent table for an empty one
}

int environment::grow() {
  std::unique_lock lock{resize_};
  int rc = mdb_env_set_mapsize(env_, map_bytes_ * 2);
  if (rc == 0)
    map_bytes_ *= 2;
  return rc;
}

int environment::keep_length() {
  if (!env_)
    return EIO;
  MDB_envinfo info;
  MDB_stat stat;
  mdb_filehandle_t fd;
  mdb_env_info(env_, &info);
  mdb_env_stat(env_, &stat);
  mdb_env_get_fd(env_, &fd);
  struct stat file{};
  if (::fstat(fd, &file) != 0)
    return errno;
  auto needed = static_cast<off_t>((info.me_last_pgno + 1) * stat.ms_psize);
  return file.st_size >= needed || ::ftruncate(fd, needed) == 0 ? 0 : errno;
}

void environment::drop_dead_readers() {
  int dead = 0;
  if (env_)
    mdb_reader_check(env_, &dead);
}

int environment::copy_compact(const std::string& dir) {
  return mdb_env_copy2(env_, dir.c_str(), MDB_CP_COMPACT);
}

// -- transaction ----------------------------------------------------------------------------------

transaction::~transaction() {
  if (txn_)
    mdb_txn_abort(txn_);
}

int transaction::begin() {
  for (;;) {
    if (kind_ == kind::read)
      shared_ = std::shared_lock{env_.resize_};
    int rc = env_.env_ ? mdb_txn_begin(env_.env_, nullptr, kind_ == kind::read ? MDB_RDONLY : 0u, &txn_)
                       : MDB_PANIC; // it could not be opened again
    if (rc == 0)
      return 0;
    txn_ = nullptr;
    shared_ = {};
    if (rc != MDB_MAP_RESIZED)
      return rc;
    std::unique_lock lock{env_.resize_}; // the owner, another process, has grown the map: adopt its size
    if ((rc = mdb_env_set_mapsize(env_.env_, 0)) != 0)
      return rc;
  }
}

int transaction::commit() {
  int rc = mdb_txn_commit(txn_);
  txn_ = nullptr;
  shared_ = {};
  return rc;
}

int transaction::get(table where, std::string_view key, std::string_view& row) {
  auto i = static_cast<std::size_t>(where);
  if (!env_.present_[i] || key.empty())
    return MDB_NOTFOUND;
  auto k = value_of(key);
  MDB_val v;
  int rc = mdb_get(txn_, env_.tables_[i], &k, &v);
  if (rc == 0)
    row = view_of(v);
  return rc;
}

int transaction::put(table where, std::string_view key, std::string_view row, bool last) {
  auto k = value_of(key), v = value_of(row);
  return mdb_put(txn_, env_.tables_[static_cast<std::size_t>(where)], &k, &v, last ? MDB_APPEND : 0u);
}

int transaction::erase(table where, std::string_view key) {
  auto k = value_of(key);
  int rc = mdb_del(txn_, env_.tables_[static_cast<std::size_t>(where)], &k, nullptr);
  return rc == MDB_NOTFOUND ? 0 : rc;
}

int transaction::last_key(table where, std::string_view prefix, std::string& key) {
  key.clear();
  auto i = static_cast<std::size_t>(where);
  if (!env_.present_[i])
    return 0;
  cursor c;
  int rc = mdb_cursor_open(txn_, env_.tables_[i], &c.handle);
  if (rc != 0)
    return rc;
  MDB_val k, v;
  auto end = after_prefix(prefix);
  if (end.empty()) {
    rc = mdb_cursor_get(c.handle, &k, &v, MDB_LAST);
  } else {
    k = value_of(end);
    rc = mdb_cursor_get(c.handle, &k, &v, MDB_SET_RANGE);
    rc = rc == MDB_NOTFOUND ? mdb_cursor_get(c.handle, &k, &v, MDB_LAST)
         : rc != 0          ? rc
                            : mdb_cursor_get(c.handle, &k, &v, MDB_PREV);
  }
  if (rc == 0 && view_of(k).starts_with(prefix))
    key = view_of(k);
  return rc == MDB_NOTFOUND ? 0 : rc;
}

int transaction::count(table where, std::uint64_t& rows) {
  rows = 0;
  auto i = static_cast<std::size_t>(where);
  if (!env_.present_[i])
    return 0;
  MDB_stat stat;
  int rc = mdb_stat(txn_, env_.tables_[i], &stat);
  if (rc == 0)
    rows = stat.ms_entries;
  return rc;
}

int transaction::drop(std::string_view retired) {
  MDB_dbi handle = 0;
  int rc = mdb_dbi_open(txn_, std::string{retired}.c_str(), 0, &handle);
  if (rc == 0)
    rc = mdb_drop(txn_, handle, 1);
  return rc == MDB_NOTFOUND ? 0 : rc;
}

int transaction::walk(table where, std::string_view prefix, std::string_view first,
                      const row_visitor& visit) {
  auto i = static_cast<std::size_t>(where);
  if (!env_.present_[i])
    return 0;
  cursor c;
  int rc = mdb_cursor_open(txn_, env_.tables_[i], &c.handle);
  if (rc != 0)
    return rc;
  auto from = first.empty() || first < prefix ? prefix : first;
  auto k = value_of(from);
  MDB_val v;
  for (rc = mdb_cursor_get(c.handle, &k, &v, from.empty() ? MDB_FIRST : MDB_SET_RANGE); rc == 0;
       rc = mdb_cursor_get(c.handle, &k, &v, MDB_NEXT))
    if (!view_of(k).starts_with(prefix) || !visit(view_of(k), view_of(v)))
      return 0;
  return rc == MDB_NOTFOUND ? 0 : rc;
}

int transaction::check_free_list() {
  constexpr MDB_dbi free_list = 0; // readable by read transactions
  MDB_envinfo info;
  mdb_env_info(env_.env_, &info);
  cursor c;
  int rc = mdb_cursor_open(txn_, free_list, &c.handle);
  if (rc != 0)
    return rc;
  MDB_val k, v;
  for (rc = mdb_cursor_get(c.handle, &k, &v, MDB_FIRST); rc == 0;
       rc = mdb_cursor_get(c.handle, &k, &v, MDB_NEXT)) {
    // A length, then that many page numbers in descending order.
    std::size_t n = 0;
    if (k.mv_size != sizeof n || v.mv_size < sizeof n)
      return MDB_CORRUPTED;
    std::memcpy(&n, v.mv_data, sizeof n);
    if (n > v.mv_size / sizeof n - 1)
      return MDB_CORRUPTED;
    std::size_t above = info.me_last_pgno + 1;
    for (std::size_t i = 1; i <= n; ++i) {
      std::size_t page;
      std::memcpy(&page, static_cast<const char*>(v.mv_data) + i * sizeof page, sizeof page);
      if (page < 2 || page >= above)
        return MDB_CORRUPTED;
      above = page;
    }
  }
  return rc == MDB_NOTFOUND ? 0 : rc;
}

int transaction::missing() {
  return MDB_NOTFOUND;
}

// -- errors ---------------------------------------------------------------------------------------

store_error classify(int error) {
  switch (error) {
  case 0:
    return store_error::none;
  case MDB_NOTFOUND:
    return store_error::missing;
  case MDB_MAP_FULL:
    return store_error::map_full;
  case ENOSPC:
  case EDQUOT:
    return store_error::disk_full;
  case EIO:
    return store_error::disk_io;
  case EMFILE: // descriptors and memory come back, as space does
  case ENFILE:
  case ENOMEM:
    return store_error::short_of_means;
  case MDB_PANIC:
    return store_error::fatal;
  case MDB_INVALID:
  case MDB_CORRUPTED:
  case MDB_PAGE_NOTFOUND:
  case MDB_VERSION_MISMATCH:
  case MDB_INCOMPATIBLE:
    return store_error::damaged;
  default:
    return store_error::other;
  }
}

std::string error_text(int error) {
  return mdb_strerror(error);
}

failure store_failure(int error, const std::string& doing, const std::string& dir) {
  auto text = "the store " + dir + " can't be " + doing + " (" + error_text(error) + ")";
  switch (classify(error)) {
  case store_error::missing:
    return {failure_kind::not_found, text};
  case store_error::disk_full:
    return {failure_kind::disk_full, text + "; free some space", true};
  case store_error::damaged:
    return {failure_kind::corrupt, text + "; restore a backup or run `ke-runtime store check`"};
  default:
    break;
  }
  if (error == EACCES || error == EROFS || error == EPERM)
    return {failure_kind::invalid, text + "; make it accessible or name another store"};
  return {failure_kind::internal, text + "; see the system's log for the disk's state"};
}

} // namespace ke
