#include "runtime/store/migration.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/observe/failpoint.hpp"
#include "runtime/store/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace ke {
namespace {

namespace fs = std::filesystem;

int sync_file(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int rc = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  return rc;
}

/// backup/schema-N.mdb and schema-N.STORE, durable. One that is there already is of an earlier try, and
/// whole.
status back_up(const std::string& dir, std::uint32_t schema) {
  auto folder = dir + "/backup";
  auto copy = folder + "/schema-" + std::to_string(schema) + ".mdb";
  auto part = copy + ".part";
  std::error_code error;
  if (fs::exists(copy, error))
    return ok;
  fs::create_directory(folder, error);
  if (!error)
    fs::permissions(folder, fs::perms::owner_all, error);
  auto identity = folder + "/schema-" + std::to_string(schema) + ".STORE";
  if (!error)
    fs::copy_file(dir + "/STORE", identity, fs::copy_options::overwrite_existing, error);
  if (!error)
    fs::copy_file(dir + "/data.mdb", part, fs::copy_options::overwrite_existing, error);
  int rc = error ? error.value() : sync_file(part);
  if (rc == 0)
    rc = sync_file(identity);
  if (rc == 0 && std::rename(part.c_str(), copy.c_str()) != 0)
    rc = errno;
  if (rc == 0)
    rc = sync_directory(folder);
  if (rc == 0)
    rc = sync_directory(dir);
  if (rc == 0)
    return ok;
  fs::remove(part, error);
  return store_failure(rc, "copied to " + copy + " before its migration", dir);
}

status step_forward(environment& env, const migration& step, store_identity& identity) {
  auto next = identity;
  next.schema = step.from + 1;
  transaction txn{env, transaction::kind::write};
  int rc = txn.begin();
  if (rc == 0)
    rc = step.run(txn);
  if (rc == 0)
    rc = txn.put(table::meta, "identity", seal(table::meta, "identity", pack(next)));
  if (rc == 0) {
    failpoint::pass("store.before_migration");
    rc = txn.commit();
  }
  if (rc != 0)
    return store_failure(
        rc, "brought from schema " + std::to_string(identity.schema) + " to " + std::to_string(next.schema),
        env.dir());
  identity = next;
  failpoint::pass("store.after_migration");
  return ok;
}

/// 1 to 2: tables that nothing of the program reads.
int drop_retired(transaction& txn) {
  for (auto name : retired_tables)
    if (int rc = txn.drop(name))
      return rc;
  return 0;
}

} // namespace

const std::vector<migration>& migrations() {
  static const std::vector<migration> all{{1, drop_retired}};
  return all;
}

status migrate(environment& env, store_identity& identity, std::uint32_t to,
               const std::vector<migration>& steps) {
  while (identity.schema < to) {
    auto step = std::find_if(steps.begin(), steps.end(), [&](auto& s) { return s.from == identity.schema; });
    if (step == steps.end())
      return failure{failure_kind::internal, "the store " + env.dir() + " has schema " +
                                                 std::to_string(identity.schema) +
                                                 ", and this program has no way from there to schema " +
                                                 std::to_string(to) + "; it is a bug, please report it"};
    if (auto copied = back_up(env.dir(), identity.schema); !copied)
      return copied;
    if (auto done = step_forward(env, *step, identity); !done)
      return done;
  }
  return ok;
}

} // namespace ke
