#include "backends/evidence/sass_mix.hpp"

#include "runtime/core/evidence_keys.hpp"
#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <initializer_list>

namespace ke {
namespace {

constexpr std::size_t most_functions = 16, longest_function = 64;

struct sass_class {
  const char* name;
  std::initializer_list<std::string_view> begins;
};

/// By the beginning of the mnemonic; an instruction is of the first class that fits.
const sass_class sass_classes[] = {
    {"insn.tensor",
     {"HGMMA", "QGMMA", "IGMMA", "BGMMA", "HMMA", "IMMA", "DMMA", "QMMA", "BMMA", "OMMA", "UTCHMMA",
      "UTCQMMA", "UTCIMMA", "UTCOMMA"}},
    {"insn.async_copy", {"LDGSTS", "UBLKCP", "UTMALDG", "UTMASTG", "UTMAREDG", "UBLKRED"}},
    {"insn.global_load", {"LDG", "LD."}},
    {"insn.global_store", {"STG", "ST."}},
    {"insn.shared_load", {"LDS"}},
    {"insn.shared_store", {"STS"}},
    {"insn.local", {"LDL", "STL"}},
    {"insn.atomic", {"ATOM", "RED."}},
    {"insn.special", {"MUFU"}},
    {"insn.barrier", {"BAR", "SYNCS", "UCGABAR"}},
    {"insn.branch", {"BRA", "BRX", "JMP", "CALL", "RET"}},
    {"insn.fp64", {"DFMA", "DADD", "DMUL"}},
    {"insn.fp16", {"HFMA2", "HADD2", "HMUL2"}},
    {"insn.fp32", {"FFMA", "FADD", "FMUL"}},
};

/// The mnemonic of a line `/*0090*/  @!P0 LDG.E.128 R4, ...`; empty: it is none.
std::string_view mnemonic_of(std::string_view line) {
  auto skip = [&](std::string_view blanks) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  };
  skip(" \t");
  auto end = line.find("*/");
  if (!line.starts_with("/*") || end == line.npos || end < 3 ||
      line.substr(2, end - 2).find_first_not_of("0123456789abcdef") != line.npos)
    return {};
  line.remove_prefix(end + 2);
  skip(" \t");
  if (line.starts_with('@')) { // a predicate
    line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
    skip(" \t");
  }
  auto word = line.substr(0, line.find_first_of(" \t;"));
  return !word.empty() && word[0] >= 'A' && word[0] <= 'Z' ? word : std::string_view{};
}

/// What stands behind a mark at the line's beginning; empty: another line.
std::string_view behind(std::string_view line, std::string_view mark) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.starts_with(mark) ? line.substr(mark.size()) : std::string_view{};
}

} // namespace

std::map<std::string, double> sass_mix(std::string_view text) {
  std::map<std::string, double> found;
  std::string arch, prefix;
  std::size_t functions = 0;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (auto named = behind(line, "code for sm_"); !named.empty()) {
      auto number = named.substr(0, named.find_first_not_of("0123456789"));
      arch = number.empty() || number.size() > 4 ? std::string{} : "sm_" + std::string{number};
      prefix.clear();
    } else if (auto function = behind(line, "Function : "); !function.empty()) {
      bool counts = !arch.empty() && function.size() <= longest_function &&
                    std::all_of(function.begin(), function.end(), is_word) && ++functions <= most_functions;
      prefix = counts ? counter_keys::static_of + arch + "." + std::string{function} + "." : std::string{};
    } else if (auto word = mnemonic_of(line); !word.empty() && !prefix.empty() && !word.starts_with("NOP")) {
      ++found[prefix + "insn.total"];
      for (const auto& c : sass_classes)
        if (std::any_of(c.begins.begin(), c.begins.end(),
                        [&](auto b) { return word.starts_with(b) || word == b.substr(0, b.find('.')); })) {
          ++found[prefix + c.name];
          if (word.starts_with("LDG") || word.starts_with("STG"))
            found[prefix + "insn.global_wide"] += word.find(".128") != word.npos;
          break;
        }
    }
  }
  return found;
}

} // namespace ke
