#include "backends/evaluation/backend.hpp"
#include "backends/evidence/driver_traits.hpp"

#include "backends/evaluation/step_rules.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/toml/schema.hpp"

#include <algorithm>
#include <cctype>

namespace ke {
namespace {

/// How manifests call the families of languages.
const std::vector<std::string> grammar_names{"plain", "c", "python"};
constexpr source_language grammar_families[] = {source_language::other, source_language::cpp,
                                                source_language::python};

constexpr double least_seconds = 0.001;

/// A manifest as it stands in its file, before what it leaves out is filled in.
struct manifest_words {
  backend made;
  std::string suffix, constant, form, prototype, declaration, reference_suffix;
  std::map<std::string, std::string> types;
  bool own_names = false;
  std::int64_t missing_code = 0;
  std::size_t grammar = 0; ///< index into grammar_names
  std::vector<std::string> comments, quotes, fences, begins;
  std::int64_t source_bytes = 0, processes = 0, descriptors = 0, inodes = 0, elements = 0;
  double memory_bytes = 0, scratch_bytes = 0, log_bytes = 0;
};

/// The keys of a backend.toml, bound to one object.
class manifest_keys {
public:
  explicit manifest_keys(manifest_words& m) : m_{m} {
    about();
    commands();
    limits();
    levels();
    machine();
    steps();
  }
  const schema& all() const { return all_; }

private:
  template <class Slot>
  key_spec& key(std::string path, std::string doc, Slot slot) {
    all_.keys.push_back(
        {std::move(path), std::move(doc), [slot](std::size_t) -> value_slot { return slot; }});
    return all_.keys.back();
  }
  /// Of an element of a list of tables.
  template <class List, class Member>
  key_spec& each(std::string path, std::string doc, List& list, Member member) {
    all_.keys.push_back({std::move(path), std::move(doc),
                         [&list, member](std::size_t i) -> value_slot { return &(list.at(i).*member); }});
    return all_.keys.back();
  }
  template <class List>
  void list(std::string name, List& list) {
    all_.lists.push_back({std::move(name), [&list] { return list.emplace_back(), list.size() - 1; },
                          [&list] { return list.size(); }});
  }
  void whole(std::string path, std::string doc, std::int64_t& slot, double most) {
    auto& k = key(std::move(path), std::move(doc), &slot);
    k.least = 16;
    k.most = most;
  }

  void about() {
    auto& b = m_.made;
    key("backend.name", "the name that targets use", &b.name).required = true;
    key("backend.title", "one line for people", &b.title);
    key("backend.language", "what candidates are written in", &b.language.name).required = true;
    key("backend.suffix", "of a source file, with the dot", &m_.suffix).required = true;
    key("backend.driver", "what runs its candidates: c-abi, python, python-cuda or cuda", &b.driver)
        .required = true;
    key("backend.device", "the kind of device that it needs: cpu or nvidia", &b.device).required = true;
    key("backend.target", "how documents call its devices", &b.target);
    key("language.grammar", "how sources are read",
        choice_slot{grammar_names, [this] { return m_.grammar; }, [this](std::size_t i) { m_.grammar = i; }});
    key("language.comments", "marks of comments up to the end of a line", &m_.comments);
    key("language.quotes", "characters around texts", &m_.quotes);
    key("language.fences", "names of a fenced block", &m_.fences);
    key("language.begins", "what code without a fence begins with", &m_.begins);
    key("language.constant", "how a template's parameter is declared", &m_.constant);
    key("language.form", "how a kernel is written in it, for prompts", &m_.form);
    key("language.prototype", "how a kernel is declared, with {arguments}", &m_.prototype);
    key("language.types", "of elements, by dtype, where they are not C's", &m_.types);
    key("language.own_names", "true: a candidate says how its functions are called", &m_.own_names);
    key("language.declaration", "a comment that holds this counts as code", &m_.declaration);
    key("metrics", "what a tool's numbers say: name = \"ROLE\", or \"ROLE percent\"", &b.metrics);
    key("environment", "added to that of compilers", &b.environment);
    key("policy.forbidden_symbols", "undefined symbols that no kernel needs", &b.forbidden_symbols);
    key("capabilities.executes", "false: candidates are compiled only", &b.executes);
    key("capabilities.timed", "false: nothing is timed", &b.timed);
  }

  void commands() {
    auto& b = m_.made;
    key("python.folder", "where the driver's files are, from this folder: another backend's",
        &b.python_folder);
    key("python.prepare", "own files that the warm Python runs before it forks", &b.python_prepare);
    key("detect.command", "what prints the toolchain's version", &b.detect).required = true;
    key("detect.hint", "how to get the toolchain", &b.detect_hint);
    key("build.command", "the compiler", &b.build);
    key("build.flags", "its flags", &b.flags);
    key("build.files", "files that the commands need beside them", &b.build_files);
    key("build.without_device_only", "true: candidates are built only where they can't be executed",
        &b.builds_without_device_only);
    key("build.missing_code", "exit code of the command where the machine lacks something", &m_.missing_code)
        .most = 125;
    key("build.fast_math", "flags where the problem allows fast math", &b.fast_math_flags);
    key("build.vendor_libraries", "flags where the problem allows vendor libraries", &b.vendor_flags);
    key("build.vendor_hint", "how to get those", &b.vendor_hint);
    key("second_compiler.command", "builds what makes the first one crash", &b.second_build);
    key("second_compiler.flags", "its flags", &b.second_flags);
    key("second_compiler.hint", "how to get it", &b.second_hint);
    key("reference.command", "builds a reference in another language", &b.reference_build);
    key("reference.flags", "its flags", &b.reference_flags);
    key("reference.fast_math", "flags where the problem allows fast math", &b.reference_fast_math);
    key("reference.suffix", "of the reference's source file", &m_.reference_suffix);
  }

  void limits() {
    auto& l = m_.made.limits;
    m_.source_bytes = static_cast<std::int64_t>(m_.made.language.source_bytes);
    m_.processes = l.processes;
    m_.descriptors = l.descriptors;
    m_.inodes = static_cast<std::int64_t>(l.inodes);
    m_.memory_bytes = static_cast<double>(l.memory_bytes);
    m_.scratch_bytes = static_cast<double>(l.scratch_bytes);
    m_.log_bytes = static_cast<double>(l.log_bytes);
    key("limits.build_s", "seconds of one build", &l.build_s).least = least_seconds;
    key("limits.run_s", "seconds of a whole measurement", &l.run_s).least = least_seconds;
    key("limits.call_s", "seconds of one call", &l.call_s).least = least_seconds;
    key("limits.memory_bytes", "address space of a candidate", &m_.memory_bytes).least = 1;
    key("limits.scratch_bytes", "files of a candidate", &m_.scratch_bytes).least = 1;
    key("limits.log_bytes", "what is kept of its output", &m_.log_bytes).least = 1;
    whole("limits.processes", "processes and threads of a candidate", m_.processes, 1u << 22);
    all_.keys.back().least = 1;
    whole("limits.descriptors", "open descriptors of one of its processes", m_.descriptors, 1u << 20);
    whole("limits.inodes", "files in each of its memory file systems", m_.inodes, 1u << 30);
    whole("limits.elements",
          "of an untimed one: of a workload's tensors; larger ones are made smaller, 0: never", m_.elements,
          1u << 30);
    all_.keys.back().least = 0;
    whole("limits.source_bytes", "of one candidate's source", m_.source_bytes, 16u << 20);
    all_.keys.back().least = 1;
  }

  void levels() {
    auto& of = m_.made.levels;
    list("level", of);
    each("level.name", "a name for people", of, &source_level::name);
    each("level.suffix", "of a source file, with the dot", of, &source_level::suffix);
    each("level.marks", "texts by which its sources are known", of, &source_level::marks);
    each("level.command", "what assembles it", of, &source_level::command);
  }

  /// What it finds on a machine, or does without.
  void machine() {
    auto& files = m_.made.files;
    list("file", files);
    each("file.name", "by which commands call it", files, &machine_file::name).required = true;
    each("file.variable", "of the environment, whose value is its place", files, &machine_file::variable);
    each("file.places", "patterns, tried in order", files, &machine_file::places).required = true;
    each("file.shows_folder", "true: sandboxes see its whole folder", files, &machine_file::shows_folder);
    each("file.optional", "true: words with it are left out where it is not there", files,
         &machine_file::optional);
    each("file.hint", "how to get it", files, &machine_file::hint);
    auto& all = m_.made.architectures;
    list("architecture", all);
    each("architecture.name", "what is compiled for where no device is", all, &architecture::name).required =
        true;
    each("architecture.target", "how documents call its devices", all, &architecture::target);
  }

  void steps() {
    auto& of = m_.made.jobs;
    list("job", of);
    each("job.name", "a name that other jobs need it by", of, &step_spec::name).required = true;
    all_.keys.push_back({.path = "job.kind",
                         .doc = "what it does",
                         .at = [&of](std::size_t i) -> value_slot { return choice_of(of.at(i).kind); },
                         .required = true});
    each("job.role", "of a build: what it builds", of, &step_spec::role);
    each("job.reads", "the format of the text that it reads", of, &step_spec::reads);
    each("job.output", "the name of the file that it makes, or that what it prints is kept as", of,
         &step_spec::output);
    each("job.needs", "jobs that must have succeeded", of, &step_spec::needs);
    each("job.command", "its program and arguments", of, &step_spec::command);
    each("job.limit_s", "seconds that it may take", of, &step_spec::limit_s).least = least_seconds;
  }

  manifest_words& m_;
  schema all_;
};

bool is_fence(std::string_view name) {
  return !name.empty() && name != "ke-task" && name != "diff" &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_+#-") == name.npos;
}

/// Makes a backend of the words, and says what no single key can tell.
class manifest_checks {
public:
  manifest_checks(manifest_words& m, const place_map& places, const std::string& file,
                  std::vector<config_error>& errors)
      : m_{m}, places_{places}, file_{file}, errors_{errors} {}

  void all() {
    language();
    constant();
    reference();
    commands();
    limits();
    levels();
    metrics();
    jobs();
  }

private:
  bool given(const std::string& key) const { return places_.contains(key); }
  void refuse(const std::string& key, const std::string& why) {
    add_error(errors_, places_, file_, key, why);
  }

  /// [language]: what is not said is as is usual for the name.
  void language() {
    auto& l = m_.made.language;
    l = usual_language(l.name);
    l.suffix = m_.suffix;
    l.form = m_.form;
    l.prototype = m_.prototype;
    l.types = m_.types;
    l.own_names = m_.own_names;
    if (given("language.grammar") && l.syntax.family != grammar_families[m_.grammar])
      l.syntax = grammar_families[m_.grammar];
    if (l.syntax.family != source_language::other && !(m_.comments.empty() && m_.quotes.empty()))
      refuse(m_.comments.empty() ? "language.quotes" : "language.comments",
             "is for grammar = \"plain\"; the others have their own");
    for (const auto& mark : m_.comments)
      if (mark.empty() || mark.find_first_of(" \t\r\n") != mark.npos)
        refuse("language.comments", "must hold marks without blanks");
    for (const auto& q : m_.quotes)
      if (q.size() != 1)
        refuse("language.quotes", "must hold single characters");
    for (const auto& f : m_.fences)
      if (!is_fence(f))
        refuse("language.fences",
               "must hold names of lower-case letters, digits, \"_\", \"+\", \"#\" and \"-\", other than "
               "ke-task and diff");
    if (l.syntax.family == source_language::other) {
      l.syntax.comments = m_.comments;
      l.syntax.quotes = m_.quotes;
    }
    l.syntax.declaration = m_.declaration;
    if (!l.prototype.empty() && l.prototype.find("{arguments}") == l.prototype.npos)
      refuse("language.prototype", "must hold {arguments}");
    for (const auto& [name, type] : l.types)
      if (!parse_name<dtype>(name))
        refuse("language.types", "\"" + name + "\" is no dtype");
    if (!m_.fences.empty())
      l.fences = m_.fences;
    if (!m_.begins.empty())
      l.begins = m_.begins;
  }

  void constant() {
    auto& syntax = m_.made.language.syntax;
    if (given("language.constant"))
      syntax.constant = m_.constant;
    const auto& c = syntax.constant;
    if (c.empty())
      return;
    if (c.find("{name}") == c.npos || c.find("{value}") == c.npos || c.find("{value}") < c.find("{name}") ||
        c.find('\n') != c.npos)
      refuse("language.constant", "must be one line with {name} and, behind it, {value}");
    else if (syntax.comments.empty())
      refuse("language.constant", "needs comments: a template's parameters are declared in them");
  }

  /// [reference]: what builds it, where that is not what builds candidates. Its language is the driver's.
  void reference() {
    auto& b = m_.made;
    const auto* driver = traits_of_driver(b.driver);
    b.reference_language = driver ? driver->reference_language : driver_traits{}.reference_language;
    b.reference_suffix =
        m_.reference_suffix.empty() ? usual_language(b.reference_language).suffix : m_.reference_suffix;
    if (b.reference_build.empty())
      for (const char* other : {"reference.flags", "reference.fast_math", "reference.suffix"})
        if (given(other))
          refuse(other, "needs reference.command beside it");
    if (!b.reference_build.empty() && !b.second_build.empty())
      refuse("reference.command", "and second_compiler.command exclude each other");
  }

  void commands() {
    auto& b = m_.made;
    if (given("detect.command") && b.detect.empty())
      refuse("detect.command", "needs at least a program's name");
    const auto* driver = traits_of_driver(b.driver);
    if ((!driver || driver->builds) && b.build.empty())
      refuse("build.command", given("build.command") ? "needs at least a program's name"
                                                     : "required, but missing: the compiler");
    if (b.builds_without_device_only && ((driver && driver->builds) || b.build.empty()))
      refuse("build.without_device_only", "needs build.command, and a driver that takes sources");
    b.missing_code = static_cast<int>(m_.missing_code);
    for (const auto& [name, value] : b.environment)
      if (name.empty() || name.find('=') != name.npos)
        refuse("environment", "\"" + name + "\" is no name of a variable");
  }

  void limits() {
    auto& l = m_.made.limits;
    l.memory_bytes = static_cast<std::uint64_t>(m_.memory_bytes);
    l.scratch_bytes = static_cast<std::uint64_t>(m_.scratch_bytes);
    l.log_bytes = static_cast<std::uint64_t>(m_.log_bytes);
    l.processes = static_cast<std::uint32_t>(m_.processes);
    l.descriptors = static_cast<std::uint32_t>(m_.descriptors);
    l.inodes = static_cast<std::uint64_t>(m_.inodes);
    m_.made.language.source_bytes = static_cast<std::size_t>(m_.source_bytes);
    m_.made.most_elements = static_cast<std::uint64_t>(m_.elements);
    if (m_.elements > 0 && m_.made.timed)
      refuse("limits.elements",
             "needs capabilities.timed = false: what is timed has its workload's own size");
  }

  void levels() {
    const auto& all = m_.made.levels;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].name.empty() || all[i].suffix.empty() || all[i].marks.empty())
        refuse("level." + std::to_string(i),
               "needs a name, a suffix and marks, by which its texts are known");
  }

  void metrics() {
    for (const auto& [name, value] : m_.made.metrics)
      if (auto wrong = metric_role_fault(value); !wrong.empty())
        refuse("metrics", "\"" + name + "\": \"" + value + "\" " + wrong);
  }

  /// Only jobs that are right in themselves make a graph.
  void jobs() {
    auto& all = m_.made.jobs;
    auto at = [](std::size_t i) { return "job." + std::to_string(i); };
    if (all.empty()) {
      all = usual_jobs();
      return;
    }
    if (!errors_.empty())
      return;
    std::vector<job_graph::node> nodes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& j = all[i];
      if (j.name.empty())
        refuse(at(i), "needs a name");
      else if (auto why = validate(j); !why.empty())
        refuse(at(i), "\"" + j.name + "\" " + why);
      nodes.push_back({j.name, j.kind, j.needs});
    }
    if (!errors_.empty())
      return;
    if (auto graph = job_graph::of(std::move(nodes)); !graph)
      refuse("job", graph.error().text);
    else if (auto wrong = validate_flow(all))
      refuse(at(wrong->first), "\"" + all[wrong->first].name + "\" " + wrong->second);
  }

  manifest_words& m_;
  const place_map& places_;
  const std::string& file_;
  std::vector<config_error>& errors_;
};

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

result<backend> parse_backend(std::string_view text, const std::filesystem::path& file) {
  std::vector<config_error> errors;
  auto document = parse_toml(text, file.string(), errors);
  if (!document)
    return as_failure(failure_kind::invalid, errors);
  manifest_words words;
  manifest_keys keys{words};
  auto places = read_document(*document, keys.all(), errors);
  manifest_checks{words, places, file.string(), errors}.all();
  if (!errors.empty()) {
    in_file_order(errors);
    return as_failure(failure_kind::invalid, errors);
  }
  words.made.folder = file.parent_path();
  return std::move(words.made);
}

} // namespace ke
