#include "backends/evaluation/object_file.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace ke {
namespace {

template <class T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T))
    return std::nullopt;
  T x;
  std::memcpy(&x, bytes.data() + at, sizeof x);
  return x;
}

std::string_view piece(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at ? bytes.substr(at, size) : std::string_view{};
}

/// The bytes of a file and the table of its sections; none if it is no ELF64 object.
struct sections {
  std::string file;
  std::vector<Elf64_Shdr> all;
  std::uint32_t names = 0;

  explicit sections(const std::filesystem::path& object) {
    std::ifstream in{object, std::ios::binary};
    file.assign(std::istreambuf_iterator<char>{in}, {});
    auto head = read_at<Elf64_Ehdr>(file, 0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_shentsize != sizeof(Elf64_Shdr))
      return;
    auto section = [&](std::uint64_t i) {
      return read_at<Elf64_Shdr>(file, head->e_shoff + i * sizeof(Elf64_Shdr));
    };
    auto first = section(0);
    if (!first)
      return;
    // More sections than the header can count stand in the first one: nobody hides symbols behind many of
    // them.
    std::uint64_t count = head->e_shnum ? head->e_shnum : first->sh_size;
    names = head->e_shstrndx == SHN_XINDEX ? first->sh_link : head->e_shstrndx;
    for (std::uint64_t i = 0; i < count; ++i) {
      auto s = section(i);
      if (!s) { // cut
        all.clear();
        return;
      }
      all.push_back(*s);
    }
  }
  std::string_view content(const Elf64_Shdr& s) const {
    return s.sh_type == SHT_NOBITS ? std::string_view{} : piece(file, s.sh_offset, s.sh_size);
  }
  /// The text at `at` of a table of strings; empty if it has no end there.
  static std::string_view text(std::string_view table, std::uint64_t at) {
    auto tail = table.substr(std::min<std::uint64_t>(at, table.size()));
    auto end = tail.find('\0');
    return end == tail.npos ? std::string_view{} : tail.substr(0, end);
  }
};

} // namespace

std::vector<std::string> undefined_symbols(const std::filesystem::path& object) {
  constexpr std::size_t longest_name = 4096;
  std::vector<std::string> found;
  sections in{object};
  for (const auto& table : in.all) {
    if (table.sh_type != SHT_DYNSYM || table.sh_link >= in.all.size())
      continue;
    auto symbols = in.content(table), names = in.content(in.all[table.sh_link]);
    for (std::uint64_t at = 0; auto symbol = read_at<Elf64_Sym>(symbols, at); at += sizeof(Elf64_Sym)) {
      auto name = sections::text(names, symbol->st_name);
      if (symbol->st_shndx == SHN_UNDEF && !name.empty() && name.size() <= longest_name)
        found.emplace_back(name);
    }
  }
  return found;
}

std::vector<std::string> functions_at(const std::filesystem::path& object,
                                      const std::vector<std::uint64_t>& addresses) {
  std::vector<std::string> found(addresses.size());
  sections in{object};
  for (const auto& table : in.all) {
    if (table.sh_type != SHT_DYNSYM || table.sh_link >= in.all.size())
      continue;
    auto symbols = in.content(table), names = in.content(in.all[table.sh_link]);
    for (std::uint64_t at = 0; auto symbol = read_at<Elf64_Sym>(symbols, at); at += sizeof(Elf64_Sym)) {
      auto type = ELF64_ST_TYPE(symbol->st_info);
      if (symbol->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
        continue;
      for (std::size_t i = 0; i < addresses.size(); ++i)
        if (found[i].empty() && addresses[i] >= symbol->st_value &&
            addresses[i] - symbol->st_value < symbol->st_size)
          found[i] = sections::text(names, symbol->st_name);
    }
  }
  return found;
}

std::string object_digest(const std::filesystem::path& object) {
  sections in{object};
  if (in.names >= in.all.size())
    return {};
  auto names = in.content(in.all[in.names]);
  std::vector<std::string> parts;
  for (const auto& s : in.all)
    if ((s.sh_flags & SHF_ALLOC) && s.sh_type != SHT_NOTE)
      parts.push_back(
          digest_of_parts({sections::text(names, s.sh_name), std::to_string(s.sh_addr),
                           std::to_string(s.sh_size), std::to_string(s.sh_flags), in.content(s)}));
  return parts.empty() ? std::string{} : digest_of(pack(parts));
}

} // namespace ke
