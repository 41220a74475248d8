#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ke {

struct elf_section {
  std::string name;
  std::uint32_t type = SHT_PROGBITS;
  std::uint64_t flags = SHF_ALLOC;
  std::string content = {};
  std::uint32_t link = 0;
};

/// The bytes of a 64-bit ELF object with these sections; it can be read, not loaded. `many`: its header says
/// that they are too many for it to count.
inline std::string small_elf(std::vector<elf_section> sections, bool many = false) {
  std::string names(1, '\0');
  sections.insert(sections.begin(), elf_section{"", SHT_NULL, 0, ""});
  sections.push_back({".shstrtab", SHT_STRTAB, 0, ""});
  std::vector<Elf64_Shdr> table;
  std::string body(sizeof(Elf64_Ehdr), '\0');
  for (auto& s : sections) {
    Elf64_Shdr h{};
    h.sh_name = static_cast<Elf64_Word>(names.size());
    names += s.name + '\0';
    if (s.name == ".shstrtab")
      s.content = names;
    h.sh_type = s.type;
    h.sh_flags = s.flags;
    h.sh_link = s.link;
    h.sh_offset = body.size();
    h.sh_size = s.content.size();
    body += s.content;
    table.push_back(h);
  }
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_type = ET_DYN;
  head.e_shoff = body.size();
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = static_cast<Elf64_Half>(table.size());
  head.e_shstrndx = static_cast<Elf64_Half>(table.size() - 1);
  if (many) {
    table[0].sh_size = table.size();
    table[0].sh_link = head.e_shstrndx;
    head.e_shnum = 0;
    head.e_shstrndx = SHN_XINDEX;
  }
  body.append(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Elf64_Shdr));
  std::memcpy(body.data(), &head, sizeof head);
  return body;
}

} // namespace ke
