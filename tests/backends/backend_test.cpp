#include "backends/evaluation/artifact_cache.hpp"
#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/harness.hpp"
#include "backends/evaluation/kernel_builder.hpp"
#include "backends/evaluation/object_file.hpp"
#include "backends/evaluation/step_rules.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/backends/problems.hpp"
#include "tests/languages.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <unistd.h>

using namespace ke;

namespace {

const std::string minimal =
    "[backend]\nname = \"x\"\nlanguage = \"c++\"\nsuffix = \".cpp\"\ndriver = \"c-abi\"\ndevice = \"cpu\"\n"
    "[detect]\ncommand = [\"true\"]\n[build]\ncommand = [\"c++\", \"{flags}\", \"{sources}\", \"-o\", "
    "\"{output}\"]\n";

std::string error_of(const std::string& text) {
  auto b = parse_backend(text, "some/backend.toml");
  return b ? std::string{} : b.error().text;
}

struct folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("ke-backend-test-" + std::to_string(getpid()));
  folder() { std::filesystem::create_directories(path); }
  ~folder() { std::filesystem::remove_all(path); }
};

} // namespace

TEST_CASE("the built-in cpu-cpp backend is read whole") {
  auto all = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
  REQUIRE(all);
  auto b = find_backend(*all, "cpu-cpp");
  REQUIRE(b);
  CHECK(b->language.suffix == ".cpp");
  CHECK(b->executes);
  CHECK(b->forbidden_symbols.size() > 20);
  CHECK(find_backend(*all, "cpu-cp").error().text.find("did you mean \"cpu-cpp\"?") != std::string::npos);
}

TEST_CASE(
    "backends are found beside the programs, in an installation, and in the tree around a build folder") {
  namespace fs = std::filesystem;
  folder root;
  auto make = [&](const std::string& place) {
    fs::create_directories(root.path / place / "cpu-cpp");
    std::ofstream{root.path / place / "cpu-cpp" / "backend.toml"} << minimal;
    return fs::canonical(root.path / place);
  };
  auto programs = root.path / "tree" / "build" / "release" / "tests";
  fs::create_directories(programs / "backends"); // of the build: no manifests in there
  CHECK(backends_near(programs) == programs / "backends");
  CHECK_FALSE(load_backends(backends_near(programs), {}));
  auto source = make("tree/backends");
  CHECK(backends_near(programs) == source);
  auto linked = root.path / "tree/build/release/share/ke-runtime";
  fs::create_directories(linked);
  auto other = make("elsewhere/backends");
  fs::create_directory_symlink("../../../../../elsewhere/backends", linked / "backends");
  CHECK(backends_near(programs) == other);
  CHECK(backends_near(root.path / "installed" / "bin") == root.path / "installed" / "bin" / "backends");
  auto installed = make("installed/share/ke-runtime/backends");
  CHECK(backends_near(root.path / "installed" / "bin") == installed);
  auto beside = make("installed/bin/backends");
  CHECK(backends_near(root.path / "installed" / "bin") == beside);
}

TEST_CASE("errors of a backend.toml name file, line, column and what was expected") {
  CHECK(error_of(minimal).empty());
  CHECK(error_of(minimal + "colour = 3\n") == "some/backend.toml:11:1: build.colour: unknown key; known "
                                              "here: command fast_math files flags missing_code vendor_hint "
                                              "vendor_libraries without_device_only");
  CHECK(error_of(minimal + "without_device_only = true\n") ==
        "some/backend.toml:11:23: build.without_device_only: needs build.command, and a driver that takes "
        "sources");
  CHECK(error_of(minimal + "flags = \"-O3\"\n") ==
        "some/backend.toml:11:9: build.flags: expected a list of strings, found a string");
  CHECK(error_of(minimal + "[limits]\nbuild_s = -1\n") ==
        "some/backend.toml:12:11: limits.build_s: expected a number, at least 0.001, found -1");
  CHECK(error_of("[backend]\nname = \n").find("some/backend.toml:2:") == 0);
  CHECK(error_of("[backend]\nname = \"x\"\n").find("backend.language: required, but missing") !=
        std::string::npos);
  CHECK(error_of("\t[*").find("some/backend.toml:1:") == 0);
}

TEST_CASE("the target that a manifest names is a fact of its devices") {
  auto text = minimal;
  text.insert(text.find("name = "), "target = \"acme-1\"\n");
  auto b = parse_backend(text, "some/backend.toml");
  REQUIRE(b);
  CHECK(b->target == "acme-1");
  b->detect = {"true"};
  process_service processes;
  auto device = probe_target(*b, processes);
  REQUIRE(device);
  CHECK(device->facts.at("target") == "acme-1");
}

TEST_CASE("a manifest declares the jobs of an evaluation, and a graph that can't be run is refused with its "
          "place") {
  auto jobs = [](const std::string& text) { return parse_backend(minimal + text, "some/backend.toml"); };
  REQUIRE(jobs(""));
  CHECK(jobs("")->jobs.size() == 5); // the usual ones
  auto own = jobs("[[job]]\nname = \"c\"\nkind = \"build\"\nrole = \"candidate\"\n"
                  "[[job]]\nname = \"count\"\nkind = \"profile\"\nneeds = [\"c\"]\ncommand = [\"count\", "
                  "\"{object}\"]\nreads = \"name-value\"\nlimit_s = 2\n");
  REQUIRE(own);
  REQUIRE(own->jobs.size() == 2);
  CHECK(own->jobs[1].needs == std::vector<std::string>{"c"});
  CHECK(own->jobs[1].limit_s == 2);
  auto wrong = [](const std::string& text) { return error_of(minimal + text); };
  CHECK(
      wrong("[[job]]\nname = \"a\"\nkind = \"bild\"\n") ==
      "some/backend.toml:13:8: job.kind: expected one of transform | build | precheck | measure | profile | "
      "collect | trace (did you mean \"build\"?)");
  CHECK(wrong("[[job]]\nname = \"a\"\nkind = \"build\"\n") ==
        "some/backend.toml:11:1: job: \"a\" of kind build needs a role: candidate, reference, truth or "
        "instrumented");
  CHECK(wrong("[[job]]\nname = \"a\"\nkind = \"profile\"\ncommand = [\"x\"]\nreads = \"tea leaves\"\n") ==
        "some/backend.toml:11:1: job: \"a\" of kind profile needs reads: assembler-words, instruction-mix, "
        "name-value, compute-sanitizer, listing, ncu-csv, sass-mix, static-metrics");
  CHECK(wrong("[[job]]\nname = \"a\"\nkind = \"measure\"\nneeds = [\"b\"]\n")
            .find("job \"a\" needs \"b\", which no job is called") != std::string::npos);
  CHECK(wrong("[[job]]\nname = \"a\"\nkind = \"measure\"\nlimit = 3\n").find("job.limit: unknown key") !=
        std::string::npos);
}

TEST_CASE("a manifest's transforms, traces and collections say what they make of what, and come after the "
          "measurement") {
  auto job = [](const std::string& name, const std::string& kind, const std::string& needs,
                const std::string& more = "") {
    return "[[job]]\nname = \"" + name + "\"\nkind = \"" + kind + "\"\n" +
           (needs.empty() ? "" : "needs = [\"" + needs + "\"]\n") + more;
  };
  auto measure = job("measure", "measure", "");
  auto makes = [](const std::string& words, const std::string& more) {
    return "command = [\"tool\", " + words + "]\n" + more;
  };
  auto ir = job("ir", "transform", "measure", makes("\"{input}\", \"{output}\"", "output = \"x.ll\"\n"));
  auto stamped =
      job("stamped", "build", "ir", makes("\"{sources}\", \"{output}\"", "role = \"instrumented\"\n"));
  auto loops =
      job("loops", "trace", "stamped", "command = [\"{profiler}\", \"trace\"]\nreads = \"loop-ticks\"\n");
  auto shares = job("shares", "collect", "loops", "reads = \"loop-ticks\"\n");
  auto whole = parse_backend(minimal + shares + loops + stamped + ir + measure, "some/backend.toml");
  REQUIRE(whole); // in any order
  CHECK(producer_of(whole->jobs, 0) == 1u);
  CHECK(producer_of(whole->jobs, 1) == 2u);
  CHECK(producer_of(whole->jobs, 2) == 3u);
  CHECK_FALSE(producer_of(whole->jobs, 3)); // of the candidate's text

  auto wrong = [](const std::string& text) {
    auto said = error_of(minimal + text);
    std::string place = "some/backend.toml:";
    REQUIRE(said.starts_with(place));
    return said.substr(place.size());
  };
  CHECK(wrong(job("ir", "transform", "measure", makes("\"{input}\"", "output = \"x.ll\"\n"))) ==
        "11:1: job: \"ir\" of kind transform needs a command with {input} and {output}");
  CHECK(wrong(measure +
              job("ir", "transform", "measure", makes("\"{input}\", \"{output}\"", "output = \"../x\"\n"))) ==
        "14:1: job: \"ir\" of kind transform needs output: the plain name of the file that it makes");
  CHECK(wrong(job("ir", "transform", "", makes("\"{input}\", \"{output}\"", "output = \"x.ll\"\n"))) ==
        "11:1: job: \"ir\" of kind transform must need the job of kind measure, directly or through others: "
        "it is "
        "for candidates that were found right");
  CHECK(wrong(measure + job("stamped", "build", "measure",
                            makes("\"{sources}\", \"{output}\"", "role = \"instrumented\"\n"))) ==
        "14:1: job: \"stamped\" of kind build needs a job of kind transform, whose file it builds");
  CHECK(wrong(job("c", "build", "", makes("\"{sources}\"", "role = \"candidate\"\n"))) ==
        "11:1: job: \"c\" of the role candidate has no command of its own: change [build], for candidate and "
        "reference alike");
  CHECK(wrong(measure + job("loops", "trace", "measure", "command = [\"run\"]\nreads = \"loop-ticks\"\n")) ==
        "14:1: job: \"loops\" of kind trace has the command [\"{profiler}\", \"trace\"], or none: nothing "
        "else knows "
        "how to call the object");
  CHECK(wrong(measure + job("loops", "trace", "measure",
                            "command = [\"{profiler}\", \"trace\"]\nreads = \"loop-ticks\"\n")) ==
        "14:1: job: \"loops\" of kind trace needs a job of kind build with the role instrumented, whose "
        "object it "
        "calls");
  CHECK(wrong(measure + job("shares", "collect", "measure", "reads = \"tea leaves\"\n")) ==
        "14:1: job: \"shares\" of kind collect needs reads: loop-ticks, torch-profiler");
  CHECK(wrong(measure + job("shares", "collect", "measure", "command = [\"x\"]\nreads = \"loop-ticks\"\n")) ==
        "14:1: job: \"shares\" of kind collect runs no command: it reads what another job left");
  CHECK(wrong(measure + ir + job("shares", "collect", "ir", "reads = \"loop-ticks\"\n")) ==
        "20:1: job: \"shares\" of kind collect needs a job of kind measure, or of kind trace with a command, "
        "whose "
        "text it reads");
  CHECK(wrong(job("ir", "transform", "measure", "output = 3\n"))
            .find("job.output: expected a string, found 3") != std::string::npos);
}

TEST_CASE("what a transform makes is known by what went in, by its command and by its program") {
  auto all = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
  REQUIRE(all);
  auto b = *find_backend(*all, "cpu-cpp");
  auto ir = *std::find_if(b.jobs.begin(), b.jobs.end(), [](const step_spec& j) { return j.name == "ir"; });
  auto p = ke_test::elementwise();
  auto plan = [&](const problem& of, const step_spec& j, const std::string& text) {
    return plan_job(b, of, j, {"candidate.cpp", text, "ke-profiler"}, "t", {}, "/f");
  };
  auto usual = plan(p, ir, "a");
  CHECK(usual.output == "candidate.ll");
  CHECK(std::count(usual.spec.argv.begin(), usual.spec.argv.end(), "candidate.cpp") == 1);
  for (const auto& word : usual.spec.argv)
    CHECK(word.find_first_of("{}") == std::string::npos);
  CHECK(usual.key == plan(p, ir, "a").key);
  CHECK(usual.key != plan(p, ir, "b").key);
  auto fast = p;
  fast.policy.fast_math = true;
  CHECK(usual.key != plan(fast, ir, "a").key);
  auto other = ir;
  other.command.front() = "true"; // another program
  CHECK(usual.key != plan(p, other, "a").key);
}

TEST_CASE("what a candidate may hold of the kernel is a limit of the backend") {
  auto with = [](const std::string& limits) {
    return parse_backend(minimal + "[limits]\n" + limits, "b.toml");
  };
  auto usual = with("");
  REQUIRE(usual);
  CHECK(usual->limits.descriptors == 64);
  CHECK(usual->limits.inodes == 4096);
  auto own = with("descriptors = 500\ninodes = 100000\n");
  REQUIRE(own);
  CHECK(own->limits.descriptors == 500);
  CHECK(own->limits.inodes == 100000);
  for (auto wrong : {"descriptors = 8", "descriptors = 1.5", "descriptors = \"64\"", "descriptors = -1"}) {
    INFO(wrong);
    CHECK(with(wrong).error().text.find("limits.descriptors: expected a whole number, 16 to 1048576") !=
          std::string::npos);
  }
  CHECK(with("inodes = 0").error().text.find("limits.inodes: expected a whole number, 16 to") !=
        std::string::npos);
}

TEST_CASE("levels of a manifest need a name, a suffix and marks") {
  auto wrong = [](const std::string& text) { return error_of(minimal + text); };
  CHECK(wrong("[[level]]\nname = \"ptx\"\nsuffix = \".ptx\"\nmarks = [\".entry\"]\n").empty());
  CHECK(wrong("[[level]]\nname = \"ptx\"\n") ==
        "some/backend.toml:11:1: level: needs a name, a suffix and marks, by which its texts are known");
  CHECK(wrong("[[level]]\nmark = 3\n").find("level.mark: unknown key") != std::string::npos);
  CHECK(wrong("[[level]]\nmarks = \"x\"\n").find("level.marks: expected a list of strings, found a string") !=
        std::string::npos);
}

TEST_CASE("the harness depends on the problem alone and passes every kind of argument") {
  auto p = ke_test::elementwise();
  CHECK(harness_source(p) == harness_source(p));
  CHECK(kernel_signature(p) == "extern \"C\" void kernel(const float* x, float* y, double scale, int64_t N)");
  p.tensors.push_back({"b", tensor_role::inout, dtype::bf16, {"N"}, "normal"});
  p.tensors.push_back({"h", tensor_role::in, dtype::f16, {"N"}, "normal"});
  p.tensors.push_back({"m", tensor_role::out, dtype::boolean, {"N"}, "normal"});
  p.scalars.push_back({"k", true, 3});
  CHECK(kernel_signature(p) ==
        "extern \"C\" void kernel(const float* x, float* y, uint16_t* b, const _Float16* h, uint8_t* m, "
        "double scale, int64_t k, int64_t N)");
  CHECK(harness_source(p, widening::all_but_carried).find("static_cast<const ke_wide_f32*>(args[0])") !=
        std::string::npos);
  CHECK(harness_source(p).find("*static_cast<const int64_t*>(args[7])") != std::string::npos);
}

TEST_CASE(
    "candidate and reference are built with the same command, and the key follows everything that matters") {
  auto all = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
  REQUIRE(all);
  auto b = *find_backend(*all, "cpu-cpp");
  auto p = ke_test::elementwise();
  auto key = [&](const backend& with, const problem& of, const std::string& source,
                 const std::string& toolchain) {
    return plan_build(with, of, source, build_role::candidate, toolchain, {}, "/f").key;
  };
  auto candidate = plan_build(b, p, "a", build_role::candidate, "t", {}, "/f");
  auto reference = plan_build(b, p, "a", build_role::reference, "t", {}, "/f");
  REQUIRE(candidate.spec.argv.size() == reference.spec.argv.size());
  for (const auto& word : candidate.spec.argv)
    CHECK(word.find("ffast-math") == std::string::npos);
  CHECK(key(b, p, "a", "t") == key(b, p, "a", "t"));
  CHECK(key(b, p, "a", "t") != key(b, p, "b", "t"));
  CHECK(key(b, p, "a", "t") != key(b, p, "a", "u"));
  auto fast = p;
  fast.policy.fast_math = true;
  CHECK(key(b, p, "a", "t") != key(b, fast, "a", "t"));
}

TEST_CASE("a compiler's text is cut down to the first error, and a limit is named") {
  auto p = ke_test::elementwise();
  CHECK(first_error(
            "a.cpp: In function:\na.cpp:3:5: warning: x\na.cpp:4:1: error: no\na.cpp:9:1: error: later\n",
            p) == "a.cpp:4:1: error: no");
  process_exit hung;
  hung.timed_out = true;
  CHECK(build_failure(hung, {}, p).find("60 s") != std::string::npos);
  process_exit fine;
  fine.code = 0;
  CHECK(build_failure(fine, {}, p).empty());
}

TEST_CASE("symbols are read from a real object and from rubbish alike") {
  auto names = undefined_symbols("/proc/self/exe");
  CHECK(std::find(names.begin(), names.end(), "getpid") != names.end());
  folder f;
  auto path = f.path / "x.so";
  std::ofstream{path} << "\x7f"
                         "ELF no more than this";
  CHECK(undefined_symbols(path).empty());
}

TEST_CASE("the artifact cache finds what was put, and drops the longest unused when full") {
  folder f;
  artifact_cache cache{f.path / "cache", 2500};
  auto file = f.path / "object";
  std::ofstream{file} << std::string(1000, 'x');
  CHECK_FALSE(cache.find("aaaa"));
  REQUIRE(cache.put("aaaa", file));
  REQUIRE(cache.put("bbbb", file));
  REQUIRE(cache.find("aaaa"));
  std::filesystem::last_write_time(*cache.find("bbbb"),
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours{1});
  REQUIRE(cache.put("cccc", file));
  CHECK(cache.find("aaaa"));
  CHECK(cache.find("cccc"));
  CHECK_FALSE(cache.find("bbbb"));
}

TEST_CASE("A10: the languages of the program's own backends stand in their manifests, whole") {
  auto all = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
  REQUIRE(all);
  for (const auto& [name, expected] : {std::pair{"cpu-cpp", ke::test::cpp_language()},
                                       std::pair{"torch-cpu", ke::test::python_language()}}) {
    auto b = find_backend(*all, name);
    REQUIRE(b);
    const auto& l = b->language;
    CHECK(l.name == expected.name);
    CHECK(l.syntax == expected.syntax);
    CHECK(l.fences == expected.fences);
    CHECK(l.begins == expected.begins);
    CHECK(l.suffix == expected.suffix);
    CHECK(l.source_bytes == 256u << 10);
    CHECK(b->reference_language == l.name);
    CHECK(usual_backend(*all, b->reference_language) == name);
  }
  CHECK(usual_backend(*all, "toy").empty());
}

TEST_CASE("A10: what a manifest says of its language is read, and what it does not say is as usual") {
  auto with = [](const std::string& language, const std::string& more) {
    auto text = minimal;
    text.replace(text.find("c++"), 3, language);
    return parse_backend(text + more, "some/backend.toml");
  };
  auto usual = with("cuda", "");
  REQUIRE(usual);
  CHECK(usual->language.syntax == source_syntax{source_language::cpp});
  CHECK(usual->language.fence() == "cuda");
  CHECK(usual->language.suffix == ".cpp"); // as it says
  auto unknown = with("My Toy", "");
  REQUIRE(unknown);
  CHECK(unknown->language.syntax == source_syntax{});
  CHECK(unknown->language.name == "My Toy");
  CHECK(unknown->language.fence() == "mytoy");
  auto toy =
      with("toy", "[language]\ncomments = [\"--\"]\nquotes = [\"'\"]\nfences = [\"toy\", \"ty\"]\nbegins = "
                  "[\"--\"]\nconstant = \"set {name} = {value}\"\nform = \"F.\"\n[limits]\nsource_bytes = "
                  "99\n[environment]\nTOY = \"1\"\n[reference]\ncommand = [\"g++\"]\nflags = [\"-O1\"]\n");
  REQUIRE(toy);
  CHECK(toy->language.syntax.comments == std::vector<std::string>{"--"});
  CHECK(toy->language.syntax.constant == "set {name} = {value}");
  CHECK(toy->language.fences == std::vector<std::string>{"toy", "ty"});
  CHECK(toy->language.form == "F.");
  CHECK(toy->language.source_bytes == 99);
  CHECK(toy->environment.at("TOY") == "1");
  CHECK(toy->reference_build == std::vector<std::string>{"g++"});
  CHECK(toy->reference_suffix == ".cpp");
}

TEST_CASE("A10: a mistake in what a manifest says of its language is told with its place") {
  auto wrong = [](const std::string& text) { return error_of(minimal + text); };
  CHECK(wrong("[language]\ngrammar = \"pyton\"\n") == "some/backend.toml:12:11: language.grammar: expected "
                                                      "one of plain | c | python (did you mean \"python\"?)");
  CHECK(wrong("[language]\nfence = [\"c\"]\n") ==
        "some/backend.toml:12:1: language.fence: unknown key (did you mean \"fences\"?)");
  CHECK(wrong("[langage]\n") == "some/backend.toml:11:2: langage: unknown key (did you mean \"language\"?)");
  CHECK(wrong("[language]\nfences = [\"C++\"]\n")
            .starts_with("some/backend.toml:12:10: language.fences: must"));
  CHECK(wrong("[language]\nfences = [\"diff\"]\n")
            .starts_with("some/backend.toml:12:10: language.fences: must"));
  CHECK(wrong("[language]\ncomments = [\"--\"]\n") ==
        "some/backend.toml:12:12: language.comments: is for grammar = \"plain\"; the others have their own");
  CHECK(wrong("[language]\nconstant = \"{value} {name}\"\n") ==
        "some/backend.toml:12:12: language.constant: must be one line with {name} and, behind it, {value}");
  CHECK(wrong("[language]\ngrammar = \"plain\"\nconstant = \"{name} {value}\"\n") ==
        "some/backend.toml:13:12: language.constant: needs comments: a template's parameters are declared in "
        "them");
  CHECK(wrong("[limits]\nsource_bytes = 0\n")
            .starts_with("some/backend.toml:12:16: limits.source_bytes: expected"));
  CHECK(wrong("[environment]\nA = 1\n") ==
        "some/backend.toml:12:5: environment.A: expected a string, found 1");
  CHECK(wrong("[reference]\nsuffix = \".c\"\n") ==
        "some/backend.toml:12:10: reference.suffix: needs reference.command beside it");
  CHECK(wrong("[reference]\ncommand = [\"a\"]\n[second_compiler]\ncommand = [\"b\"]\n") ==
        "some/backend.toml:12:11: reference.command: and second_compiler.command exclude each other");
}

TEST_CASE("A44: a target's backends are those whose manifests name it, and those of this kind of CPU") {
  auto all = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends",
                           {std::filesystem::path{ke::test::source_dir()} / "tests/fixtures/toy"});
  REQUIRE(all);
  using names = std::vector<std::string>;
  CHECK(backends_of(*all, "x86-64-avx512") == names{"cpu-cpp", "torch-cpu"});
  CHECK(backends_of(*all, "toy-1") == names{"toy"});
  CHECK(backends_of(*all, "toy").empty()); // its own name is asked for anyway
  CHECK(backends_of(*all, "nvidia-h200") == names{"cuda", "triton", "triton-interpret"});
  CHECK(backends_of(*all, "nvidia-h300").empty());
}

TEST_CASE("A44: the reference of a backend with a language of its own is built by the reference's command") {
  auto b = parse_backend(
      minimal + "flags = [\"-A\"]\nfiles = [\"tool.sh\"]\n[reference]\ncommand = [\"g++\", \"{flags}\", "
                "\"{sources}\"]\nflags = [\"-B\"]\n[environment]\nTOY = \"1\"\n",
      "some/backend.toml");
  REQUIRE(b);
  b->language = usual_language("toy");
  b->language.suffix = ".toy";
  problem what;
  what.reference = "void kernel() {}";
  auto argv = [&](std::string_view source, build_role role) {
    auto plan = plan_build(*b, what, source, role, "t", b->limits, "folder");
    CHECK(plan.spec.env.at("TOY") == "1");
    return plan.spec.argv;
  };
  using texts = std::vector<std::string>;
  CHECK(argv("kernel x y", build_role::candidate) ==
        texts{"c++", "-A", "candidate.toy", "ke_shim.cpp", "-o", "candidate.so"});
  CHECK(argv(what.reference, build_role::reference) == texts{"g++", "-B", "reference.cpp", "ke_shim.cpp"});
  CHECK(argv(what.reference, build_role::candidate) == texts{"g++", "-B", "candidate.cpp", "ke_shim.cpp"});
}

TEST_CASE("device code is built for the architecture of its device, by files of this machine") {
  folder f;
  std::ofstream{f.path / "libtool.so.12"} << "old";
  std::ofstream{f.path / "libtool.so.13"} << "new, longer";
  const auto here = f.path.string();
  auto b = parse_backend(
      "[backend]\nname = \"x\"\nlanguage = \"cuda\"\nsuffix = \".cu\"\ndriver = \"cuda\"\ndevice = "
      "\"nvidia\"\n[language]\ntypes = { f32 = \"real\" }\n[detect]\ncommand = [\"echo\", "
      "\"{file:tool}\"]\n[[file]]\nname "
      "= \"tool\"\nplaces = [\"" +
          here + "/none*\", \"" + here +
          "/libtool.so.*\"]\n[[file]]\nname = \"extra\"\nvariable = \"KE_NO_SUCH\"\nplaces = []\n"
          "optional = true\nshows_folder = true\n[build]\ncommand = [\"{file:tool}\", \"{arch}\", "
          "\"-I{folder:extra}\", \"{source}\", \"({arguments})\", \"{shapes}\", \"{flags}\"]\nflags = "
          "[\"-A\"]\n"
          "fast_math = [\"-F\"]\n[reference]\ncommand = [\"g++\", \"{flags}\"]\nfast_math = "
          "[\"-ffast-math\"]\n",
      "some/backend.toml");
  REQUIRE(b);
  auto p = ke_test::elementwise();
  p.policy.fast_math = true;
  p.workloads = {{"a", {{"N", 8}}, 1, false}, {"b", {{"N", 9}}, 1, true}, {"c", {{"N", 7}}, 1, false}};
  auto plan = [&](const char* arch, build_role role = build_role::candidate) {
    return plan_build(*b, p, "a", role, "t", {}, "/f", {build_compiler::first, widening::none, arch});
  };
  using texts = std::vector<std::string>;
  auto tool = here + "/libtool.so.13";
  auto on_90 = plan("sm_90");
  auto arguments = kernel_arguments(p, {{"f32", "real"}});
  CHECK(arguments.find("const real* ") == 0);
  texts shapes{"N=8", "N=7"};
  for (const auto& s : p.scalars)
    REQUIRE_FALSE(s.integer);
  CHECK(on_90.spec.argv ==
        texts{tool, "sm_90", "candidate.cu", "(" + arguments + ")", shapes[0], shapes[1], "-A", "-F"});
  CHECK(on_90.reads == std::vector<std::filesystem::path>{tool});
  CHECK(on_90.key != plan("sm_100").key);
  CHECK(plan("sm_90", build_role::reference).spec.argv == texts{"g++", "-ffast-math"});
  auto key = on_90.key;
  std::ofstream{f.path / "libtool.so.13"} << "another";
  CHECK(plan("sm_90").key != key);
  std::filesystem::remove(f.path / "libtool.so.12");
  std::filesystem::remove(f.path / "libtool.so.13");
  auto gone = find_machine_files(b->files);
  REQUIRE_FALSE(gone);
  CHECK(gone.error().kind == failure_kind::missing);
  CHECK(gone.error().text == "tool is not on this machine: install it");
}

TEST_CASE(
    "where no device is, each architecture has a stand-in that says so, and the first that fits is taken") {
  auto b = parse_backend(
      minimal + "[[architecture]]\nname = \"sm_90\"\ntarget = \"nvidia-h200\"\n[[architecture]]\nname = "
                "\"sm_100\"\n",
      "some/backend.toml");
  REQUIRE(b);
  b->device = "nvidia";
  process_service processes;
  auto all = probe_targets(*b, processes);
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK((*all)[0].name == "nvidia-sm_90");
  CHECK((*all)[0].backend == "x");
  CHECK((*all)[0].facts.at("execution") == "compiled, not executed");
  CHECK((*all)[0].facts.at("isa") == "sm_90");
  CHECK((*all)[0].facts.at("target") == "nvidia-h200");
  CHECK_FALSE((*all)[1].facts.contains("target"));
  CHECK_FALSE((*all)[0].facts.contains("cores")); // nothing of this CPU
  CHECK_FALSE(executes_on(*b, (*all)[0]));
  CHECK(probe_target(*b, processes, "*100")->name == "nvidia-sm_100");
  CHECK(probe_target(*b, processes, "nvidia-h100").error().text ==
        "no device of backend x is called like nvidia-h100; this machine has nvidia-sm_90, nvidia-sm_100");
}

TEST_CASE("a manifest says what a vendor's numbers mean; what is no role is refused with its place") {
  auto b = parse_backend(minimal + "[metrics]\n\"pe.busy\" = \"compute\"\nhbm = \"memory percent\"\n",
                         "some/backend.toml");
  REQUIRE(b);
  CHECK(b->metrics == metric_roles{{"pe.busy", "compute"}, {"hbm", "memory percent"}});
  CHECK(error_of(minimal + "[metrics]\n\"pe.busy\" = \"computing\"\n") ==
        "some/backend.toml:11:1: metrics: \"pe.busy\": \"computing\" is no role: memory, cache, compute, "
        "tensor, "
        "latency, occupancy, frontend, overhead, each alone (a share of 1) or followed by \" percent\"");
}
