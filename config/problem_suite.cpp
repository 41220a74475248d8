#include "config/problem_suite.hpp"

#include "runtime/text/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace ke {
namespace fs = std::filesystem;
namespace {

constexpr int deepest = 4; ///< folders below a suite's own
constexpr std::int64_t largest_small = 64;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

/// Numbers in names count as numbers: 2_x before 10_x.
bool in_order(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      auto number = [](std::string_view& text) {
        std::size_t zeros = std::min(text.find_first_not_of('0'), text.size());
        std::size_t end = zeros;
        while (end < text.size() && is_digit(text[end]))
          ++end;
        auto digits = text.substr(zeros, end - zeros);
        text.remove_prefix(end);
        return digits;
      };
      auto x = number(a), y = number(b);
      if (x != y)
        return x.size() != y.size() ? x.size() < y.size() : x < y;
      continue;
    }
    if (a[0] != b[0])
      return a[0] < b[0];
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

failure invalid(std::string text) {
  return {failure_kind::invalid, std::move(text), false};
}

std::string without_suffix(std::string path) {
  return path.ends_with(".py") ? path.substr(0, path.size() - 3) : path;
}

bool is_file(const fs::directory_entry& e) {
  std::error_code ignored;
  return e.is_regular_file(ignored) && e.path().extension() == ".py";
}

bool is_hidden(const fs::path& path) {
  auto name = path.filename().string();
  return name.starts_with('_') || name.starts_with('.');
}

void add(std::vector<suite_problem>& all, const fs::path& root, const fs::path& path) {
  all.push_back({without_suffix(path.lexically_relative(root).string()), path.string()});
}

std::vector<suite_problem> of_levels(const fs::path& root) {
  std::vector<suite_problem> all;
  for (auto level : {"level1", "level2", "level3", "level4"}) {
    std::error_code none;
    for (const auto& e : fs::directory_iterator{root / level, none})
      if (is_file(e) && is_digit(e.path().filename().string()[0]))
        add(all, root, e.path());
  }
  return all;
}

std::vector<suite_problem> of_folder(const fs::path& root) {
  std::vector<suite_problem> all;
  std::error_code trouble;
  fs::recursive_directory_iterator at{root, fs::directory_options::skip_permission_denied, trouble}, end;
  while (!trouble && at != end) {
    std::error_code ignored;
    const auto& path = at->path();
    if (at->is_directory(ignored)) {
      auto own = fs::is_regular_file(path / "problem.toml", ignored); // its other files belong to it
      if (own)
        add(all, root, path);
      if (own || is_hidden(path) || at.depth() >= deepest)
        at.disable_recursion_pending();
    } else if (is_file(*at) && !is_hidden(path)) {
      add(all, root, path);
    }
    at.increment(trouble);
  }
  return all;
}

/// What is wrong with a folder that has no levels.
std::string no_levels(const fs::path& root) {
  std::error_code ignored;
  std::string text = root.string() +
                     " has no KernelBench files: expected folders level1 to level4 with files "
                     "like 1_NAME.py";
  if (fs::is_directory(root / "KernelBench" / "level1", ignored))
    text += "; they lie in " + (root / "KernelBench").string();
  else if (!of_folder(root).empty())
    text += "; give the folder alone to take all problems in it: " + root.string();
  return text;
}

/// The kind, and the path behind it.
result<std::pair<suite_kind, std::string>> named_suite(const std::string& name) {
  auto colon = name.find(':');
  if (colon == name.npos)
    return std::pair{suite_kind::folder, name};
  auto word = name.substr(0, colon);
  if (auto kind = parse_name<suite_kind>(word); kind && *kind != suite_kind::folder)
    return std::pair{*kind, name.substr(colon + 1)};
  std::error_code ignored;
  if (fs::exists(name, ignored))
    return std::pair{suite_kind::folder, name};
  return invalid("there is no suite \"" + word + "\"" + did_you_mean(word, {"kernelbench", "kb-small"}) +
                 ": expected kernelbench:PATH, kb-small:PATH or a folder of problems");
}

std::string in_lower_case(std::string text) {
  for (auto& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool has_all_words(const std::string& name, const std::string& words) {
  std::istringstream all{in_lower_case(words)};
  for (std::string word; all >> word;)
    if (name.find(word) == name.npos)
      return false;
  return true;
}

/// Of a line NAME = NUMBERS: where the numbers begin. npos: it is another one.
std::size_t numbers_at(std::string_view line) {
  auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::size_t at = 0;
  while (at < line.size() && is_name(line[at]))
    ++at;
  if (at == 0 || is_digit(line[0]))
    return line.npos;
  at = line.find_first_not_of(' ', at);
  if (at == line.npos || line[at] != '=' || line.substr(at).starts_with("=="))
    return line.npos;
  ++at;
  auto numbers = line.substr(at, line.find('#', at) - at);
  return numbers.find_first_not_of("0123456789_ \t\r*,()[]") == numbers.npos ? at : line.npos;
}

std::string smaller(std::string digits) {
  std::erase(digits, '_');
  if (digits.size() > 15)
    return digits;
  auto n = std::stoll(digits);
  while (n > largest_small && n % 2 == 0)
    n /= 2;
  return std::to_string(n);
}

/// With smaller numbers from `at` to the comment.
std::string with_smaller_numbers(std::string_view line, std::size_t at) {
  std::string out{line.substr(0, at)};
  auto end = std::min(line.find('#', at), line.size());
  while (at < end) {
    if (!is_digit(line[at])) {
      out += line[at++];
      continue;
    }
    auto first = at;
    while (at < end && (is_digit(line[at]) || line[at] == '_'))
      ++at;
    out += smaller(std::string{line.substr(first, at - first)});
  }
  return out += line.substr(end);
}

} // namespace

result<suite> find_suite(const std::string& name) {
  if (name == "aten" || name.starts_with("aten:"))
    return invalid(
        "operators of PyTorch are not in this version; write KernelBench files, or problem.toml with a "
        "reference.py, and give their folder");
  auto named = named_suite(name);
  if (!named)
    return named.error();
  auto [kind, path] = std::move(*named);
  if (path.empty())
    return invalid("the suite's folder is missing: " + std::string{to_text(kind)} + ":PATH");
  std::error_code ignored;
  auto root = fs::absolute(path, ignored).lexically_normal();
  if (!root.has_filename()) // "path/"
    root = root.parent_path();
  if (!fs::is_directory(root, ignored))
    return invalid("there is no folder " + root.string() +
                   "; a suite is kernelbench:PATH, kb-small:PATH or a "
                   "folder of problems");
  suite found{name, kind, kind == suite_kind::folder ? of_folder(root) : of_levels(root)};
  if (found.problems.empty())
    return invalid(kind == suite_kind::folder
                       ? root.string() +
                             " holds no problem: neither a folder with problem.toml nor a .py file"
                       : no_levels(root));
  std::sort(found.problems.begin(), found.problems.end(),
            [](const auto& a, const auto& b) { return in_order(a.name, b.name); });
  return found;
}

std::vector<suite_problem> filtered(const std::vector<suite_problem>& all,
                                    const std::vector<std::string>& filters) {
  std::vector<suite_problem> some;
  for (const auto& p : all) {
    auto name = in_lower_case(p.name);
    auto fits = [&](const std::string& words) { return has_all_words(name, words); };
    if (filters.empty() || std::any_of(filters.begin(), filters.end(), fits))
      some.push_back(p);
  }
  return some;
}

problem_load load_suite_problem(suite_kind kind, const suite_problem& what) {
  auto load = load_problem(what.path);
  for (auto& e : load.errors)
    if (e.file.empty())
      e.file = what.path;
  if (kind != suite_kind::kb_small || !load.errors.empty())
    return load;
  load.problem.name += "-small";
  load.problem.reference = with_smaller_sizes(load.problem.reference);
  return load;
}

std::string with_smaller_sizes(const std::string& source) {
  std::string out;
  std::size_t at = 0;
  while (at < source.size()) {
    auto end = std::min(source.find('\n', at), source.size() - 1) + 1;
    auto line = std::string_view{source}.substr(at, end - at);
    auto whole = line.substr(0, line.find('\n'));
    auto numbers = numbers_at(whole);
    out += numbers == whole.npos ? std::string{whole} : with_smaller_numbers(whole, numbers);
    out += line.substr(whole.size());
    at = end;
  }
  return out;
}

} // namespace ke
