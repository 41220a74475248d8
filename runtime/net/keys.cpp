#include "runtime/net/keys.hpp"

#include <zmq.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace ke {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t z85_size = 40;

status write_new(const std::string& path, const std::string& text, mode_t mode) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0)
    return failure{failure_kind::invalid,
                   "cannot create " + path + ": " + std::strerror(errno) +
                       (errno == EEXIST ? " (keys are never overwritten; choose another name)" : "")};
  auto line = text + "\n";
  auto written = ::write(fd, line.data(), line.size());
  bool good = written == static_cast<ssize_t>(line.size()) && ::fsync(fd) == 0;
  good = ::close(fd) == 0 && good;
  if (!good) {
    ::unlink(path.c_str());
    return failure{failure_kind::disk_full, "cannot write " + path + ": " + std::strerror(errno)};
  }
  return ok;
}

bool is_z85_key(const std::string& text) {
  std::array<std::uint8_t, 32> raw{};
  return text.size() == z85_size && zmq_z85_decode(raw.data(), text.c_str()) != nullptr;
}

result<std::string> read_key(const std::string& path) {
  std::ifstream in{path};
  std::string text;
  if (!in || !(in >> text))
    return failure{failure_kind::missing, "cannot read the key file " + path +
                                              ": make one with `ke-runtime keygen -o " +
                                              fs::path{path}.replace_extension().string() + "`"};
  if (!is_z85_key(text))
    return failure{failure_kind::invalid,
                   path + " holds no key: expected 40 characters of Z85, as `ke-runtime keygen` writes them"};
  return text;
}

/// Name, size and time of every .pub file: changes whenever the set of keys may have changed.
std::string stamp_of(const std::string& folder) {
  std::vector<std::string> lines;
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    struct stat s{};
    if (at->path().extension() == ".pub" && ::stat(at->path().c_str(), &s) == 0)
      lines.push_back(at->path().filename().string() + ' ' + std::to_string(s.st_size) + ' ' +
                      std::to_string(s.st_ino) + ' ' + std::to_string(s.st_mtim.tv_sec) + '.' +
                      std::to_string(s.st_mtim.tv_nsec) + '\n');
  }
  std::sort(lines.begin(), lines.end());
  std::string all = folder + '\n';
  for (auto& l : lines)
    all += l;
  return all;
}

} // namespace

status keygen(const std::string& name) {
  std::array<char, z85_size + 1> open{}, secret{};
  if (zmq_curve_keypair(open.data(), secret.data()) != 0)
    return failure{failure_kind::missing,
                   "this libzmq was built without CURVE: install one with it (Debian's libzmq5 has it)"};
  std::error_code error; // write_new says what is wrong
  if (auto folder = fs::path{name}.parent_path(); !folder.empty() && !fs::exists(folder, error)) {
    fs::create_directories(folder, error);
    fs::permissions(folder, fs::perms::owner_all, error);
  }
  if (auto s = write_new(name + ".key", secret.data(), 0600); !s)
    return s;
  if (auto s = write_new(name + ".pub", open.data(), 0644); !s) {
    ::unlink((name + ".key").c_str());
    return s;
  }
  return ok;
}

result<key_pair> load_key_pair(const std::string& path) {
  struct stat s{};
  if (::stat(path.c_str(), &s) == 0 && (s.st_mode & 077) != 0)
    return failure{failure_kind::invalid,
                   "the secret key " + path + " is readable by others: run `chmod 600 " + path + "`"};
  auto secret = read_key(path);
  if (!secret)
    return secret.error();
  key_pair out;
  out.secret_key = *secret;
  std::array<char, z85_size + 1> open{};
  if (zmq_curve_public(open.data(), out.secret_key.c_str()) != 0)
    return failure{failure_kind::invalid,
                   path + " holds no secret key: make one with `ke-runtime keygen -o NAME`"};
  out.public_key = open.data();
  return out;
}

result<std::string> load_public_key(const std::string& path) {
  return read_key(path);
}

key_ring::key_ring(std::string worker_folder, std::string client_folder, bool admit_any)
    : worker_folder_{std::move(worker_folder)}, client_folder_{std::move(client_folder)},
      trusted_folder_{client_folder_.empty() ? "" : client_folder_ + "/trusted"}, admit_any_{admit_any} {}

status key_ring::check() const {
  if (worker_folder_.empty() && client_folder_.empty() && !admit_any_)
    return failure{failure_kind::invalid,
                   "[cluster] key is set but nothing says which keys may attach: set `authorized_keys` to a "
                   "folder of .pub files, or any holder of the coordinator's public key could enter"};
  for (auto& folder : {worker_folder_, client_folder_}) {
    std::error_code error;
    if (!folder.empty() && !fs::is_directory(folder, error))
      return failure{failure_kind::missing, "the folder of authorized keys " + folder +
                                                " does not exist: create it and put NAME.pub files there"};
  }
  return ok;
}

void key_ring::refresh() {
  std::string now;
  for (auto& folder : {worker_folder_, client_folder_, trusted_folder_})
    now += folder.empty() ? "" : stamp_of(folder);
  if (now == stamp_)
    return;
  stamp_ = now;
  keys_.clear();
  auto read = [&](const std::string& folder, std::initializer_list<bool key_rights::*> given) {
    std::error_code error;
    if (folder.empty())
      return;
    for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
      if (at->path().extension() != ".pub")
        continue;
      if (auto key = read_key(at->path().string())) {
        auto& rights = keys_[*key];
        for (auto right : given)
          rights.*right = true;
        if (rights.name.empty() || at->path().stem().string() < rights.name)
          rights.name = at->path().stem().string();
      }
    }
  };
  read(worker_folder_, {&key_rights::worker});
  read(client_folder_, {&key_rights::client});
  read(trusted_folder_, {&key_rights::client, &key_rights::trusted});
}

std::optional<key_rights> key_ring::find(const std::string& public_key) {
  refresh();
  if (auto at = keys_.find(public_key); at != keys_.end())
    return at->second;
  if (admit_any_)
    return key_rights{true, false, false, "key-" + public_key.substr(0, 8)};
  return std::nullopt;
}

} // namespace ke
