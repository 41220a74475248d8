#include "runtime/llm/answer.hpp"

#include "runtime/llm/patch.hpp"
#include "runtime/llm/regions.hpp"
#include "runtime/text/source_text.hpp"
#include "runtime/text/source_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ke {
namespace {

constexpr std::size_t rationale_limit = 2000;
/// Tokens of the longest parameter list looked through, and its deepest nesting: bounds for hostile text.
constexpr std::size_t signature_limit = 1024;
constexpr int nesting_limit = 32;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view next_line(std::string_view& rest) {
  auto end = rest.find('\n');
  auto line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  return line;
}

/// The fence that a line opens or closes: its character and length, 0 if it is none.
std::pair<char, std::size_t> fence_of(std::string_view line) {
  auto indent = line.find_first_not_of(' ');
  if (indent == std::string_view::npos || indent > 3 || (line[indent] != '`' && line[indent] != '~'))
    return {0, 0};
  auto mark = line[indent];
  auto end = line.find_first_not_of(mark, indent);
  auto length = (end == std::string_view::npos ? line.size() : end) - indent;
  return length >= 3 ? std::pair{mark, length} : std::pair{'\0', std::size_t{0}};
}

std::string info_of(std::string_view line) {
  line = trimmed(line);
  line.remove_prefix(std::min(line.find_first_not_of("`~"), line.size()));
  line = trimmed(line);
  std::string word;
  for (char c : line) {
    if (is_space(c) || c == ',' || c == '}')
      break;
    if (c != '{' && c != '.')
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return word;
}

bool in_language(const candidate_language& language, const std::string& info) {
  return std::find(language.fences.begin(), language.fences.end(), info) != language.fences.end();
}

/// After an opening parenthesis at `at`: the place behind its match, or npos.
std::size_t behind_parentheses(const std::vector<source_token>& tokens, std::size_t at) {
  int depth = 0;
  for (auto i = at; i < tokens.size() && i < at + signature_limit; ++i) {
    if (tokens[i].is_mark("(") && ++depth > nesting_limit)
      break;
    if (tokens[i].is_mark(")") && --depth == 0)
      return i + 1;
  }
  return std::string_view::npos;
}

/// As a label of assembly or a definition of LLVM IR: a candidate may be its parent's lower-level text.
bool defines_below(std::string_view text, const std::string& symbol) {
  if (text.find("\n" + symbol + ":") != std::string_view::npos)
    return true;
  auto at = text.find("@" + symbol + "(");
  for (; at != std::string_view::npos; at = text.find("@" + symbol + "(", at + 1)) {
    auto line = text.rfind('\n', at);
    if (text.substr(line == std::string_view::npos ? 0 : line + 1).starts_with("define "))
      return true;
  }
  return false;
}

source_language family_of(const answer_rule& rule) {
  return rule.language.syntax.family;
}

/// For text that is not understood in its language; the compiler will decide.
bool may_define(std::string_view text, const answer_rule& rule) {
  const auto& symbol = rule.symbol;
  for (auto at = text.find(symbol); at != std::string_view::npos; at = text.find(symbol, at + 1)) {
    auto end = at + symbol.size();
    if ((at > 0 && (is_word(text[at - 1]) || text[at - 1] == '@')) ||
        (end < text.size() && is_word(text[end])))
      continue;
    auto before = trimmed(text.substr(0, at));
    if (family_of(rule) == source_language::other) // how it defines anything is not known
      return true;
    if (family_of(rule) == source_language::python
            ? before.ends_with("def") || before.ends_with("class")
            : trimmed(text.substr(end, signature_limit)).starts_with('('))
      return true;
  }
  return false;
}

/// `symbol(...) {` or, in Python, `class symbol` and `def symbol`. Comments and texts define nothing.
bool defines(std::string_view text, const answer_rule& rule) {
  const auto& symbol = rule.symbol;
  auto family = family_of(rule);
  if (family == source_language::cpp && defines_below(text, symbol))
    return true;
  auto tokens = tokens_of(text, rule.language.syntax);
  std::erase_if(tokens, [](const source_token& t) { return t.kind == source_token_kind::comment; });
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == source_token_kind::verbatim && may_define(tokens[i].text, rule))
      return true;
    if (!tokens[i].is_word(symbol))
      continue;
    if (family == source_language::python) {
      if (i > 0 && (tokens[i - 1].is_word("class") || tokens[i - 1].is_word("def")))
        return true;
      continue;
    }
    if (i + 1 == tokens.size() || !tokens[i + 1].is_mark("("))
      continue;
    auto body = behind_parentheses(tokens, i + 1);
    if (body < tokens.size() && tokens[body].is_word("noexcept"))
      ++body;
    if (body < tokens.size() && tokens[body].is_mark("{"))
      return true;
  }
  return false;
}

/// An answer without fences that is code from its first line on.
bool is_code_alone(std::string_view text, const answer_rule& rule) {
  const auto& begins = rule.language.begins;
  if (std::none_of(begins.begin(), begins.end(), [&](const auto& word) { return text.starts_with(word); }))
    return false;
  if (!rule.symbol.empty())
    return defines(text, rule);
  auto family = family_of(rule);
  return family == source_language::other ||
         text.find(family == source_language::python ? "def " : "{") != std::string_view::npos;
}

const code_block* choose(const std::vector<code_block>& blocks, const answer_rule& rule, bool closed_only) {
  auto fits = [&](const code_block& b, bool other_language) {
    if (trimmed(b.text).empty() || b.info == "ke-task" || b.info == "diff" || (closed_only && !b.closed))
      return false;
    return other_language || b.info.empty() || in_language(rule.language, b.info);
  };
  if (!rule.symbol.empty())
    for (bool other_language : {false, true}) {
      if (other_language && family_of(rule) == source_language::other)
        break; // a name that stands in it says nothing of a block in another language
      for (auto b = blocks.rbegin(); b != blocks.rend(); ++b)
        if (fits(*b, other_language) && defines(b->text, rule))
          return &*b;
    }
  if (closed_only && !rule.symbol.empty())
    return nullptr;
  const code_block* largest = nullptr;
  for (const auto& b : blocks)
    if (fits(b, false) && (!largest || b.text.size() > largest->text.size()))
      largest = &b;
  return largest;
}

/// At most `limit` bytes from the end of the prose, cut between characters.
std::string tail(std::string_view text, std::size_t limit) {
  text = trimmed(text);
  if (text.size() > limit)
    text.remove_prefix(text.size() - limit);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0) == 0x80)
    text.remove_prefix(1);
  return std::string{text};
}

parsed_answer refused(failure why, std::string_view text) {
  parsed_answer out;
  out.why = std::move(why);
  out.rationale = tail(text, rationale_limit);
  return out;
}

/// The parent after the answer's edits.
parsed_answer edited(std::string_view text, const answer_rule& rule,
                     const std::vector<search_replace>& edits) {
  if (rule.parent.empty())
    return refused({failure_kind::no_code,
                    "the answer edits a parent, but there is none: give the whole source in one fenced block",
                    false},
                   text);
  auto source = apply_edits(rule.parent, edits);
  if (!source)
    return refused(source.error(), text);
  parsed_answer out;
  out.source = std::move(*source);
  out.rationale = tail(text.substr(0, text.find("<<<<<")), rationale_limit);
  return out;
}

parsed_answer parse_one(std::string_view text, const answer_rule& rule, bool closed_only) {
  parsed_answer out;
  auto edits = edits_of(text);
  if (!edits)
    return refused(edits.error(), text);
  if (!edits->empty())
    return edited(text, rule, *edits);
  auto blocks = code_blocks(text);
  if (const auto* block = choose(blocks, rule, closed_only)) {
    out.source = block->text;
    out.rationale = tail(text.substr(0, block->offset), rationale_limit);
  } else if (blocks.empty() && !closed_only && is_code_alone(trimmed(text), rule)) {
    out.source = std::string{trimmed(text)} + "\n";
  } else {
    out.why = {failure_kind::no_code,
               "the answer holds no " + rule.language.name + " code block" +
                   (blocks.empty() ? "" : " (only blocks in other languages)") +
                   ": give the whole source in one block fenced by ```" + rule.language.fence(),
               false};
    out.rationale = tail(text, rationale_limit);
    return out;
  }
  return out;
}

/// Where the candidates of an answer of several begin: lines `### Candidate...` outside of code.
std::vector<std::size_t> headings(std::string_view text) {
  constexpr std::string_view mark = "### Candidate";
  std::vector<std::size_t> all;
  auto blocks = code_blocks(text);
  auto block = blocks.begin();
  std::size_t code_end = 0;
  for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    for (; block != blocks.end() && block->offset < at; ++block)
      code_end = block->offset + block->text.size();
    if (at >= code_end && (at == 0 || text[at - 1] == '\n'))
      all.push_back(at);
  }
  return all;
}

/// Limits and parameters of a source that was found.
void settle(parsed_answer& out, const answer_rule& rule) {
  if (out.why.kind != failure_kind::none)
    return;
  if (auto kept = check_regions(rule.parent, out.source); !kept) {
    out.why = kept.error();
    return;
  }
  const auto& language = rule.language.syntax;
  auto parameters = parameters_of(out.source, language);
  if (!parameters) {
    out.why = parameters.error();
    return;
  }
  if (!parameters->empty())
    if (auto filled = at_point(out.source, language, point_in(out.source, language, *parameters)))
      out.source = std::move(*filled);
  out.parameters = std::move(*parameters);
  if (out.source.size() > rule.limit_bytes)
    out.why = {failure_kind::too_large,
               "the code has " + std::to_string(out.source.size()) + " bytes, over the limit of " +
                   std::to_string(rule.limit_bytes) + " bytes for one candidate: write a shorter source",
               false};
}

candidate_text unusable(const failure& why, const std::string& plan = {}) {
  return {{}, std::string{to_text(why.kind)} + ": " + why.text + (plan.empty() ? "" : " (" + plan + ")")};
}

parsed_answer parse(std::string_view text, const answer_rule& rule, bool closed_only) {
  auto starts = headings(text);
  if (starts.size() < 2) {
    auto out = parse_one(text, rule, closed_only);
    settle(out, rule);
    return out;
  }
  // Each part is an answer of its own; one that can't be used is told of while another can.
  parsed_answer out, first_bad;
  const auto parts = starts.size();
  starts.push_back(text.size());
  for (std::size_t i = 0; i < std::min(parts, most_candidates_of_answer); ++i) {
    auto part = text.substr(starts[i], starts[i + 1] - starts[i]);
    auto heading = next_line(part);
    auto plan = std::string{trimmed(heading.substr(std::min(heading.find(':'), heading.size() - 1) + 1))};
    auto one = parse_one(part, rule, closed_only);
    settle(one, rule);
    if (one.why.kind != failure_kind::none) {
      out.more.push_back(unusable(one.why, plan));
      if (first_bad.why.kind == failure_kind::none)
        first_bad = std::move(one);
    } else if (out.source.empty()) {
      one.more = std::move(out.more);
      out = std::move(one);
      out.rationale = plan.empty() ? out.rationale : plan;
    } else {
      out.more.push_back({std::move(one.source), plan.empty() ? one.rationale : plan});
    }
  }
  if (parts > most_candidates_of_answer)
    out.more.push_back(unusable({failure_kind::too_large,
                                 "the answer holds " + std::to_string(parts) + " candidates, of which " +
                                     std::to_string(most_candidates_of_answer) + " are read: write no more",
                                 false}));
  return out.source.empty() ? first_bad : out;
}

} // namespace

std::vector<code_block> code_blocks(std::string_view text) {
  std::vector<code_block> blocks;
  auto rest = text;
  while (!rest.empty()) {
    auto offset = text.size() - rest.size();
    auto line = next_line(rest);
    auto [mark, length] = fence_of(line);
    // An info string of backticks holds none itself: such a line is inline code.
    if (length == 0 || (mark == '`' && trimmed(line).substr(length).find('`') != std::string_view::npos))
      continue;
    code_block block{info_of(line), "", false, offset};
    while (!rest.empty()) {
      auto inner = next_line(rest);
      auto [end_mark, end_length] = fence_of(inner);
      if (end_mark == mark && end_length >= length && trimmed(inner).size() == end_length) {
        block.closed = true;
        break;
      }
      block.text.append(inner).append("\n");
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

parsed_answer parse_answer(std::string_view text, const answer_rule& rule) {
  // Some servers leave a model's thoughts in the answer. What follows them is meant, if it has code.
  constexpr std::string_view end_of_thoughts = "</think>";
  if (auto at = text.rfind(end_of_thoughts); at != std::string_view::npos)
    if (auto said = parse(text.substr(at + end_of_thoughts.size()), rule, false);
        said.why.kind == failure_kind::none)
      return said;
  return parse(text, rule, false);
}

bool worth_a_repair(failure_kind kind, std::uint32_t attempt) {
  return attempt == 1 && (kind == failure_kind::no_code || kind == failure_kind::too_large ||
                          kind == failure_kind::truncated || kind == failure_kind::markers);
}

parsed_answer read_answer(const completion& reply, const answer_rule& rule) {
  if (reply.why.kind == failure_kind::none)
    return parse_answer(reply.text, rule);
  if (reply.why.kind == failure_kind::truncated) {
    auto whole = parse(reply.text, rule, true);
    if (whole.why.kind == failure_kind::none)
      return whole;
  }
  parsed_answer out;
  out.why = reply.why;
  out.rationale = tail(reply.text, rationale_limit);
  return out;
}

} // namespace ke
