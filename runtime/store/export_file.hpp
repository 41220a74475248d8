#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/names.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Where and when records were exported.
struct export_origin {
  std::string store;    ///< id
  std::string campaign; ///< empty: all of the store
  std::uint64_t exported_unix_ms = 0;
  std::string program;
};
KE_FIELDS(export_origin, x.store, x.campaign, x.exported_unix_ms, x.program)

/// The head of an export file (store.md, "Export files").
struct export_header {
  std::uint32_t version = 1;
  export_origin from;
  std::vector<export_origin> history; ///< exports merged into that store before
};
KE_FIELDS(export_header, x.version, x.from, x.history)

enum class shared_kind : std::uint8_t { end, blob, verdict, call, solution, skill };
KE_NAMES(shared_kind, 6, "end", "blob", "verdict", "call", "solution", "skill")

struct export_record {
  shared_kind kind = shared_kind::end;
  std::string content;
};

/// The content of a file. `content` is a digest of the set of records, without blobs: stores with equal
/// digests know the same.
struct export_summary {
  std::uint64_t records = 0;
  std::string content;
};
KE_FIELDS(export_summary, x.records, x.content)

/// A record's identity: digest of kind and content, 64 hexadecimal digits.
std::string digest_of_record(shared_kind kind, std::string_view content);

/// Of a set of such digests.
std::string digest_of_records(const std::set<std::string>& digests);

/// Writes an export file: PATH.part, renamed to PATH when whole. Leaves out repeated records. One thread;
/// without `finish` nothing is left.
class export_writer {
public:
  static result<std::unique_ptr<export_writer>> create(const std::string& path, const export_header& header);
  ~export_writer();
  export_writer(const export_writer&) = delete;
  export_writer& operator=(const export_writer&) = delete;

  void add(shared_kind kind, std::string_view content);
  /// `invalid` if the file could not be written.
  result<export_summary> finish();

private:
  explicit export_writer(std::string path) : path_{std::move(path)} {}
  void put(shared_kind kind, const std::string& digest, std::string_view content);

  std::string path_;
  std::ofstream out_;
  bool finished_ = false;
  std::set<std::string> seen_, known_; ///< digests: of all records, of those that are not blobs
};

/// Reads an export file, record by record. Failures name the file and the byte: `invalid` (no export file, or
/// unreadable), `newer_version`, `corrupt` (damaged or cut). One thread.
class export_reader {
public:
  static result<std::unique_ptr<export_reader>> open(const std::string& path);
  const export_header& header() const { return header_; }
  /// The next record; after the last one, if the summary is right, one of kind `end`.
  result<export_record> next();
  const export_summary& summary() const { return summary_; } ///< after the end

private:
  explicit export_reader(std::string path) : path_{std::move(path)} {}
  failure damaged(const std::string& why) const;
  status bytes(std::size_t count, std::string& into);
  status read_header();

  std::string path_;
  std::ifstream in_;
  std::uint64_t at_ = 0, size_ = 0, record_at_ = 0;
  std::set<std::string> known_;
  export_header header_;
  export_summary summary_;
};

} // namespace ke
