#include "backends/profile/sanitizer_report.hpp"

#include <algorithm>
#include <cctype>

namespace ke {
namespace {

constexpr std::size_t most_report_lines = 20'000, longest_name = 80;

constexpr std::string_view kinds[] = {"heap-buffer-overflow",
                                      "stack-buffer-overflow",
                                      "stack-buffer-underflow",
                                      "dynamic-stack-buffer-overflow",
                                      "global-buffer-overflow",
                                      "container-overflow",
                                      "heap-use-after-free",
                                      "stack-use-after-return",
                                      "stack-use-after-scope",
                                      "use-after-poison",
                                      "stack-overflow",
                                      "memcpy-param-overlap",
                                      "memmove-param-overlap",
                                      "negative-size-param",
                                      "alloc-dealloc-mismatch",
                                      "allocation-size-too-big",
                                      "calloc-overflow",
                                      "invalid-allocation-alignment",
                                      "out of memory",
                                      "out-of-memory",
                                      "attempting double-free",
                                      "attempting free",
                                      "unknown-crash",
                                      "SEGV",
                                      "BUS",
                                      "FPE",
                                      "ILL",
                                      "ABRT",
                                      "TRAP"};

/// How UndefinedBehaviorSanitizer's sentences begin; its report has the rest.
constexpr std::string_view doubts[] = {"division by zero",
                                       "signed integer overflow",
                                       "unsigned integer overflow",
                                       "left shift of",
                                       "shift exponent",
                                       "negation of",
                                       "index",
                                       "load of misaligned address",
                                       "store to misaligned address",
                                       "reference binding to misaligned address",
                                       "reference binding to null pointer",
                                       "member access within",
                                       "member call on",
                                       "load of null pointer",
                                       "store to null pointer",
                                       "load of value",
                                       "load of address",
                                       "store to address",
                                       "null pointer passed as argument",
                                       "null pointer returned",
                                       "applying",
                                       "pointer index expression",
                                       "addition of unsigned offset",
                                       "subtraction of unsigned offset",
                                       "variable length array bound",
                                       "execution reached",
                                       "value"};

template <std::size_t N>
std::string known(const std::string_view (&all)[N], std::string_view text) {
  for (auto word : all)
    if (text.starts_with(word))
      return std::string{word};
  return "an error";
}

bool is_of_a_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Whether `source` has this identifier as a whole word.
bool has_word(std::string_view source, std::string_view name) {
  for (auto at = source.find(name); at != source.npos; at = source.find(name, at + 1)) {
    auto end = at + name.size();
    if ((at == 0 || !is_of_a_word(source[at - 1])) && (end == source.size() || !is_of_a_word(source[end])))
      return true;
  }
  return false;
}

/// " in kernel(float*)" of a frame before `limit`: " in kernel" if the source has that name.
std::string function_in(std::string_view frame, std::size_t limit, std::string_view source) {
  auto in = frame.find(" in ");
  if (in >= limit)
    return {};
  auto name = frame.substr(in + 4);
  name = name.substr(0, name.find_first_of(" (<"));
  if (auto scope = name.rfind("::"); scope != name.npos)
    name.remove_prefix(scope + 2);
  bool word =
      !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), is_of_a_word);
  return word && has_word(source, name) ? " in " + std::string{name} : "";
}

/// "candidate.cpp:5:12" at the front of `text`.
std::string place_at(std::string_view text, std::string_view file) {
  auto end = file.size();
  while (end < text.size() && end < file.size() + 16 &&
         (text[end] == ':' || std::isdigit(static_cast<unsigned char>(text[end]))))
    ++end;
  while (end > file.size() && text[end - 1] == ':')
    --end;
  return std::string{text.substr(0, end)};
}

/// "READ of size 4"
std::string access_in(std::string_view line) {
  for (std::string_view way : {"READ of size ", "WRITE of size "})
    if (line.starts_with(way)) {
      auto digits = line.substr(way.size(), 12);
      return std::string{way} +
             std::string{digits.substr(0, std::min(digits.find_first_not_of("0123456789"), digits.size()))};
    }
  return {};
}

} // namespace

std::string sanitizer_summary(std::string_view report, std::string_view file, std::string_view source) {
  std::string kind, access, place;   // of AddressSanitizer, which ends the program
  std::string doubt, doubtful_place; // of UndefinedBehaviorSanitizer, which goes on
  for (std::size_t n = 0; !report.empty() && n < most_report_lines; ++n) {
    auto line = report.substr(0, report.find('\n'));
    report.remove_prefix(std::min(line.size() + 1, report.size()));
    auto named = line.find(file);
    if (auto at = line.find("Sanitizer: ");
        kind.empty() && at != line.npos && line.find("ERROR") != line.npos)
      kind = known(kinds, line.substr(at + 11));
    if (auto at = line.find(": runtime error: "); doubt.empty() && at != line.npos) {
      doubt = known(doubts, line.substr(at + 17));
      doubtful_place = named < at ? place_at(line.substr(named), file) : "";
    }
    if (kind.empty())
      continue;
    if (access.empty())
      access = access_in(line);
    if (place.empty() && named != line.npos && line.find('#') < named)
      place = place_at(line.substr(named), file) + function_in(line, named, source);
  }
  auto with = [](std::string_view before, const std::string& what) {
    return what.empty() ? what : std::string{before} + what;
  };
  if (kind.empty())
    return doubt.empty() ? doubt : doubt + with(", at ", doubtful_place);
  return kind + with(", ", access) + with(", at ", place);
}

} // namespace ke
