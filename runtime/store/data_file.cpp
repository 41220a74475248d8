#include "runtime/store/data_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace ke {
namespace {

// The format of LMDB 0.9 on 64-bit machines, in the byte order of the machine.
struct page_header {
  std::uint64_t number;
  std::uint16_t pad, flags, lower, upper;
};
struct tree_record {
  std::uint32_t pad; // page size in the first one
  std::uint16_t flags, depth;
  std::uint64_t branch_pages, leaf_pages, overflow_pages, entries, root;
};
struct meta_page {
  page_header header;
  std::uint32_t magic, version;
  std::uint64_t address, map_bytes;
  tree_record trees[2];
  std::uint64_t last_page, transaction;
};
static_assert(sizeof(meta_page) == 152);

constexpr std::uint16_t meta_flag = 0x08;

bool plausible_page_size(std::uint32_t bytes) {
  return bytes >= 512 && bytes <= 65536 && (bytes & (bytes - 1)) == 0;
}

std::optional<meta_page> read_meta(int fd, std::uint64_t offset) {
  meta_page m;
  if (::pread(fd, &m, sizeof m, static_cast<off_t>(offset)) != static_cast<ssize_t>(sizeof m))
    return std::nullopt;
  bool valid = (m.header.flags & meta_flag) && m.magic == 0xBEEFC0DE && m.version == 1 &&
               plausible_page_size(m.trees[0].pad);
  return valid ? std::optional{m} : std::nullopt;
}

} // namespace

result<data_file_facts> inspect_data_file(const std::string& path) {
  data_file_facts facts;
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT)
      return facts;
    return failure{failure_kind::invalid, path + " can't be read (" + std::strerror(errno) + ")"};
  }
  struct closer {
    int fd;
    ~closer() { ::close(fd); }
  } guard{fd};
  struct stat st{};
  if (::fstat(fd, &st) != 0)
    return failure{failure_kind::invalid, path + " can't be read (" + std::strerror(errno) + ")"};
  facts.bytes = static_cast<std::uint64_t>(st.st_size);
  facts.changed_ns = st.st_mtim.tv_sec * 1'000'000'000ll + st.st_mtim.tv_nsec;
  if (facts.bytes == 0)
    return facts;
  auto damaged = [&](const char* what) { return failure{failure_kind::corrupt, path + ": " + what}; };
  auto first = read_meta(fd, 0);
  // Where the second one is, is known from the first alone; without it any usual page size is tried, for the
  // text only.
  auto second = read_meta(fd, first ? first->trees[0].pad : 4096);
  if (!first && !second)
    return damaged("both meta pages are damaged");
  if (!first)
    return damaged("the first meta page is damaged");
  if (!second)
    return damaged("the second meta page is damaged");
  if (first->trees[0].pad != second->trees[0].pad)
    return damaged("the meta pages contradict each other");
  auto& newer = second->transaction > first->transaction ? *second : *first;
  facts.page_bytes = newer.trees[0].pad;
  facts.last_page = newer.last_page;
  facts.transaction = newer.transaction;
  if (facts.last_page < 1 || facts.last_page > (std::uint64_t{1} << 48))
    return damaged("the meta page names an impossible last page");
  return facts;
}

} // namespace ke
