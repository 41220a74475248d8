#include "config/problem_file.hpp"

#include "config/npy.hpp"
#include "config/problem_checks.hpp"
#include "runtime/core/generated_init.hpp"
#include "runtime/text/expression.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ke {
namespace {

constexpr std::size_t largest_problem = 1u << 20;
constexpr std::size_t largest_reference = 1u << 20;
constexpr std::size_t largest_initialiser = 32u << 20; // a problem travels whole to every worker
constexpr std::int64_t most_elements = std::int64_t{1} << 40;

std::string language_of(const std::string& path) {
  auto extension = std::filesystem::path{path}.extension().string();
  for (auto known : {".cpp", ".cc", ".cxx", ".c++", ".C"})
    if (extension == known)
      return "c++";
  return extension == ".py" ? "python" : "";
}

class problem_reading {
public:
  problem_reading(const file_context& context, const file_reader& read) : context_{context}, read_{read} {}

  problem_load all(std::string_view text) {
    auto document = parse_toml(text, context_.name, load_.errors);
    if (!document)
      return std::move(load_);
    document->place.file = context_.name;
    problem_paths paths;
    places_ = read_document(*document, problem_schema(load_.problem, paths), load_.errors);
    for (std::size_t i = 0; i < load_.problem.workloads.size(); ++i)
      if (!places_.count("workload." + std::to_string(i) + ".name"))
        load_.problem.workloads[i].name = "w" + std::to_string(i);
    generated(!paths.generator.empty());
    check_problem(load_, places_, context_.name);
    if (places_.count("problem.reference"))
      reference(paths.reference);
    if (!paths.generator.empty())
      generator(paths.generator);
    for (std::size_t i = 0; i < load_.problem.tensors.size(); ++i)
      if (load_.problem.tensors[i].init.ends_with(".npy"))
        initialiser(load_.problem.tensors[i], "tensor." + std::to_string(i) + ".init");
    in_file_order(load_.errors);
    return std::move(load_);
  }

private:
  void reference(const std::string& name) {
    auto& p = load_.problem;
    p.reference_language = language_of(name);
    if (p.reference_language.empty())
      return wrong("problem.reference", "expected a C++ file (.cpp) or a Python file (.py)");
    auto source = read_(resolved_path(name, context_), largest_reference);
    if (!source)
      return wrong("problem.reference", source.error().text);
    if (!defines_reference(*source, p.reference_language))
      return wrong("problem.reference", p.reference_language == "python"
                                            ? "the file defines no function `def reference(...)`"
                                            : "the file defines no function `extern \"C\" void kernel(...)`");
    p.reference = std::move(*source);
    for (std::size_t i = 0; i < p.tensors.size(); ++i)
      if (p.tensors[i].any_strides &&
          (p.reference_language != "python" || p.tensors[i].role == tensor_role::out))
        wrong("tensor." + std::to_string(i) + ".strides",
              p.tensors[i].role == tensor_role::out
                  ? "a result is made by the candidate, in what strides it likes; \"any\" is for inputs"
                  : "the C ABI passes a pointer and no strides; \"any\" is for problems with a reference in "
                    "Python");
  }

  /// Before the other checks: with a generator, what inputs hold is said there alone.
  void generated(bool there) {
    for (std::size_t i = 0; i < load_.problem.tensors.size(); ++i) {
      auto& t = load_.problem.tensors[i];
      auto at = [&](const char* key) { return "tensor." + std::to_string(i) + "." + key; };
      if (t.role == tensor_role::out)
        continue;
      if (!there) {
        if (t.init == generated_init)
          wrong(at("init"), "\"generator\" is for problems that name one: generator = \"inputs.py\" in "
                            "[problem]");
        continue;
      }
      auto refuse = [&](const char* key) {
        wrong(at(key), std::string{"the generator makes this input and decides its values: take out the "} +
                           key + ", or the generator");
      };
      if (places_.count(at("init")) && t.init != generated_init)
        refuse("init");
      if (!t.range.empty())
        refuse("range");
      if (t.promised)
        refuse("promise");
      t.init = generated_init;
      t.range.clear();
      t.promised = false;
    }
  }

  void generator(const std::string& name) {
    auto& p = load_.problem;
    if (p.reference_language == "c++")
      return wrong("problem.generator", "make() returns tensors of PyTorch, so a generator needs a reference "
                                        "in Python; with C++ each tensor's init says its values");
    if (std::all_of(p.tensors.begin(), p.tensors.end(),
                    [](const tensor_spec& t) { return t.role == tensor_role::out; }))
      return wrong("problem.generator", "there is no input that make() could return");
    if (language_of(name) != "python")
      return wrong("problem.generator", "expected a Python file (.py)");
    auto source = read_(resolved_path(name, context_), largest_reference);
    if (!source)
      return wrong("problem.generator", source.error().text);
    if (!defines_python(*source, "def make"))
      return wrong("problem.generator", "the file defines no function `def make(key, dims)`");
    p.generator = std::move(*source);
  }

  void initialiser(const tensor_spec& tensor, const std::string& place) {
    auto bytes = read_(resolved_path(tensor.init, context_), largest_initialiser);
    if (!bytes)
      return wrong(place, bytes.error().text);
    auto header = read_npy_header(*bytes);
    if (!header)
      return wrong(place, tensor.init + " is " + header.error().text);
    if (!npy_fits(*header, tensor.dtype))
      return wrong(place, "the file holds " + header->descr + " elements, the tensor is " +
                              std::string{to_text(tensor.dtype)});
    for (const auto& w : load_.problem.workloads) {
      auto extents = tensor_extents(tensor, w.dims);
      if (extents && *extents != header->shape)
        return wrong(place, "the file's shape is " + shape_text(header->shape) + ", workload \"" + w.name +
                                "\" needs " + shape_text(*extents));
    }
    load_.problem.files[tensor.init] = std::move(*bytes);
  }

  void wrong(const std::string& place, std::string text) {
    add_error(load_.errors, places_, context_.name, place, std::move(text));
  }

  const file_context& context_;
  const file_reader& read_;
  problem_load load_;
  place_map places_;
};

/// Closes the descriptor.
struct descriptor {
  int fd;
  ~descriptor() {
    if (fd >= 0)
      close(fd);
  }
};

} // namespace

result<std::string> read_named_file(const std::string& path, std::size_t limit) {
  auto trouble = [&](const std::string& why) {
    return failure{failure_kind::invalid, "cannot read " + path + ": " + why, false};
  };
  // Without blocking: a pipe must not hang the start.
  descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat facts;
  if (file.fd < 0 || fstat(file.fd, &facts) != 0)
    return trouble(errno == ENOENT ? "there is no such file" : std::strerror(errno));
  if (S_ISDIR(facts.st_mode))
    return trouble("it is a folder");
  if (!S_ISREG(facts.st_mode))
    return trouble("it is not a regular file");
  if (static_cast<std::uint64_t>(facts.st_size) > limit)
    return trouble("it has " + std::to_string(facts.st_size) + " bytes, over the limit of " +
                   std::to_string(limit));
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    auto got = ::read(file.fd, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return trouble(std::strerror(errno));
    if (got == 0)
      break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

result<std::vector<std::int64_t>> tensor_extents(const tensor_spec& tensor,
                                                 const std::map<std::string, std::int64_t>& dims) {
  std::vector<std::int64_t> extents;
  std::int64_t elements = 1;
  for (const auto& expression : tensor.shape) {
    auto extent = integer_value(expression, dims);
    if (!extent)
      return extent.error();
    if (*extent < 0)
      return failure{failure_kind::invalid, "\"" + expression + "\" is negative: " + std::to_string(*extent),
                     false};
    extents.push_back(*extent);
    if (__builtin_mul_overflow(elements, *extent, &elements) || elements > most_elements)
      return failure{failure_kind::invalid, "the tensor would have more than 2^40 elements", false};
  }
  return extents;
}

problem_load parse_problem(std::string_view text, const file_context& context, const file_reader& read) {
  return problem_reading{context, read}.all(text);
}

problem_load load_kernelbench(const std::string& path) {
  problem_load load;
  auto wrong = [&](std::string text) {
    load.errors.push_back({path, 0, 0, "", std::move(text)});
    return std::move(load);
  };
  auto source = read_named_file(path, largest_reference);
  if (!source) {
    load.errors.push_back({"", 0, 0, "", source.error().text});
    return load;
  }
  auto& p = load.problem;
  for (unsigned char c : std::filesystem::path{path}.stem().string())
    p.name += std::isalnum(c) || c == '-' || c == '.' ? static_cast<char>(c) : '_';
  p.reference_language = "python";
  for (auto part : {"class Model", "def get_inputs", "def get_init_inputs"})
    if (!defines_python(*source, part))
      return wrong("the file has no `" + std::string{part} +
                   "`; a KernelBench problem defines class Model, get_inputs() and get_init_inputs()");
  p.reference = std::move(*source);
  workload all;
  all.name = "default"; // the shapes are those that get_inputs() gives
  p.workloads.push_back(std::move(all));
  return load;
}

problem_load load_problem(const std::string& path) {
  problem_load load;
  auto refuse = [&](std::string text) {
    load.errors.push_back({path, 0, 0, "", std::move(text)});
    return std::move(load);
  };
  if (path.starts_with("aten:"))
    return refuse(
        "operators of PyTorch are not in this version; write a KernelBench file, or a problem.toml with "
        "a reference.py");
  if (path.ends_with(".py"))
    return load_kernelbench(path);
  std::error_code ignored;
  auto file = std::filesystem::is_directory(path, ignored)
                  ? (std::filesystem::path{path} / "problem.toml").string()
                  : path;
  auto text = read_named_file(file, largest_problem);
  if (text)
    return parse_problem(*text, context_of(file), read_named_file);
  load.errors.push_back({"", 0, 0, "", text.error().text});
  return load;
}

} // namespace ke
