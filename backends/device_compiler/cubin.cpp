#include "backends/device_compiler/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace ke {
namespace {

constexpr unsigned char entry_mark = 0x10; ///< of st_other: a kernel, not a function that kernels call

template <class T>
std::optional<T> read_struct(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T))
    return std::nullopt;
  T x;
  std::memcpy(&x, bytes.data() + at, sizeof x);
  return x;
}

std::string_view content_of(std::string_view file, const Elf64_Shdr& s) {
  return s.sh_type != SHT_NOBITS && s.sh_offset <= file.size() && s.sh_size <= file.size() - s.sh_offset
             ? file.substr(s.sh_offset, s.sh_size)
             : std::string_view{};
}

} // namespace

std::vector<std::string> entries_of(std::string_view cubin) {
  std::vector<std::string> found;
  auto head = read_struct<Elf64_Ehdr>(cubin, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
      head->e_shentsize != sizeof(Elf64_Shdr))
    return found;
  auto section = [&](std::uint64_t i) {
    return read_struct<Elf64_Shdr>(cubin, head->e_shoff + i * sizeof(Elf64_Shdr));
  };
  for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
    auto table = section(i);
    if (!table || table->sh_type != SHT_SYMTAB)
      continue;
    auto texts = section(table->sh_link);
    auto symbols = content_of(cubin, *table), names = texts ? content_of(cubin, *texts) : std::string_view{};
    for (std::uint64_t at = 0; auto symbol = read_struct<Elf64_Sym>(symbols, at); at += sizeof(Elf64_Sym)) {
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
          !(symbol->st_other & entry_mark) || symbol->st_name >= names.size())
        continue;
      auto name = names.substr(symbol->st_name);
      if (auto end = name.find('\0'); end != name.npos && end > 0)
        found.emplace_back(name.substr(0, end));
    }
  }
  return found;
}

} // namespace ke
