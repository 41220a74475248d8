#include "runtime/store/export_file.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/store/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace ke {
namespace {

constexpr std::string_view export_magic = "ke store export\n";
constexpr std::uint32_t format_version = 1;
constexpr std::size_t largest_head = 16u << 20;
constexpr std::size_t digest_bytes = 64; ///< in hexadecimal digits

std::string little_endian(std::uint32_t x) {
  std::string out;
  for (int i = 0; i < 4; ++i)
    out += static_cast<char>(x >> (8 * i) & 0xff);
  return out;
}

std::uint32_t from_little_endian(std::string_view bytes) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i)
    x |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return x;
}

} // namespace

std::string digest_of_record(shared_kind kind, std::string_view content) {
  return digest_of_parts({std::to_string(static_cast<unsigned>(kind)), content});
}

std::string digest_of_records(const std::set<std::string>& digests) {
  std::string all;
  for (const auto& d : digests)
    all += d;
  return digest_of(all);
}

// -- writing --------------------------------------------------------------------------------------

result<std::unique_ptr<export_writer>> export_writer::create(const std::string& path,
                                                             const export_header& header) {
  // Beside a folder the file would be written in full, and only then not be renamed.
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    return failure{failure_kind::invalid,
                   "cannot write " + path + ": it is a folder; name the file to write in it"};
  std::unique_ptr<export_writer> w{new export_writer{path}};
  w->out_.open(path + ".part", std::ios::binary | std::ios::trunc);
  if (!w->out_)
    return failure{failure_kind::invalid, "cannot write " + path + ": " + std::strerror(errno)};
  auto head = pack(header);
  w->out_ << export_magic << little_endian(static_cast<std::uint32_t>(head.size())) << head
          << digest_of(head);
  return w;
}

export_writer::~export_writer() {
  if (finished_)
    return;
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(path_ + ".part", ignored);
}

void export_writer::put(shared_kind kind, const std::string& digest, std::string_view content) {
  auto packed = compress(content);
  out_ << static_cast<char>(kind) << little_endian(static_cast<std::uint32_t>(packed.size())) << digest
       << packed;
}

void export_writer::add(shared_kind kind, std::string_view content) {
  auto digest = digest_of_record(kind, content);
  if (!seen_.insert(digest).second)
    return;
  if (kind != shared_kind::blob)
    known_.insert(digest);
  put(kind, digest, content);
}

result<export_summary> export_writer::finish() {
  export_summary summary{seen_.size(), digest_of_records(known_)};
  auto content = pack(summary);
  put(shared_kind::end, digest_of_record(shared_kind::end, content), content);
  errno = 0;
  out_.close();
  auto reason = out_ ? 0 : errno; // what is left in the buffer fails as what came before it did
  if (out_) {
    int fd = ::open((path_ + ".part").c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || ::fsync(fd) != 0)
      reason = errno;
    if (fd >= 0)
      ::close(fd);
  }
  std::error_code error{reason, std::generic_category()};
  if (out_ && !error)
    std::filesystem::rename(path_ + ".part", path_, error);
  if (out_ && !error)
    if (int rc = sync_directory(std::filesystem::absolute(path_).parent_path().string()))
      error = {rc, std::generic_category()};
  if (!out_ || error)
    return failure{failure_kind::invalid,
                   "cannot write " + path_ + ": " + (error ? error.message() : "is the disk full?")};
  finished_ = true;
  return summary;
}

// -- reading --------------------------------------------------------------------------------------

failure export_reader::damaged(const std::string& why) const {
  return {failure_kind::corrupt, path_ + " is damaged at byte " + std::to_string(record_at_) + ": " + why +
                                     "; export it anew, nothing was taken from it"};
}

status export_reader::bytes(std::size_t count, std::string& into) {
  if (count > size_ - at_)
    return damaged("it ends after " + std::to_string(size_) + " bytes, in the middle of a record");
  into.resize(count);
  if (!in_.read(into.data(), static_cast<std::streamsize>(count)))
    return failure{failure_kind::invalid, path_ + " can't be read at byte " + std::to_string(at_)};
  at_ += count;
  return ok;
}

result<std::unique_ptr<export_reader>> export_reader::open(const std::string& path) {
  std::unique_ptr<export_reader> r{new export_reader{path}};
  std::error_code error;
  auto size = std::filesystem::file_size(path, error);
  r->in_.open(path, std::ios::binary);
  if (error || !r->in_)
    return failure{failure_kind::invalid,
                   path + " can't be read: " + (error ? error.message() : "no access")};
  r->size_ = size;
  if (auto read = r->read_header(); !read)
    return read.error();
  return r;
}

status export_reader::read_header() {
  std::string head, text;
  if (size_ >= export_magic.size())
    if (auto read = bytes(export_magic.size(), text); !read)
      return read;
  if (text != export_magic)
    return failure{failure_kind::invalid,
                   path_ + " is not an export of a store: make one with `ke-runtime store export -o FILE`"};
  if (auto read = bytes(4, text); !read)
    return read;
  auto length = from_little_endian(text);
  if (length > largest_head)
    return damaged("its head claims " + std::to_string(length) + " bytes");
  if (auto read = bytes(length, head); !read)
    return read;
  if (auto read = bytes(digest_bytes, text); !read)
    return read;
  if (digest_of(head) != text)
    return damaged("its head does not match its digest");
  auto header = unpack<export_header>(head);
  if (!header)
    return damaged(header.error().text);
  if (header->version > format_version)
    return failure{failure_kind::newer_version,
                   path_ + " has format " + std::to_string(header->version) + ", this program reads up to " +
                       std::to_string(format_version) + "; use a newer ke-runtime"};
  header_ = std::move(*header);
  return ok;
}

result<export_record> export_reader::next() {
  record_at_ = at_;
  std::string head, packed;
  if (auto read = bytes(1 + 4 + digest_bytes, head); !read)
    return read.error();
  if (auto read = bytes(from_little_endian(std::string_view{head}.substr(1, 4)), packed); !read)
    return read.error();
  auto digest = head.substr(5);
  export_record r;
  r.kind = static_cast<shared_kind>(head[0]);
  if (!decompress(packed, r.content) || digest_of_record(r.kind, r.content) != digest)
    return damaged("a record does not match its digest");
  if (r.kind != shared_kind::end) {
    ++summary_.records;
    if (r.kind != shared_kind::blob)
      known_.insert(std::move(digest));
    return r;
  }
  summary_.content = digest_of_records(known_);
  auto told = unpack<export_summary>(r.content);
  if (!told || !(*told == summary_))
    return damaged("its end does not match what came before");
  if (at_ != size_)
    return damaged("something follows its end");
  return r;
}

} // namespace ke
