#include "backends/evidence/machine_listing.hpp"

#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <initializer_list>

namespace ke {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdefABCDEF";

bool is_hex_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of(hex_digits) == word.npos;
}

/// "c5 fc 28 05 a5 0e 00".
bool is_encoding(std::string_view field) {
  field = trimmed(field);
  for (std::size_t i = 0; i < field.size(); ++i)
    if (i % 3 == 2 ? field[i] != ' ' : hex_digits.find(field[i]) == hex_digits.npos)
      return false;
  return field.size() % 3 == 2;
}

/// One blank where several blanks or tabs were.
std::string with_single_blanks(std::string_view line) {
  std::string out;
  for (char c : trimmed(line))
    if (c != ' ' && c != '\t')
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  return out;
}

/// objdump's "<kernel+0x20>" as "<kernel>", without the address before it; "0xea5(%rip)" as "(%rip)".
std::string without_places(std::string line) {
  for (std::size_t at = 0; (at = line.find('<', at)) != line.npos; ++at) {
    auto end = std::min(line.find('>', at), line.size());
    if (auto plus = line.rfind("+0x", end); plus != line.npos && plus > at)
      line.erase(plus, end - plus);
    auto before = line.rfind(' ', at > 1 ? at - 2 : 0);
    auto begin = before == line.npos ? 0 : before + 1;
    if (at > begin && line[at - 1] == ' ' &&
        is_hex_number(std::string_view{line}.substr(begin, at - 1 - begin))) {
      line.erase(begin, at - begin);
      at = begin;
    }
  }
  if (auto rip = line.find("(%rip)"); rip != line.npos && rip > 0)
    if (auto begin = line.find_last_not_of("-x0123456789abcdef", rip - 1); begin != line.npos)
      line.erase(begin + 1, rip - begin - 1);
  return line;
}

/// Whether it does nothing: compilers align code so, and how much depends on the address.
bool is_padding(std::string_view instruction) {
  for (std::string_view prefix : {"data16 ", "cs "})
    while (instruction.starts_with(prefix))
      instruction.remove_prefix(prefix.size());
  return instruction.starts_with("nop") || instruction.starts_with("NOP") || instruction == "xchg %ax,%ax";
}

/// A line of `objdump -d`; empty: it says nothing of the code.
std::string of_assembly(std::string_view line) {
  if (line.find("file format") != line.npos)
    return {};
  line = trimmed(line);
  if (auto colon = line.find(':'); colon != line.npos && is_hex_number(line.substr(0, colon))) {
    line.remove_prefix(colon + 1);
    // Bytes of the encoding stand between two tabs, and alone where an instruction has many.
    if (line.starts_with('\t'))
      if (auto bytes = line.substr(1, line.find('\t', 1) - 1); is_encoding(bytes))
        line.remove_prefix(bytes.size() + 1);
    line = line.substr(0, line.find(" # ")); // where data beside the code lies
    auto instruction = without_places(with_single_blanks(line));
    return instruction.empty() || is_padding(instruction) ? std::string{} : "  " + instruction;
  }
  return without_places(with_single_blanks(line)); // "0000000000001139 <kernel>:"
}

/// A line of `cuobjdump -sass`.
std::string of_sass(std::string_view line) {
  std::string text;
  while (!line.empty()) { // addresses and encodings are comments
    auto open = line.find("/*");
    text += line.substr(0, open);
    auto close = open == line.npos ? line.npos : line.find("*/", open + 2);
    line = close == line.npos ? std::string_view{} : line.substr(close + 2);
  }
  text = with_single_blanks(text);
  if (is_padding(text))
    return {};
  auto words = std::string_view{text};
  if (words.starts_with('@'))
    words.remove_prefix(std::min(words.find(' ') + 1, words.size()));
  static constexpr std::string_view jumps[] = {"BRA",   "BSSY",     "CALL", "JMP",
                                               "BREAK", "WARPSYNC", "SSY",  "PBK"};
  if (std::none_of(std::begin(jumps), std::end(jumps), [&](auto jump) { return words.starts_with(jump); }))
    return text;
  if (auto at = text.rfind("0x"); at != text.npos)
    text.erase(at, std::min(text.find_first_not_of(hex_digits, at + 2), text.size()) - at);
  return with_single_blanks(text);
}

/// A line of PTX.
std::string of_ptx(std::string_view line) {
  line = trimmed(line.substr(0, line.find("//")));
  for (std::string_view place : {".loc", ".file", ".section"})
    if (line.starts_with(place))
      return {};
  std::string text;
  while (!line.empty()) { // "$L__BB0_2" as "$L"
    auto label = line.find("$L");
    text += line.substr(0, label);
    if (label == line.npos)
      break;
    text += "$L";
    auto rest = line.substr(label + 2);
    auto end = std::find_if_not(rest.begin(), rest.end(), [](char c) {
      return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    });
    line = rest.substr(static_cast<std::size_t>(end - rest.begin()));
  }
  return with_single_blanks(text);
}

} // namespace

std::string instructions_of(std::string_view listing, listing_kind kind) {
  std::string out;
  while (!listing.empty()) {
    auto line = listing.substr(0, listing.find('\n'));
    listing.remove_prefix(std::min(line.size() + 1, listing.size()));
    auto said = kind == listing_kind::assembly ? of_assembly(line)
                : kind == listing_kind::sass   ? of_sass(line)
                                               : of_ptx(line);
    if (!said.empty())
      out += said + '\n';
  }
  return out;
}

} // namespace ke
