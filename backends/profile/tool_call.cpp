#include "backends/profile/tool_call.hpp"

#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/nesting_python.hpp"
#include "backends/evaluation/python_parent.hpp"
#include "backends/evidence/device_object.hpp"
#include "backends/evidence/driver_traits.hpp"
#include "backends/evidence/ncu_report.hpp"
#include "backends/evidence/profile_task.hpp"
#include "backends/judge/drivers/device_state.hpp"
#include "backends/judge/drivers/launch_values.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/shapes.hpp"
#include "backends/profile/case_file.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/sandbox.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ke {
namespace {

namespace fs = std::filesystem;

/// Bytes of addresses that a context and a tool's own libraries take.
constexpr std::uint64_t device_space = 64ull << 30;
constexpr std::uint32_t tool_processes = 256, tool_descriptors = 1024;

/// A call in the making.
struct prepared_call {
  const profile_task& task;
  backend with;
  python_role whom = python_role::candidate;
  std::vector<case_choice> cases;
  fs::path folder;
  std::vector<fs::path> case_files;
  process_spec inner;
  sandbox_spec walls;
  bool nests = false; ///< the first program is our own, which makes the walls for the others

  void show(const fs::path& path) { walls.read_only.emplace_back(path.string(), path.string()); }
};

std::string text_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Dims and whole scalars by name.
std::map<std::string, std::int64_t> symbols_of(const prepared_call& c) {
  auto symbols = c.cases.front().dims;
  for (const auto& s : c.task.run.what.scalars)
    if (s.integer)
      symbols[s.name] = static_cast<std::int64_t>(s.value);
  return symbols;
}

/// ke-device-runner OBJECT CASE TENSORS VALUES: of one case.
status add_device_code(prepared_call& c) {
  const auto& object_file = c.task.run.candidate;
  auto object = unpack<device_object>(text_of(object_file), {std::size_t{1} << 30, 1u << 20, 16});
  if (!object)
    return object.error();
  auto values = launch_values(object->launches, symbols_of(c));
  if (!values)
    return values.error();
  std::string listed;
  for (auto v : *values)
    listed += (listed.empty() ? "" : ",") + std::to_string(v);
  auto runner = fs::path{c.task.runner}.parent_path() / "ke-device-runner";
  c.inner.argv.insert(c.inner.argv.end(), {runner.string(), object_file, c.case_files.front().string(),
                                           std::to_string(c.task.run.what.tensors.size()), listed});
  c.show(runner);
  c.show(object_file);
  return ok;
}

/// Extents as "8192x1024,1024,": one for each tensor.
std::string shapes_of(const problem& what, const std::map<std::string, std::int64_t>& dims) {
  std::string text;
  if (auto bound = bind_shapes(what, "profile", dims))
    for (const auto& shape : bound->shapes) {
      for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? "x" : "") + std::to_string(shape[i]);
      text += ',';
    }
  return text;
}

/// What driver.py reads of a role, in a file that the sandbox sees.
fs::path write_payload(prepared_call& c, const char* name, python_role role) {
  auto file = c.folder / name;
  std::ofstream{file, std::ios::binary} << python_payload(c.task.run, role, 1, {});
  chmod(file.c_str(), 0644);
  c.show(file);
  return file;
}

/// python boxed.py LIMITS TOOL... python profiled_call.py FOLDER PAYLOAD and the cases that it is called with. A Python may lie
/// where nobody but us sees it, so that its process is what makes the sandbox.
status add_python(prepared_call& c) {
  auto files = python_files_of(c.with);
  auto script = files.folder / "../torch-cuda/profiled_call.py";
  auto payload = write_payload(c, "payload", c.whom);
  std::error_code error;
  auto folder = fs::canonical(files.folder, error), here = fs::canonical(script, error);
  if (error)
    return failure{failure_kind::missing, script.string() + " is not there", false};
  const std::vector<std::string> interpreter{c.task.python, "-E", "-s", "-B"};
  auto words = interpreter;
  const auto& limits = c.task.run.limits;
  words.insert(words.end(),
               {(folder / "boxed.py").string(),
                fork_limits(c.walls, tool_descriptors, limits.memory_bytes + device_space, limits.inodes)});
  words.insert(words.end(), c.inner.argv.begin(), c.inner.argv.end());
  words.insert(words.end(), interpreter.begin(), interpreter.end());
  words.insert(words.end(), {here.string(), folder.string(), payload.string()});
  if (is_kernelbench(c.task.run.what))
    words.push_back(write_payload(c, "reference", python_role::reference).string());
  else
    for (std::size_t i = 0; i < c.cases.size(); ++i)
      words.insert(words.end(), {c.case_files[i].string(), shapes_of(c.task.run.what, c.cases[i].dims)});
  c.inner.argv = std::move(words);
  c.inner.memory_bytes = 0; // the fork's own
  c.nests = true;
  c.show(folder);
  c.show(here);
  for (const auto& [name, value] : c.with.environment)
    c.inner.env[name] = value;
  return ok;
}

/// The job's device and nothing else of the machine.
void show_device(prepared_call& c) {
  auto device = on_device::access_of(c.task.run);
  c.inner.env["KE_LIBCUDA"] = device.library;
  c.inner.env["CUDA_VISIBLE_DEVICES"] = device.uuid;
  if (!device.folders.empty()) {
    c.inner.env["LD_LIBRARY_PATH"] = device.folders.front();
    c.inner.env["TRITON_LIBCUDA_PATH"] = device.folders.front();
  }
  for (const auto& folder : device.folders)
    c.show(folder);
  c.walls.devices = device.nodes;
  // What is foreign here reaches the tool's memory by it, and is believed no more than without.
  c.walls.writes_proc = true;
}

/// For inputs that only code of the problem can draw: numbers of the same form, whole ones all zero.
problem drawn_simply(problem what) {
  for (auto& t : what.tensors)
    t.init = is_floating(t.dtype) ? "normal" : "zeros";
  return what;
}

status write_cases(prepared_call& c) {
  const auto& what = c.task.run.what;
  auto key = c.task.run.seed + 17;
  for (const auto& one : c.cases) {
    const auto& file =
        c.case_files.emplace_back(c.folder / ("case-" + std::to_string(c.case_files.size()) + ".bin"));
    if (!write_case(file, what, one.dims, one.distribution, key))
      if (auto s = write_case(file, drawn_simply(what), one.dims, one.distribution, key); !s)
        return s;
    c.show(file);
  }
  return ok;
}

status prepare(prepared_call& c, const std::vector<std::string>& tool) {
  const auto& task = c.task;
  c.folder = fs::path{task.run.scratch} / "under-a-tool";
  std::error_code error;
  fs::create_directories(c.folder, error);
  chmod(c.folder.c_str(), 0755);
  if (auto s = write_cases(c); !s)
    return s;
  for (const auto& place : task.shows)
    c.show(place);
  c.inner.argv = tool;
  show_device(c);
  return driver_builds(c.with.driver) ? add_device_code(c) : add_python(c);
}

/// The last line that says something, of who failed.
std::string last_words(const process_exit& e) {
  if (auto known = ncu_trouble(e.out + e.err); !known.empty())
    return known;
  std::string last;
  for (const auto* text : {&e.out, &e.err})
    for (std::size_t at = 0; at < text->size();) {
      auto end = std::min(text->find('\n', at), text->size());
      if (end > at)
        last = text->substr(at, std::min<std::size_t>(end - at, 300));
      at = end + 1;
    }
  return last.empty() ? "it ended with code " + std::to_string(e.code) + " and said nothing" : last;
}

} // namespace

result<tool_print> call_cases(const profile_task& task, const std::vector<std::string>& tool,
                              python_role whom, const std::vector<case_choice>& cases,
                              process_port& processes) {
  auto with = parse_backend(text_of(task.backend_file), task.backend_file);
  if (!with)
    return with.error();
  prepared_call c{task, *std::move(with), whom, cases};
  const auto& run = c.task.run;
  c.inner.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/cuda/bin"}, {"LANG", "C.UTF-8"}};
  c.inner.directory = "/";
  c.inner.output_limit = 16u << 20;
  c.inner.deadline = std::chrono::seconds{120};
  c.inner.memory_bytes = run.limits.memory_bytes + device_space;
  c.walls.level = parse_name<sandbox_level>(run.sandbox).value_or(sandbox_level::full);
  c.walls.scratch_bytes = std::max<std::uint64_t>(run.limits.scratch_bytes, 256u << 20);
  c.walls.processes = tool_processes;
  c.walls.descriptors = tool_descriptors;
  if (auto s = prepare(c, tool); !s)
    return s.error();
  if (auto s = on_device::claim(run); !s) // last: a judge may wait for it
    return s.error();
  auto boxed =
      c.nests ? nesting_python(std::move(c.inner), c.walls, {}) : sandboxed(std::move(c.inner), c.walls);
  if (!boxed)
    return boxed.error();
  auto how = run_and_wait(processes, *std::move(boxed));
  if (how.why.kind != failure_kind::none)
    return how.why;
  if (how.timed_out || how.cancelled)
    return failure{failure_kind::missing, how.timed_out ? "it took too long" : "cancelled", false};
  return tool_print{how.out, last_words(how), how.code};
}

result<std::string> call_under(const profile_task& task, const std::vector<std::string>& tool,
                               process_port& processes) {
  auto where = case_of(task.found, task.run.what);
  if (!where)
    return failure{failure_kind::invalid, "there is no case to call it on", false};
  auto printed = call_cases(task, tool, python_role::candidate, {*where}, processes);
  if (!printed)
    return printed.error();
  if (printed->code != 0 && task.found.ending != ending::crashed)
    return failure{failure_kind::missing, printed->last_words, false};
  return std::move(printed->text);
}

} // namespace ke
