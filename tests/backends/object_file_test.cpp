#include "backends/evaluation/object_file.hpp"

#include "runtime/core/private_folder.hpp"
#include "tests/backends/small_elf.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <fstream>

using namespace ke;

namespace {

struct objects {
  private_folder owned = *private_folder::make({}, "ke-objects-");
  std::filesystem::path folder = owned.path();
  std::string digest(const std::string& bytes) const {
    std::ofstream{folder / "object.so", std::ios::binary} << bytes;
    return object_digest(folder / "object.so");
  }
};

std::string with_text(const std::string& code, const std::string& debug = "", const std::string& id = "1") {
  return small_elf({{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code},
                    {".rodata", SHT_PROGBITS, SHF_ALLOC, "constants"},
                    {".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, id},
                    {".symtab", SHT_SYMTAB, 0, debug}});
}

} // namespace

TEST_CASE("objects with the same code have one digest, whatever their symbols and build ids") {
  objects o;
  auto first = o.digest(with_text("code", "half_of", "abc"));
  CHECK(first.size() == 64);
  CHECK(o.digest(with_text("code", "a longer name", "def")) == first);
  CHECK(o.digest(with_text("other")) != first);
  auto moved = small_elf({{".data", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, "code"},
                          {".rodata", SHT_PROGBITS, SHF_ALLOC, "constants"}});
  CHECK(o.digest(moved) != first);
}

TEST_CASE("undefined symbols are found behind more sections than the header can count") {
  objects o;
  std::string symbols(2 * sizeof(Elf64_Sym), '\0');
  Elf64_Sym called{};
  called.st_name = 1;
  std::memcpy(symbols.data() + sizeof called, &called, sizeof called);
  std::vector<elf_section> sections{{".dynstr", SHT_STRTAB, SHF_ALLOC, std::string{"\0system\0", 8}},
                                    {".dynsym", SHT_DYNSYM, SHF_ALLOC, symbols, 1}};
  for (bool many : {false, true}) {
    std::ofstream{o.folder / "object.so", std::ios::binary} << small_elf(sections, many);
    CHECK(undefined_symbols(o.folder / "object.so") == std::vector<std::string>{"system"});
  }
  CHECK(o.digest(small_elf(sections, true)) == o.digest(small_elf(sections)));
}

TEST_CASE("what is no object, or a cut one, has no object digest") {
  objects o;
  CHECK(o.digest("def kernel(): pass\n").empty());
  CHECK(o.digest("").empty());
  CHECK(object_digest(o.folder / "absent").empty());
  auto whole = with_text("code");
  auto first = o.digest(whole);
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(o.digest(whole.substr(0, size)) != first);
}
