#include "backends/evaluation/backend.hpp"

#include "backends/evaluation/step_rules.hpp"
#include "backends/evidence/driver_traits.hpp"
#include "runtime/text/nearest_name.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace ke {
namespace {

/// Reads tables key by key, remembers the first error, and complains about every key that nobody asked for.
class reader {
public:
  reader(const toml::table& table, std::string file) : table_{table}, file_{std::move(file)} {}

  void text(const char* table, const char* key, std::string& into, bool required = false) {
    if (const auto* n = find(table, key, required)) {
      if (const auto* value = n->as_string())
        into = value->get();
      else
        fail(n->source(), std::string{table} + "." + key + " must be a text");
    }
  }
  void flag(const char* table, const char* key, bool& into) {
    if (const auto* n = find(table, key, false)) {
      if (const auto* value = n->as_boolean())
        into = value->get();
      else
        fail(n->source(), std::string{table} + "." + key + " must be true or false");
    }
  }
  void list(const char* table, const char* key, std::vector<std::string>& into, bool required = false) {
    const auto* n = find(table, key, required);
    if (!n)
      return;
    const auto* array = n->as_array();
    if (!array)
      return fail(n->source(), std::string{table} + "." + key + " must be a list of texts");
    for (const auto& e : *array) {
      if (const auto* value = e.as_string())
        into.push_back(value->get());
      else
        return fail(e.source(), std::string{table} + "." + key + " must hold texts only");
    }
  }
  template <class T>
  void number(const char* table, const char* key, T& into) {
    if (const auto* n = find(table, key, false)) {
      auto value = n->value<double>();
      if (value && *value > 0)
        into = static_cast<T>(*value);
      else
        fail(n->source(), std::string{table} + "." + key + " must be a positive number");
    }
  }
  template <class T>
  void count(const char* table, const char* key, std::int64_t least, std::int64_t most, T& into) {
    if (const auto* n = find(table, key, false)) {
      auto value = n->value_exact<std::int64_t>();
      if (value && *value >= least && *value <= most)
        into = static_cast<T>(*value);
      else
        fail(n->source(), std::string{table} + "." + key + " must be a whole number from " +
                              std::to_string(least) + " to " + std::to_string(most));
    }
  }
  /// The tables of [[job]]; the usual ones if the file has none.
  void jobs(std::vector<step_spec>& into) {
    known_.emplace_back("job");
    const auto* n = table_.get("job");
    if (!n) {
      into = usual_jobs();
      return;
    }
    const auto* array = n->as_array();
    if (!array || !array->is_array_of_tables())
      return fail(n->source(), "job must be a list of tables: write [[job]]");
    std::vector<job_graph::node> nodes;
    std::vector<toml::source_region> places;
    for (const auto& e : *array) {
      step_spec j;
      std::string kind, wrong;
      for (const auto& [key, value] : *e.as_table()) {
        if (key == "name" || key == "kind" || key == "role" || key == "reads" || key == "output") {
          if (!value.is_string())
            return fail(value.source(), "job." + std::string{key.str()} + " must be a text");
          (key == "name"     ? j.name
           : key == "kind"   ? kind
           : key == "role"   ? j.role
           : key == "output" ? j.output
                             : j.reads) = value.as_string()->get();
        } else if (key == "needs" || key == "command") {
          const auto* list = value.as_array();
          if (!list)
            return fail(value.source(), "job." + std::string{key.str()} + " must be a list of texts");
          for (const auto& word : *list) {
            if (!word.is_string())
              return fail(word.source(), "job." + std::string{key.str()} + " must hold texts only");
            (key == "needs" ? j.needs : j.command).push_back(word.as_string()->get());
          }
        } else if (key == "limit_s") {
          j.limit_s = value.value<double>().value_or(0);
          if (!(j.limit_s > 0))
            return fail(value.source(), "job.limit_s must be a positive number of seconds");
        } else {
          return fail(value.source(), "unknown key job." + std::string{key.str()} +
                                          did_you_mean(key.str(), {"name", "kind", "role", "reads", "output",
                                                                   "needs", "command", "limit_s"}));
        }
      }
      auto known = parse_name<job_kind>(kind);
      if (j.name.empty() || !known)
        return fail(e.source(),
                    "a job needs a name and a kind: transform, build, precheck, measure, profile, "
                    "collect or trace");
      j.kind = *known;
      if (auto why = validate(j); !why.empty())
        return fail(e.source(), "job \"" + j.name + "\" " + why);
      places.push_back(e.source());
      nodes.push_back({j.name, j.kind, j.needs});
      into.push_back(std::move(j));
    }
    if (auto graph = job_graph::of(std::move(nodes)); !graph)
      return fail(n->source(), graph.error().text);
    if (auto wrong = validate_flow(into))
      fail(places[wrong->first], "job \"" + into[wrong->first].name + "\" " + wrong->second);
  }

  /// The tables of [[level]].
  void levels(std::vector<source_level>& into) {
    known_.emplace_back("level");
    const auto* n = table_.get("level");
    if (!n)
      return;
    const auto* array = n->as_array();
    if (!array || !array->is_array_of_tables())
      return fail(n->source(), "level must be a list of tables: write [[level]]");
    for (const auto& e : *array) {
      source_level l;
      for (const auto& [key, value] : *e.as_table()) {
        auto* text = key == "name" ? &l.name : key == "suffix" ? &l.suffix : nullptr;
        auto* list = key == "marks" ? &l.marks : key == "command" ? &l.command : nullptr;
        if (!text && !list)
          return fail(value.source(), "unknown key level." + std::string{key.str()} +
                                          did_you_mean(key.str(), {"name", "suffix", "marks", "command"}));
        if (text && !value.is_string())
          return fail(value.source(), "level." + std::string{key.str()} + " must be a text");
        if (list && (!value.is_array() || !value.as_array()->is_homogeneous(toml::node_type::string)))
          return fail(value.source(), "level." + std::string{key.str()} + " must be a list of texts");
        if (text)
          *text = value.as_string()->get();
        else
          for (const auto& word : *value.as_array())
            list->push_back(word.as_string()->get());
      }
      if (l.name.empty() || l.suffix.empty() || l.marks.empty())
        return fail(e.source(), "a level needs a name, a suffix and marks, by which its texts are known");
      into.push_back(std::move(l));
    }
  }

  /// The texts of a table whose keys are the manifest's own.
  void texts(const char* table, std::map<std::string, std::string>& into) {
    known_.emplace_back(table);
    const auto* n = table_.get(table);
    if (!n)
      return;
    if (!n->is_table())
      return fail(n->source(), std::string{table} + " must be a table: write [" + table + "]");
    for (const auto& [key, value] : *n->as_table()) {
      if (!value.is_string() || key.str().empty() || key.str().find('=') != std::string_view::npos)
        return fail(value.source(), std::string{table} + "." + std::string{key.str()} + " must be a text");
      into[std::string{key.str()}] = value.as_string()->get();
    }
  }

  /// Refuses a value that was read, at its place.
  void refuse(const char* table, const char* key, const std::string& why) {
    const auto* n = table_[table][key].node();
    fail(n ? n->source() : table_.source(), std::string{table} + "." + key + " " + why);
  }

  void refuse_unknown() {
    std::vector<std::string> tables;
    for (const auto& name : known_)
      tables.push_back(name.substr(0, name.find('.')));
    for (const auto& [key, node] : table_) {
      std::string table{key.str()};
      if (std::find(known_.begin(), known_.end(), table) != known_.end())
        continue;
      const auto* t = node.as_table();
      if (!t || std::find(tables.begin(), tables.end(), table) == tables.end()) {
        fail(node.source(), table + " is no table of a backend.toml" + did_you_mean(table, tables));
        continue;
      }
      for (const auto& [inner, value] : *t) {
        auto name = table + "." + std::string{inner.str()};
        if (std::find(known_.begin(), known_.end(), name) != known_.end())
          continue;
        std::vector<std::string> keys;
        for (const auto& k : known_)
          if (k.starts_with(table + "."))
            keys.push_back(k.substr(table.size() + 1));
        fail(value.source(), "unknown key " + name + did_you_mean(inner.str(), keys));
      }
    }
  }
  const std::string& error() const { return error_; }

private:
  const toml::node* find(const char* table, const char* key, bool required) {
    known_.push_back(std::string{table} + "." + key);
    const auto* t = table_[table].as_table();
    const auto* n = t ? t->get(key) : nullptr;
    if (!n && required)
      fail(t ? t->source() : table_.source(), std::string{table} + "." + key + " is missing");
    return n;
  }
  void fail(const toml::source_region& at, std::string what) {
    if (error_.empty())
      error_ = file_ + ":" + std::to_string(at.begin.line) + ":" + std::to_string(at.begin.column) + ": " +
               std::move(what);
  }
  const toml::table& table_;
  std::string file_;
  std::vector<std::string> known_;
  std::string error_;
};

/// How manifests call the families of languages.
constexpr std::pair<std::string_view, source_language> grammars[] = {
    {"plain", source_language::other}, {"c", source_language::cpp}, {"python", source_language::python}};

bool is_fence(std::string_view name) {
  return !name.empty() && name != "ke-task" && name != "diff" &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_+#-") == name.npos;
}

/// [language]: what is not said is as is usual for the name.
void read_language(reader& in, candidate_language& l) {
  in.text("backend", "language", l.name, true);
  l = usual_language(l.name);
  in.text("backend", "suffix", l.suffix, true);
  std::string grammar;
  in.text("language", "grammar", grammar);
  if (!grammar.empty()) {
    auto known = std::find_if(std::begin(grammars), std::end(grammars),
                              [&](const auto& g) { return g.first == grammar; });
    if (known == std::end(grammars))
      in.refuse("language", "grammar",
                "must be plain, c or python" + did_you_mean(grammar, {"plain", "c", "python"}));
    else if (l.syntax.family != known->second)
      l.syntax = known->second;
  }
  std::vector<std::string> comments, quotes, fences, begins;
  in.list("language", "comments", comments);
  in.list("language", "quotes", quotes);
  in.list("language", "fences", fences);
  in.list("language", "begins", begins);
  in.text("language", "constant", l.syntax.constant);
  in.text("language", "form", l.form);
  in.count("limits", "source_bytes", 1, 16u << 20, l.source_bytes);
  if (l.syntax.family != source_language::other && !(comments.empty() && quotes.empty()))
    in.refuse("language", comments.empty() ? "quotes" : "comments",
              "is for grammar = \"plain\"; the others have their own");
  for (const auto& m : comments)
    if (m.empty() || m.find_first_of(" \t\r\n") != m.npos)
      in.refuse("language", "comments", "must hold marks without blanks");
  for (const auto& q : quotes)
    if (q.size() != 1)
      in.refuse("language", "quotes", "must hold single characters");
  for (const auto& f : fences)
    if (!is_fence(f))
      in.refuse("language", "fences",
                "must hold names of lower-case letters, digits, \"_\", \"+\", \"#\" and \"-\", other than "
                "ke-task and diff");
  const auto& c = l.syntax.constant;
  if (!c.empty() && (c.find("{name}") == c.npos || c.find("{value}") == c.npos ||
                     c.find("{value}") < c.find("{name}") || c.find('\n') != c.npos))
    in.refuse("language", "constant", "must be one line with {name} and, behind it, {value}");
  if (l.syntax.family == source_language::other) {
    l.syntax.comments = std::move(comments);
    l.syntax.quotes = std::move(quotes);
  }
  if (!c.empty() && l.syntax.comments.empty())
    in.refuse("language", "constant", "needs comments: a template's parameters are declared in them");
  if (!fences.empty())
    l.fences = std::move(fences);
  if (!begins.empty())
    l.begins = std::move(begins);
}

/// [reference]: what builds it, where that is not what builds candidates. Its language is the driver's.
void read_reference(reader& in, backend& b) {
  const auto* driver = traits_of_driver(b.driver);
  b.reference_language = driver ? driver->reference_language : driver_traits{}.reference_language;
  b.reference_suffix = usual_language(b.reference_language).suffix;
  std::string suffix;
  in.list("reference", "command", b.reference_build);
  in.list("reference", "flags", b.reference_flags);
  in.text("reference", "suffix", suffix);
  if (!suffix.empty())
    b.reference_suffix = suffix;
  if (b.reference_build.empty() && !(b.reference_flags.empty() && suffix.empty()))
    in.refuse("reference", suffix.empty() ? "flags" : "suffix", "needs reference.command beside it");
  if (!b.reference_build.empty() && !b.second_build.empty())
    in.refuse("reference", "command", "and second_compiler.command exclude each other");
}

} // namespace

candidate_language usual_language(std::string_view name) {
  struct row {
    std::string_view name;
    source_language family;
    std::vector<std::string> fences;
    std::string_view suffix;
  };
  static const std::vector<row> known{
      {"c++", source_language::cpp, {"cpp", "c++", "cxx", "cc", "c", "hpp"}, ".cpp"},
      {"cuda", source_language::cpp, {"cuda", "cu", "c++", "cpp", "c", "cuh"}, ".cu"},
      {"hip", source_language::cpp, {"hip", "c++", "cpp", "c", "cu", "cuda"}, ".hip"},
      {"opencl", source_language::cpp, {"opencl", "cl", "opencl-c", "c", "openclc", "ocl"}, ".cl"},
      {"python", source_language::python, {"python", "py", "python3", "triton", "gluon", "torch"}, ".py"},
      {"triton", source_language::python, {"python", "py", "python3", "triton", "gluon", "torch"}, ".py"}};
  static const std::vector<std::string> c_words{"#include", "#pragma",    "#define",   "extern", "template",
                                                "using ",   "static ",    "typedef",   "//",     "/*",
                                                "__kernel", "__global__", "namespace", "void "};
  static const std::vector<std::string> python_words{"import ", "from ", "def ",  "class ",
                                                     "@",       "#",     "\"\"\""};
  candidate_language l;
  l.name = name;
  auto at = std::find_if(known.begin(), known.end(), [&](const row& r) { return r.name == name; });
  if (at == known.end()) {
    std::string fence;
    for (unsigned char c : name)
      if (char lower = static_cast<char>(std::tolower(c)); is_fence({&lower, 1}))
        fence += lower;
    l.fences = {fence.empty() ? "text" : fence};
    return l;
  }
  l.syntax = at->family;
  l.fences = at->fences;
  l.begins = at->family == source_language::python ? python_words : c_words;
  l.suffix = at->suffix;
  return l;
}

std::string usual_backend(const std::vector<backend>& all, std::string_view reference_language) {
  auto at = std::find_if(all.begin(), all.end(), [&](const backend& b) {
    return b.reference_language == reference_language && b.executes;
  });
  return at == all.end() ? std::string{} : at->name;
}

std::vector<std::string> backends_of(const std::vector<backend>& all, std::string_view target) {
  std::vector<std::string> names;
  for (const auto& b : all) {
    bool of_cpu = b.target.empty() && b.device == "cpu" &&
                  (target.starts_with("x86-64") || target.starts_with("aarch64"));
    if ((of_cpu || b.target == target) && b.name != target)
      names.push_back(b.name);
  }
  return names;
}

const source_level* level_of(const backend& b, std::string_view source) {
  for (const auto& l : b.levels)
    if (std::all_of(l.marks.begin(), l.marks.end(),
                    [&](const std::string& mark) { return source.find(mark) != std::string_view::npos; }))
      return &l;
  return nullptr;
}

std::vector<step_spec> usual_jobs() {
  return {{"candidate", job_kind::build, {}, "candidate", {}, {}, 0, {}},
          {"symbols", job_kind::precheck, {"candidate"}, {}, {}, {}, 0, {}},
          {"reference", job_kind::build, {}, "reference", {}, {}, 0, {}},
          {"truth", job_kind::build, {}, "truth", {}, {}, 0, {}},
          {"measure", job_kind::measure, {"symbols", "reference", "truth"}, {}, {}, {}, 0, {}}};
}

result<backend> parse_backend(std::string_view text, const std::filesystem::path& file) {
  toml::table table;
  try {
    table = toml::parse(text, file.string());
  } catch (const toml::parse_error& e) {
    const auto& at = e.source().begin;
    return failure{failure_kind::invalid, file.string() + ":" + std::to_string(at.line) + ":" +
                                              std::to_string(at.column) + ": " +
                                              std::string{e.description()}};
  }
  backend b;
  b.folder = file.parent_path();
  reader in{table, file.string()};
  in.text("backend", "name", b.name, true);
  in.text("backend", "title", b.title);
  read_language(in, b.language);
  in.text("backend", "driver", b.driver, true);
  in.text("backend", "device", b.device, true);
  in.text("backend", "target", b.target);
  in.list("detect", "command", b.detect, true);
  in.text("detect", "hint", b.detect_hint);
  const auto* driver = traits_of_driver(b.driver);
  bool compiles = !driver || driver->builds;
  in.list("build", "command", b.build, compiles);
  in.list("build", "flags", b.flags);
  in.list("build", "files", b.build_files);
  in.list("build", "fast_math", b.fast_math_flags);
  in.list("build", "vendor_libraries", b.vendor_flags);
  in.text("build", "vendor_hint", b.vendor_hint);
  in.list("second_compiler", "command", b.second_build);
  in.list("second_compiler", "flags", b.second_flags);
  in.text("second_compiler", "hint", b.second_hint);
  read_reference(in, b);
  in.texts("environment", b.environment);
  in.list("policy", "forbidden_symbols", b.forbidden_symbols);
  in.flag("capabilities", "executes", b.executes);
  in.flag("capabilities", "timed", b.timed);
  in.number("limits", "build_s", b.limits.build_s);
  in.number("limits", "run_s", b.limits.run_s);
  in.number("limits", "call_s", b.limits.call_s);
  in.number("limits", "memory_bytes", b.limits.memory_bytes);
  in.number("limits", "scratch_bytes", b.limits.scratch_bytes);
  in.number("limits", "log_bytes", b.limits.log_bytes);
  in.number("limits", "processes", b.limits.processes);
  in.count("limits", "descriptors", 16, 1u << 20, b.limits.descriptors);
  in.count("limits", "inodes", 16, 1u << 30, b.limits.inodes);
  in.levels(b.levels);
  in.jobs(b.jobs);
  in.refuse_unknown();
  if (!in.error().empty())
    return failure{failure_kind::invalid, in.error()};
  if (b.detect.empty() || (compiles && b.build.empty()))
    return failure{failure_kind::invalid,
                   file.string() + ":1:1: detect.command and build.command need at least a program name"};
  return b;
}

result<std::vector<backend>> load_backends(const std::filesystem::path& built_in,
                                           const std::vector<std::filesystem::path>& extra) {
  std::vector<backend> all;
  std::vector<std::filesystem::path> roots{built_in};
  roots.insert(roots.end(), extra.begin(), extra.end());
  for (const auto& root : roots) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    if (std::filesystem::exists(root / "backend.toml", error)) // the path may name one backend itself
      files.push_back(root / "backend.toml");
    else
      for (const auto& entry : std::filesystem::directory_iterator{root, error})
        if (std::filesystem::exists(entry.path() / "backend.toml", error))
          files.push_back(entry.path() / "backend.toml");
    if (files.empty())
      return failure{failure_kind::missing,
                     "no backend.toml in " + root.string() + "; give the folder that holds the backends"};
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      std::ifstream in{file};
      std::stringstream text;
      text << in.rdbuf();
      auto b = parse_backend(text.str(), file);
      if (!b)
        return b.error();
      auto same = std::find_if(all.begin(), all.end(), [&](const backend& x) { return x.name == b->name; });
      if (same == all.end())
        all.push_back(*std::move(b));
      else
        *same = *std::move(b);
    }
  }
  return all;
}

std::filesystem::path built_in_backends() {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  auto beside = self.parent_path() / "backends";
  if (!error && std::filesystem::exists(beside / "cpu-cpp" / "backend.toml", error))
    return beside;
  return std::filesystem::path{KE_SOURCE_DIR} / "backends";
}

result<backend> find_backend(const std::vector<backend>& all, std::string_view name) {
  std::string known;
  for (const auto& b : all) {
    if (b.name == name)
      return b;
    known += (known.empty() ? "" : ", ") + b.name;
  }
  std::vector<std::string> names;
  for (const auto& b : all)
    names.push_back(b.name);
  return failure{failure_kind::invalid, "no backend is called \"" + std::string{name} + "\"" +
                                            did_you_mean(name, names) + "; there are: " + known};
}

} // namespace ke
