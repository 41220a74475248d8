#include "backends/backend.hpp"

#include "backends/job_rules.hpp"

#include <toml++/toml.h>

#include <algorithm>
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
  void jobs(std::vector<job_spec>& into) {
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
      job_spec j;
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
          return fail(value.source(), "unknown key job." + std::string{key.str()});
        }
      }
      auto known = parse_name<job_kind>(kind);
      if (j.name.empty() || !known)
        return fail(e.source(),
                    "a job needs a name and a kind: transform, build, precheck, measure, profile, "
                    "collect or trace");
      j.kind = *known;
      if (auto why = complaint_about(j); !why.empty())
        return fail(e.source(), "job \"" + j.name + "\" " + why);
      places.push_back(e.source());
      nodes.push_back({j.name, j.kind, j.needs});
      into.push_back(std::move(j));
    }
    if (auto graph = job_graph::of(std::move(nodes)); !graph)
      return fail(n->source(), graph.error().text);
    if (auto wrong = complaint_about_flow(into))
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
          return fail(value.source(), "unknown key level." + std::string{key.str()});
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

  void refuse_unknown() {
    for (const auto& [table, node] : table_) {
      if (table == "job" || table == "level")
        continue;
      const auto* t = node.as_table();
      if (!t) {
        fail(node.source(), std::string{table.str()} + " is no table of a backend.toml");
        continue;
      }
      for (const auto& [key, value] : *t) {
        std::string name = std::string{table.str()} + "." + std::string{key.str()};
        if (std::find(known_.begin(), known_.end(), name) == known_.end())
          fail(value.source(), "unknown key " + name);
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

} // namespace

const source_level* level_of(const backend& b, std::string_view source) {
  for (const auto& l : b.levels)
    if (std::all_of(l.marks.begin(), l.marks.end(),
                    [&](const std::string& mark) { return source.find(mark) != std::string_view::npos; }))
      return &l;
  return nullptr;
}

std::vector<job_spec> usual_jobs() {
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
  in.text("backend", "language", b.language, true);
  in.text("backend", "suffix", b.suffix, true);
  in.text("backend", "driver", b.driver, true);
  in.text("backend", "device", b.device, true);
  in.text("backend", "target", b.target);
  in.list("detect", "command", b.detect, true);
  in.text("detect", "hint", b.detect_hint);
  bool compiles = b.driver != "python";
  in.list("build", "command", b.build, compiles);
  in.list("build", "flags", b.flags);
  in.list("build", "fast_math", b.fast_math_flags);
  in.list("build", "vendor_libraries", b.vendor_flags);
  in.text("build", "vendor_hint", b.vendor_hint);
  in.list("second_compiler", "command", b.second_build);
  in.list("second_compiler", "flags", b.second_flags);
  in.text("second_compiler", "hint", b.second_hint);
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
  return failure{failure_kind::invalid,
                 "no backend is called \"" + std::string{name} + "\"; there are: " + known};
}

} // namespace ke
