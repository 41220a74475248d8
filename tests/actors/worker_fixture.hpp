#pragma once

#include "actors/supervision/directory.hpp"
#include "actors/worker/worker_messages.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/virtual_time.hpp"

#include <filesystem>
#include <fstream>
#include <stdlib.h>

namespace ke::test {

/// A folder that goes with its owner.
class private_folder {
public:
  private_folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "ke-worker-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~private_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  private_folder(const private_folder&) = delete;
  private_folder& operator=(const private_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// Parts of a worker under virtual time, with children that the test ends: evaluations are real, compilers
/// and judges are not.
class worker_fixture : public virtual_time {
public:
  scripted_processes processes; ///< outlives the actors' system's use: cancelled in the destructor
  std::shared_ptr<directory> names = std::make_shared<directory>();
  private_folder folder;
  std::vector<caf::actor> actors;

  ~worker_fixture() {
    for (auto& a : actors)
      caf::anon_send_exit(a, caf::exit_reason::kill);
    settle();
  }

  void add(const address<>& at, caf::actor who) {
    names->set(at, who);
    actors.push_back(std::move(who));
    settle();
  }
  template <class Message, class... Messages>
  void tell(const address<Messages...>& to, Message m) {
    names->send(to, std::move(m));
    settle();
  }

  static problem what() {
    problem p;
    p.name = "copy";
    p.bitwise = true; // its truth is the reference itself: there is nothing more to build
    p.dims = {"N"};
    p.tensors = {{"x", tensor_role::in, dtype::i32, {"N"}, "ints"},
                 {"y", tensor_role::out, dtype::i32, {"N"}, "ints"}};
    p.workloads = {{"wide", {{"N", 16}}, 1.0, false}};
    p.reference_language = "c++";
    p.reference = "extern \"C\" void kernel() {}";
    return p;
  }
  static backend with() {
    backend b;
    b.name = "cpu-cpp";
    b.language = usual_language("c++");
    b.reference_language = "c++";
    b.driver = "c-abi";
    b.device = "cpu";
    b.build = {"compile", "{sources}", "{output}"};
    b.jobs = usual_jobs();
    b.jobs.push_back(
        {"disassembly", job_kind::profile, {"measure"}, {}, {"objdump", "{object}"}, "instruction-mix", 5});
    return b;
  }
  evaluate_options evaluation_options() const {
    evaluate_options o;
    o.sandbox = "none";
    o.scratch = folder.path() / "scratch";
    o.judge = o.driver = "/proc/self/exe"; // must be there; it is not started
    return o;
  }
  assignment_ptr make_assignment(std::uint64_t id, const std::string& device = "cpu:0") const {
    auto w = std::make_shared<assignment>();
    w->what.id = id;
    w->what.attempt = 1;
    w->device = device;
    w->steps = std::make_shared<evaluation>(
        what(), "extern \"C\" void kernel() { int a = " + std::to_string(id) + "; }", with(),
        device_info{device, "cpu-cpp", "ok", {}}, measure_plan::rank, evaluation_options());
    return w;
  }

  /// Whether the child that runs for longest is a compiler.
  bool compiling() const {
    return !processes.running.empty() && processes.running.front().spec.argv[0] == "compile";
  }
  /// The compiler that runs for longest ends well and leaves an object.
  void compiled() {
    leave_object(processes.running.front().spec);
    process_exit how;
    how.code = 0;
    processes.end_first(std::move(how));
    settle();
  }
  static void leave_object(const process_spec& spec) {
    std::ofstream{std::filesystem::path{spec.directory} / spec.argv.back()} << "object";
  }
  void not_compiled(const std::string& error) {
    process_exit how;
    how.code = 1;
    how.err = error;
    processes.end_first(std::move(how));
    settle();
  }
  /// The judge that runs for longest ends with this evidence.
  void judged(const evidence& found) {
    process_exit how;
    how.code = 0;
    how.out = pack(found);
    processes.end_first(std::move(how));
    settle();
  }
  /// The profiling tool that runs for longest: the disassembler.
  void disassembled(std::string text) {
    process_exit how;
    how.code = 0;
    how.out = std::move(text);
    processes.end_first(std::move(how));
    settle();
  }
  /// An assignment whose compilers have run, as the builder hands it on.
  assignment_ptr built_work(std::uint64_t id, const std::string& device = "cpu:0") const {
    auto w = make_assignment(id, device);
    for (auto jobs = w->steps->ready(job_place::shared); !jobs.empty();
         jobs = w->steps->ready(job_place::shared))
      for (const auto& j : jobs) {
        leave_object(j.spec);
        process_exit how;
        how.code = 0;
        w->steps->ended(j.id, how);
      }
    return w;
  }
};

} // namespace ke::test
