#include "tests/store/power/power_loss.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

namespace ke::power {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t sector = 512;

/// A file or a folder of the disk, by whatever name.
struct object {
  bool is_folder = false;
  std::string safe; ///< content that is on the disk for sure
  struct change {
    bool resizes;
    std::uint64_t at;
    std::string_view data;
    bool certain = false; ///< synced by itself
  };
  std::vector<change> open; ///< since the last sync
  std::string after() const {
    auto text = safe;
    for (const auto& c : open)
      apply(text, c);
    return text;
  }
  static void apply(std::string& text, const change& c) {
    if (c.resizes)
      return text.resize(c.at);
    text.resize(std::max<std::size_t>(text.size(), c.at + c.data.size()));
    std::memcpy(text.data() + c.at, c.data.data(), c.data.size());
  }
};
using object_ref = std::shared_ptr<object>;

/// One change of the entries of a folder: `name` now is `what`, and nothing if that is null.
struct entry_change {
  std::string name;
  object_ref what;
  bool with_next; ///< a rename is two changes at once
};

struct disk {
  std::map<std::uint64_t, object_ref> by_number;
  std::map<std::string, object_ref> names;               ///< as the program sees them
  std::map<std::string, object_ref> safe_names;          ///< as they are on the disk for sure
  std::map<std::string, std::vector<entry_change>> open; ///< per folder, since its last sync

  static std::string folder_of(const std::string& name) {
    auto slash = name.rfind('/');
    return slash == name.npos ? std::string{} : name.substr(0, slash);
  }
  void enter(const std::string& name, object_ref what, bool with_next = false) {
    if (what)
      names[name] = what;
    else
      names.erase(name);
    open[folder_of(name)].push_back({name, std::move(what), with_next});
  }
  object_ref number(std::uint64_t n) {
    auto& known = by_number[n];
    if (!known)
      throw std::runtime_error{"a write to a file that the log does not know"};
    return known;
  }
  static void settle(std::map<std::string, object_ref>& in, const entry_change& c) {
    if (c.what)
      in[c.name] = c.what;
    else
      in.erase(c.name);
  }
};

} // namespace

power_loss::power_loss(const std::string& log) {
  std::ifstream in{log, std::ios::binary};
  bytes_.assign(std::istreambuf_iterator<char>{in}, {});
  for (std::size_t at = 0; at < bytes_.size();) {
    one o;
    if (bytes_.size() - at < sizeof o.head)
      throw std::runtime_error{"a log that is cut"};
    std::memcpy(&o.head, bytes_.data() + at, sizeof o.head);
    at += sizeof o.head;
    if (o.head.names > bytes_.size() - at || o.head.bytes > bytes_.size() - at - o.head.names)
      throw std::runtime_error{"a log that is cut"};
    std::string names = bytes_.substr(at, o.head.names);
    auto half = names.find('\0');
    o.name = names.substr(0, half);
    o.second = half == names.npos ? std::string{} : names.substr(half + 1);
    o.data = std::string_view{bytes_}.substr(at + o.head.names, o.head.bytes);
    at += o.head.names + o.head.bytes;
    acts_.push_back(std::move(o));
  }
}

std::vector<std::uint64_t> power_loss::announced(std::size_t count) const {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < count; ++i)
    if (acts_[i].head.what == act::announce)
      all.push_back(acts_[i].head.offset);
  return all;
}

namespace {

/// A file's bytes as they may have come to the disk.
std::string survived(const object& file, std::mt19937& random) {
  auto text = file.safe;
  auto told = file.after().size();
  auto chance = random() % 5; // 0: nothing arrived, 4: all
  for (const auto& c : file.open) {
    if (c.resizes) {
      if (random() % 4 < chance)
        object::apply(text, c);
      continue;
    }
    for (std::size_t from = 0; from < c.data.size();) {
      auto at = c.at + from;
      auto part = std::min<std::size_t>(sector - at % sector, c.data.size() - from);
      if (c.certain || random() % 4 < chance)
        object::apply(text, {false, at, c.data.substr(from, part)});
      from += part;
    }
  }
  if (text.size() < told && random() % 2 == 0)
    text.resize(told);
  return text;
}

} // namespace

void power_loss::materialise(std::size_t count, unsigned seed, const std::string& folder) const {
  std::mt19937 random{seed};
  disk d;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& o = acts_[i];
    switch (o.head.what) {
    case act::create:
    case act::folder: {
      auto made = std::make_shared<object>();
      made->is_folder = o.head.what == act::folder;
      d.by_number[o.head.file] = made;
      d.enter(o.name, std::move(made));
      break;
    }
    case act::resize:
      d.number(o.head.file)->open.push_back({true, o.head.offset, {}});
      break;
    case act::write: {
      auto file = d.number(o.head.file);
      file->open.push_back({false, o.head.offset, o.data, o.head.durable != 0});
      break;
    }
    case act::sync:
      if (o.head.folder) {
        for (const auto& c : d.open[o.name])
          disk::settle(d.safe_names, c);
        d.open[o.name].clear();
      } else if (auto file = d.number(o.head.file)) {
        file->safe = file->after();
        file->open.clear();
      }
      break;
    case act::rename: {
      auto what = d.names[o.name];
      if (what) {
        d.enter(o.second, what, disk::folder_of(o.name) == disk::folder_of(o.second));
        d.enter(o.name, nullptr);
      }
      break;
    }
    case act::remove:
      d.enter(o.name, nullptr);
      break;
    case act::announce:
      break;
    }
  }
  // The next write was under way.
  if (count < acts_.size() && acts_[count].head.what == act::write) {
    const auto& o = acts_[count];
    auto file = d.number(o.head.file);
    auto cut = o.data.size() <= sector ? o.data.substr(0, random() % (o.data.size() + 1)) : o.data;
    file->open.push_back({false, o.head.offset, cut});
  }
  auto names = d.safe_names;
  for (auto& [in, changes] : d.open) {
    auto arrived = random() % 3 == 0 ? changes.size() : random() % (changes.size() + 1);
    for (std::size_t i = 0; i < changes.size() && (i < arrived || (i > 0 && changes[i - 1].with_next)); ++i)
      disk::settle(names, changes[i]);
  }
  std::map<object*, std::string> texts; // a file of two names is one file
  for (const auto& [name, what] : names) {
    if (!fs::is_directory(fs::path{folder} / disk::folder_of(name)))
      continue; // folders come before what is in them; this one has not arrived
    if (what->is_folder) {
      fs::create_directory(fs::path{folder} / name);
      continue;
    }
    auto [text, fresh] = texts.try_emplace(what.get());
    if (fresh)
      text->second = survived(*what, random);
    std::ofstream{fs::path{folder} / name, std::ios::binary} << text->second;
  }
}

} // namespace ke::power
