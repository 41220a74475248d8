#include "runtime/core/codec.hpp"
#include "runtime/store/blob_files.hpp"
#include "runtime/store/durable_file.hpp"
#include "runtime/store/environment.hpp"
#include "runtime/store/opening.hpp"
#include "runtime/store/row_read.hpp"
#include "runtime/store/store_check.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace ke {
namespace {

std::uint64_t bytes_in(const std::string& dir) {
  std::error_code none;
  auto data = std::filesystem::file_size(dir + "/data.mdb", none);
  std::uint64_t bytes = none ? 0 : data;
  blob_files::each(dir, [&](const std::string& path, const std::string&) {
    auto size = std::filesystem::file_size(path, none);
    bytes += none ? 0 : size;
  });
  return bytes;
}

/// LMDB's copy is neither synced nor private.
int settle(const std::string& file) {
  int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int rc = ::fchmod(fd, 0600) == 0 && ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  return rc;
}

bool named(transaction& txn, const std::string& digest, const std::string& dir) {
  auto key = digest_key(digest);
  if (key.empty())
    return false;
  auto row = read_row(txn, table::digests, key, dir);
  auto place = row ? unpack<blob_place>(*row) : result<blob_place>{row.error()};
  return place ? place->file
               : place.error().kind != failure_kind::not_found; // unreadable rows are no reason to delete
}

std::uint64_t remove_orphans(environment& env) {
  transaction txn{env, transaction::kind::read};
  if (txn.begin() != 0)
    return 0;
  std::uint64_t removed = 0;
  blob_files::each(env.dir(), [&](const std::string& path, const std::string& name) {
    if (!named(txn, name, env.dir()) && ::unlink(path.c_str()) == 0)
      ++removed;
  });
  return removed;
}

/// The record of an owner that has left the data file like this.
owner_record closed_with(const data_file_facts& left) {
  owner_record closing;
  closing.closed = true;
  closing.data_size = left.bytes;
  closing.data_changed_ns = left.changed_ns;
  return closing;
}

status copy_into(const std::string& copy_dir, const std::string& path, compact_report& report) {
  auto env = environment::open(path, environment::mode::unlocked, 0);
  if (!env)
    return env.error();
  int rc = (*env)->copy_compact(copy_dir);
  if (rc == 0)
    rc = settle(copy_dir + "/data.mdb");
  if (rc != 0)
    return store_failure(rc, "copied", path);
  report.files_removed = remove_orphans(**env);
  return ok;
}

status put_in_place(const std::string& copy_dir, const std::string& path, owner_lock& lock) {
  auto copy = inspect_data_file(copy_dir + "/data.mdb");
  if (!copy)
    return copy.error();
  if (copy->too_short())
    return failure{failure_kind::internal,
                   "the compact copy of " + path + " is incomplete; the store is as it was"};
  // The lock file goes first: nobody may attach a new data file to reader slots of the old one. Readers that
  // are open keep both old files.
  if (auto shut = lock.shut_gate(); !shut)
    return shut;
  ::unlink((path + "/lock.mdb").c_str());
  if (std::rename((copy_dir + "/data.mdb").c_str(), (path + "/data.mdb").c_str()) != 0)
    return failure{failure_kind::invalid,
                   path + "/data.mdb can't be replaced (" + std::strerror(errno) + ")"};
  sync_directory(path);
  return ok;
}

} // namespace

result<compact_report> compact_store(const std::string& dir,
                                     const std::function<status(const std::string&)>& verify) {
  auto path = opening::canonical(dir);
  if (!path)
    return path.error();
  if (!std::filesystem::exists(*path + "/data.mdb") && !std::filesystem::exists(*path + "/STORE"))
    return failure{failure_kind::not_found, "there is no store in " + *path};
  auto lock = owner_lock::take(*path);
  if (!lock)
    return lock.error();
  auto found = opening::inspect(*path, false);
  if (!found)
    return found.error();
  auto check = verify ? verify : [](const std::string& d) { return verify_store(d); };
  if (auto verified = opening::verify_if_due(*path, *found, check); !verified)
    return verified.error();
  compact_report report;
  report.bytes_before = bytes_in(*path);
  auto copy_dir = *path + "/compact.tmp";
  std::error_code error;
  std::filesystem::remove_all(copy_dir, error);
  std::filesystem::create_directory(copy_dir, error);
  if (error)
    return failure{failure_kind::invalid, copy_dir + " can't be made (" + error.message() + ")"};
  auto done = copy_into(copy_dir, *path, report);
  if (done)
    done = put_in_place(copy_dir, *path, *lock);
  std::filesystem::remove_all(copy_dir, error);
  if (!done)
    return done.error();
  auto swapped = inspect_data_file(*path + "/data.mdb");
  if (!swapped)
    return swapped.error();
  if (auto written = lock->write(closed_with(*swapped)); !written)
    return written.error();
  report.bytes_after = bytes_in(*path);
  return report;
}

} // namespace ke
