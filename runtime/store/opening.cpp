#include "runtime/store/opening.hpp"

#include "runtime/store/durable_file.hpp"
#include "runtime/text/json_line.hpp"

#include <sys/vfs.h>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ke::opening {
namespace {

std::string identity_path(const std::string& dir) {
  return dir + "/STORE";
}

} // namespace

result<std::string> canonical(const std::string& dir) {
  std::error_code error;
  auto path = std::filesystem::canonical(dir, error);
  if (error)
    return failure{error == std::errc::no_such_file_or_directory ? failure_kind::not_found
                                                                 : failure_kind::invalid,
                   "there is no store directory " + dir + " (" + error.message() + ")"};
  return path.string();
}

status check_file_system(const std::string& dir) {
  struct statfs fs{};
  if (::statfs(dir.c_str(), &fs) != 0)
    return failure{failure_kind::invalid,
                   "the store directory " + dir + " can't be examined (" + std::strerror(errno) + ")"};
  switch (static_cast<std::uint32_t>(fs.f_type)) {
  case 0x6969:     // NFS
  case 0x517b:     // SMB
  case 0xff534d42: // CIFS
  case 0xfe534d42: // SMB2
  case 0x01021997: // 9P
  case 0x00c36400: // Ceph
  case 0x0bd00bd0: // Lustre
    return failure{failure_kind::invalid,
                   "the store " + dir +
                       " is on a network file system, where a store can't be kept safe; "
                       "name a directory on a local disk"};
  default:
    return ok;
  }
}

result<std::optional<store_identity>> read_identity(const std::string& dir) {
  std::error_code error;
  if (!std::filesystem::exists(identity_path(dir), error))
    return std::optional<store_identity>{};
  std::ifstream in{identity_path(dir)};
  if (!in)
    return failure{failure_kind::invalid,
                   identity_path(dir) + " can't be read (" + std::strerror(errno) + ")"};
  auto json = nlohmann::json::parse(in, nullptr, false);
  try {
    store_identity id;
    id.id = json.at("store").get<std::string>();
    id.schema = json.at("schema").get<std::uint32_t>();
    id.created_unix_ms = json.value("created_unix_ms", std::uint64_t{0});
    id.program = json.value("program", std::string{});
    return std::optional{id};
  } catch (const nlohmann::json::exception&) {
    return damaged(dir, "its file STORE is not readable");
  }
}

status write_identity(const std::string& dir, const store_identity& id) {
  nlohmann::json json{{"store", id.id},
                      {"schema", id.schema},
                      {"created_unix_ms", id.created_unix_ms},
                      {"program", id.program}};
  if (int rc = replace_file(identity_path(dir), json_line(json) + "\n"))
    return failure{rc == ENOSPC || rc == EDQUOT ? failure_kind::disk_full : failure_kind::invalid,
                   identity_path(dir) + " can't be written (" + std::strerror(rc) + ")"};
  return ok;
}

status check_schema(const std::string& dir, const store_identity& id, std::uint32_t known) {
  if (id.schema <= known)
    return ok;
  return failure{failure_kind::newer_version,
                 "the store " + dir + " has schema " + std::to_string(id.schema) +
                     ", this program knows up to " + std::to_string(known) +
                     "; use the program that wrote it (" + id.program + ") or a later one"};
}

result<findings> inspect(const std::string& dir, bool owned, std::uint32_t known) {
  findings found;
  auto identity = read_identity(dir);
  if (!identity)
    return identity.error();
  found.identity = *identity;
  if (found.identity)
    if (auto schema = check_schema(dir, *found.identity, known); !schema)
      return schema.error();
  auto data = inspect_data_file(dir + "/data.mdb");
  if (!data)
    return data.error().kind == failure_kind::corrupt ? damaged(dir, data.error().text) : data.error();
  found.data = *data;
  if (data->bytes == 0) {
    if (found.identity)
      return damaged(dir, "its file data.mdb is missing or empty");
    found.fresh = true;
    found.untouched = true;
    return found;
  }
  if (owned)
    return found;
  auto record = read_owner_record(dir);
  bool closed = record && record->closed;
  found.untouched = closed && record->data_size == data->bytes && record->data_changed_ns == data->changed_ns;
  if (data->too_short() && closed)
    return damaged(dir, "data.mdb has " + std::to_string(data->bytes) + " bytes and should have " +
                            std::to_string((data->last_page + 1) * data->page_bytes));
  return found;
}

status verify_if_due(const std::string& dir, const findings& found,
                     const std::function<status(const std::string&)>& verify) {
  if (found.untouched)
    return ok;
  if (!verify) // a map of a short file faults
    return found.data.too_short() ? status{damaged(dir, "data.mdb was cut")} : ok;
  auto verified = verify(dir);
  if (verified || verified.error().kind == failure_kind::newer_version)
    return verified;
  return damaged(dir, verified.error().text);
}

status check_identity(const std::string& dir, const std::optional<store_identity>& file,
                      const store_identity& row, std::uint32_t known) {
  if (auto schema = check_schema(dir, row, known); !schema)
    return schema;
  if (file && file->id != row.id)
    return damaged(dir, "data.mdb belongs to store " + row.id + ", the file STORE names " + file->id);
  return ok;
}

failure damaged(const std::string& dir, const std::string& what) {
  if (what.starts_with("the store " + dir)) // a whole sentence already
    return {failure_kind::corrupt, what, false};
  return {failure_kind::corrupt, "the store " + dir + " is damaged: " + what +
                                     "; restore a backup of the directory, or run `ke-runtime store check`"};
}

} // namespace ke::opening
