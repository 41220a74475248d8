#include "config/problem_checks.hpp"

#include "config/problem_values.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/text/expression.hpp"
#include "runtime/text/relation.hpp"
#include "runtime/text/source_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace ke {
namespace {

bool is_identifier(std::string_view name) {
  auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits) &&
         !std::isdigit(static_cast<unsigned char>(name[0]));
}

/// Names that would not compile as a parameter or would hide a function of expressions.
bool is_reserved(const std::string& name) {
  static const std::set<std::string> words{
      "auto",     "bool",    "break",  "case",    "char",     "class",     "const",    "continue", "default",
      "delete",   "do",      "double", "else",    "enum",     "extern",    "false",    "float",    "for",
      "goto",     "if",      "inline", "int",     "long",     "namespace", "new",      "nullptr",  "operator",
      "private",  "public",  "return", "short",   "signed",   "sizeof",    "static",   "struct",   "switch",
      "template", "this",    "throw",  "true",    "try",      "typedef",   "typename", "union",    "unsigned",
      "using",    "virtual", "void",   "while",   "kernel",   "min",       "max",      "ceil",     "floor",
      "ceildiv",  "log2",    "sqrt",   "int64_t", "uint16_t", "uint8_t"};
  return words.count(name) > 0;
}

class problem_checker {
public:
  problem_checker(problem_load& load, const place_map& places, const std::string& file)
      : load_{load}, p_{load.problem}, places_{places}, file_{file} {}

  void names() {
    std::set<std::string> seen;
    auto check = [&](const std::string& name, const std::string& place) {
      if (!is_identifier(name))
        wrong(place, "\"" + name + "\" is not a C identifier");
      else if (is_reserved(name))
        wrong(place, "\"" + name + "\" is a reserved word; choose another name");
      else if (!seen.insert(name).second)
        wrong(place,
              "the name \"" + name + "\" is used twice; dims, tensors and scalars share one parameter list");
    };
    if (given("problem.name") && p_.name.empty())
      wrong("problem.name", "expected a name, found an empty string");
    for (const auto& dim : p_.dims)
      check(dim, "problem.dims");
    for (std::size_t i = 0; i < p_.tensors.size(); ++i)
      if (auto place = "tensor." + std::to_string(i) + ".name"; given(place))
        check(p_.tensors[i].name, place);
    for (std::size_t i = 0; i < p_.scalars.size(); ++i)
      if (auto place = "scalar." + std::to_string(i) + ".name"; given(place))
        check(p_.scalars[i].name, place);
  }

  void tensors() {
    if (p_.tensors.empty())
      return wrong("tensor", "at least one [[tensor]] with role = \"out\" is expected");
    for (std::size_t i = 0; i < p_.tensors.size(); ++i)
      for (const auto& [key, text] : value_faults(p_, p_.tensors[i]))
        wrong("tensor." + std::to_string(i) + "." + key, text);
    if (std::none_of(p_.tensors.begin(), p_.tensors.end(), [](auto& t) { return t.role != tensor_role::in; }))
      wrong("tensor", "no tensor has role = \"out\" or \"inout\": there would be nothing to check");
  }

  void scalars() {
    for (std::size_t i = 0; i < p_.scalars.size(); ++i)
      if (const auto& s = p_.scalars[i];
          s.integer && (s.value != std::floor(s.value) || std::fabs(s.value) > 9007199254740992.0))
        wrong("scalar." + std::to_string(i) + ".value",
              "an int64_t takes a whole number of at most 2^53, found " + toml_number(s.value));
    for (std::size_t i = 0; i < p_.scalars.size(); ++i)
      if (const auto& s = p_.scalars[i]; !s.range.empty())
        if (auto text = range_fault(s); !text.empty())
          wrong("scalar." + std::to_string(i) + ".range", text);
  }

  void tolerance() {
    if (p_.bitwise && p_.tensor_scale)
      wrong("tolerance.scale", "with bitwise = true there is no error to measure against the largest output: "
                               "take out one of the two");
  }

  void workloads() {
    std::set<std::string> seen;
    double weight = 0;
    bool timed = false;
    for (std::size_t i = 0; i < p_.workloads.size(); ++i) {
      const auto& w = p_.workloads[i];
      auto place = "workload." + std::to_string(i);
      if (w.name.empty() || !seen.insert(w.name).second)
        wrong(place + ".name", w.name.empty() ? "expected a name, found an empty string"
                                              : "another workload is already called \"" + w.name + "\"");
      for (const auto& dim : p_.dims)
        if (!w.dims.count(dim) && !given(place + ".dims." + dim))
          wrong(place + ".dims", "no value for \"" + dim + "\"");
      for (const auto& [dim, value] : w.dims)
        if (std::find(p_.dims.begin(), p_.dims.end(), dim) == p_.dims.end())
          wrong(place + ".dims",
                "\"" + dim + "\" is not one of the problem's dims" + did_you_mean(dim, p_.dims));
      if (!w.held_out) {
        timed = true;
        weight += w.weight;
      }
    }
    if (!timed)
      wrong("workload", "at least one [[workload]] without held_out is expected: it is what gets timed");
    else if (!(weight > 0))
      wrong("workload.0.weight", "the weights of all timed workloads are 0");
  }

  void promises() {
    for (const auto& [dim, promise] : p_.promise) {
      auto place = "problem.promise." + dim;
      if (std::find(p_.dims.begin(), p_.dims.end(), dim) == p_.dims.end())
        wrong(place, "\"" + dim + "\" is not one of the problem's dims" + did_you_mean(dim, p_.dims));
      else if (promise.multiple < 1)
        wrong(place, "multiple is a whole number of at least 1");
      else if (promise.max > 0 && (promise.max < promise.min || promise.max < promise.multiple))
        wrong(place, "no value is possible: max = " + std::to_string(promise.max) + " is below " +
                         (promise.max < promise.min ? "min = " + std::to_string(promise.min)
                                                    : "multiple = " + std::to_string(promise.multiple)));
    }
    for (std::size_t i = 0; i < p_.workloads.size(); ++i)
      for (const auto& [dim, promise] : p_.promise)
        if (auto at = p_.workloads[i].dims.find(dim); at != p_.workloads[i].dims.end())
          if (auto why = broken(promise, at->second); !why.empty())
            wrong("workload." + std::to_string(i) + ".dims." + dim,
                  dim + " = " + std::to_string(at->second) + " breaks [problem.promise]: " + why);
  }

  /// Precondition: the names are right.
  void relations() {
    for (const auto& text : p_.relations) {
      auto read = relation_of(text);
      if (!read) {
        wrong("problem.relations", read.error().text);
        continue;
      }
      for (std::size_t i = 0; i < p_.workloads.size(); ++i) {
        if (!binds_all(p_.workloads[i]))
          continue;
        auto said = holds(*read, p_.workloads[i].dims);
        if (said && *said)
          continue;
        if (!said)
          wrong("problem.relations", "\"" + text + "\": " + said.error().text);
        else
          wrong("workload." + std::to_string(i) + ".dims",
                "workload \"" + p_.workloads[i].name + "\" breaks the relation \"" + text + "\"");
        if (!said)
          break;
      }
    }
  }

  /// Precondition: the names are right. Workloads that lack a dim have been reported: every formula would
  /// fail again for the same reason.
  void formulas() {
    for (std::size_t i = 0; i < p_.tensors.size(); ++i)
      for (const auto& w : p_.workloads)
        if (auto extents = tensor_extents(p_.tensors[i], w.dims); !extents && binds_all(w)) {
          wrong("tensor." + std::to_string(i) + ".shape",
                extents.error().text + " (workload \"" + w.name + "\")");
          break;
        }
    for (auto [name, text] : {std::pair{"cost.flops", &p_.flops}, std::pair{"cost.bytes", &p_.bytes}})
      for (const auto& w : p_.workloads) {
        if (text->empty())
          break;
        auto value = real_value(*text, w.dims);
        if (!binds_all(w) || (value && *value >= 0))
          continue;
        wrong(name, value ? "the value is negative for workload \"" + w.name + "\"" : value.error().text);
        break;
      }
  }

private:
  static std::string broken(const dim_promise& promise, std::int64_t value) {
    if (value < promise.min)
      return "min = " + std::to_string(promise.min);
    if (promise.max > 0 && value > promise.max)
      return "max = " + std::to_string(promise.max);
    if (promise.multiple > 0 && value % promise.multiple != 0)
      return "multiple = " + std::to_string(promise.multiple);
    return "";
  }
  bool binds_all(const workload& w) const { return w.dims.size() == p_.dims.size(); }
  bool given(const std::string& place) const { return places_.count(place) > 0; }
  void wrong(const std::string& place, std::string text) {
    add_error(load_.errors, places_, file_, place, std::move(text));
  }

  problem_load& load_;
  const problem& p_;
  const place_map& places_;
  const std::string& file_;
};

std::vector<source_token> code_of(const std::string& source, source_language language) {
  auto tokens = tokens_of(source, language);
  std::erase_if(tokens, [](const auto& t) { return t.kind == source_token_kind::comment; });
  return tokens;
}

/// What is not understood may define what it names: whoever compiles it will say.
bool is_unread(const source_token& t, std::string_view name) {
  return t.kind == source_token_kind::verbatim && t.text.find(name) != t.text.npos;
}

bool defines_in_python(const std::string& source, std::string_view keyword, std::string_view name,
                       bool anywhere) {
  auto tokens = code_of(source, source_language::python);
  std::size_t depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_unread(tokens[i], name))
      return true;
    depth += tokens[i].kind == source_token_kind::indent;
    depth -= tokens[i].kind == source_token_kind::dedent;
    if (i + 2 < tokens.size() && (anywhere || (depth == 0 && tokens[i].first)) &&
        tokens[i].is_word(keyword) && tokens[i + 1].is_word(name) &&
        (tokens[i + 2].is_mark("(") || tokens[i + 2].is_mark(":")))
      return true;
  }
  return false;
}

} // namespace

bool defines_reference(const std::string& source, const std::string& language) {
  if (language == "python")
    return defines_in_python(source, "def", "reference", true);
  auto tokens = code_of(source, source_language::cpp);
  auto linked = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_unread(tokens[i], "kernel"))
      return true;
    if (i + 1 == tokens.size())
      break;
    linked = linked || (tokens[i].is_word("extern") && tokens[i + 1].text == "\"C\"");
    if (linked && tokens[i].is_word("kernel") && tokens[i + 1].is_mark("("))
      return true;
  }
  return false;
}

bool defines_python(const std::string& source, const std::string& definition) {
  auto blank = definition.find(' ');
  return defines_in_python(source, definition.substr(0, blank), definition.substr(blank + 1), false);
}

void check_problem(problem_load& load, const place_map& places, const std::string& file) {
  auto before = load.errors.size();
  problem_checker all{load, places, file};
  all.names();
  all.tensors();
  all.scalars();
  all.tolerance();
  all.workloads();
  all.promises();
  if (load.errors.size() == before) {
    all.relations();
    all.formulas();
  }
}

} // namespace ke
