#include "backends/evaluation/python_parent.hpp"

#include "backends/evaluation/nesting_python.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/private_folder.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <future>
#include <thread>

namespace ke {
namespace fs = std::filesystem;
namespace {

constexpr int server_fd = 3; ///< as fork_server.py knows it
constexpr std::size_t parent_log_limit = 16u << 10;

} // namespace

std::string python_program() {
  if (const char* given = std::getenv("KE_PYTHON"); given && *given)
    return given;
  std::error_code error;
  auto folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int up = 0; up < 4 && !folder.empty(); ++up, folder = folder.parent_path())
    if (auto program = folder / ".venv" / "bin" / "python"; fs::exists(program, error))
      return program.string();
  return "python3";
}

python_files python_files_of(const backend& with) {
  auto own = fs::absolute(with.folder);
  python_files files{(own / with.python_folder).lexically_normal(), {}};
  for (const auto& name : with.python_prepare)
    files.prepare.push_back((own / name).lexically_normal());
  return files;
}

parent_device parent_device_of(const device_info& target) {
  auto fact = [&](const char* key) {
    auto at = target.facts.find(key);
    return at == target.facts.end() ? std::string{} : at->second;
  };
  return {fact(device_facts::uuid), fact(device_facts::node), fact(device_facts::library)};
}

struct python_parent::state {
  unique_fd ours, stop;
  std::atomic<bool> alive{true};
  mutable std::mutex mutex;
  std::string log; ///< guarded by mutex
  std::thread thread;

  void drain(child& c) {
    char bytes[4096];
    for (auto* pipe : {&c.out, &c.err})
      for (;;) {
        auto n = *pipe ? ::read(pipe->get(), bytes, sizeof bytes) : 0;
        if (n == 0)
          pipe->reset();
        if (n <= 0)
          break;
        std::lock_guard lock{mutex};
        log.append(bytes, static_cast<std::size_t>(n));
        if (log.size() > parent_log_limit)
          log.erase(0, log.size() - parent_log_limit);
      }
  }

  /// A child dies with the thread that started it, so this one starts it and stays.
  void run(const process_spec& spec, std::promise<status>& started) {
    auto c = spawn(spec);
    if (!c) {
      alive = false;
      started.set_value(c.error());
      return;
    }
    started.set_value(ok);
    for (bool over = false; !over;) {
      pollfd fds[] = {{stop.get(), POLLIN, 0},
                      {c->pidfd.get(), POLLIN, 0},
                      {c->out.get(), POLLIN, 0},
                      {c->err.get(), POLLIN, 0}};
      ::poll(fds, 4, -1);
      drain(*c);
      over = (fds[0].revents | fds[1].revents) & POLLIN;
    }
    alive = false;
    kill_tree(*c);
    drain(*c);
  }
};

python_parent::python_parent(std::unique_ptr<state> s) : state_{std::move(s)} {}

python_parent::~python_parent() {
  std::uint64_t one = 1;
  while (::write(state_->stop.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  if (state_->thread.joinable())
    state_->thread.join();
}

int python_parent::socket() const {
  return state_->ours.get();
}

bool python_parent::alive() const {
  return state_->alive;
}

std::string python_parent::log() const {
  std::lock_guard lock{state_->mutex};
  return state_->log;
}

namespace {

process_spec parent_process(const python_files& files, const std::string& mode,
                            const std::map<std::string, std::string>& env) {
  process_spec inner;
  inner.argv = {python_program(), "-E", "-s", "-B", (files.folder / "fork_server.py").string(), mode};
  for (const auto& file : files.prepare)
    inner.argv.push_back(file.string());
  // Read when the libraries are loaded, so before any fork: no pool that spins, no threads in the parent.
  // What a call frees, the next one has again, for baseline and candidate alike. glibc gives it back to the
  // kernel or keeps it by where the last small piece happens to lie: page faults of half a call's time, or
  // none.
  inner.env = {{"MALLOC_TRIM_THRESHOLD_", "1073741824"},
               {"MALLOC_MMAP_THRESHOLD_", "33554432"},
               {"OMP_WAIT_POLICY", "passive"},
               {"OMP_DYNAMIC", "false"},
               {"OPENBLAS_NUM_THREADS", "1"},
               {"PATH", "/usr/local/bin:/usr/bin:/bin"},
               {"LANG", "C.UTF-8"}};
  for (const auto& [name, value] : env)
    inner.env[name] = value;
  if (mode == "open") // it has no folder of its own
    inner.directory = "/";
  return inner;
}

/// The one device that its forks see, its driver library, and the allocator of results in the judge's arena.
void show_device(const parent_device& device, process_spec& inner, sandbox_spec& box,
                 std::vector<fs::path>& shows) {
  auto folder = fs::path{device.library}.parent_path();
  auto pool = beside_this_program("ke-arena-pool.so");
  inner.env["CUDA_VISIBLE_DEVICES"] = device.uuid;
  inner.env["KE_LIBCUDA"] = device.library;
  inner.env["LD_LIBRARY_PATH"] = folder.string(); // its compiler of PTX lies beside it
  inner.env["TRITON_LIBCUDA_PATH"] = folder.string();
  inner.env["KE_ARENA_POOL"] = pool.string();
  box.devices = {"/dev/nvidiactl", "/dev/nvidia-uvm", device.node};
  shows.insert(shows.end(), {folder, pool});
}

} // namespace

result<std::shared_ptr<python_parent>> python_parent::start(const python_files& files,
                                                            const std::string& sandbox,
                                                            const std::map<std::string, std::string>& env,
                                                            const parent_device& device) {
  auto s = std::make_unique<state>();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return failure{failure_kind::internal,
                   std::string{"no socket for the warm Python process: "} + std::strerror(errno), true};
  s->ours.reset(ends[0]);
  unique_fd theirs{ends[1]};
  s->stop.reset(::eventfd(0, EFD_CLOEXEC));

  sandbox_spec box;
  box.level = parse_name<sandbox_level>(sandbox).value_or(sandbox_level::full);
  box.descriptors = 1u << 20; // its own code's; each fork gets the limit of its job
  std::vector<fs::path> shows;
  for (const char* file : {"fork_server.py", "box.py", "driver.py", "float8.py", "fused.py", "generated.py",
                           "inductor_files.py", "layouts.py", "varied.py"})
    shows.push_back(files.folder / file);
  shows.insert(shows.end(), files.prepare.begin(), files.prepare.end());
  auto inner = parent_process(files, fork_mode(box.level), env);
  inner.pass_fds = {{theirs.get(), server_fd}};
  if (!device.uuid.empty())
    show_device(device, inner, box, shows);
  auto spec = nesting_python(std::move(inner), box, shows);
  if (!spec)
    return spec.error();
  std::promise<status> started;
  auto begun = started.get_future();
  s->thread = std::thread{[raw = s.get(), spec = std::move(*spec), &started] { raw->run(spec, started); }};
  auto good = begun.get();
  std::shared_ptr<python_parent> made{new python_parent{std::move(s)}};
  if (!good)
    return good.error();
  return made;
}

result<std::shared_ptr<python_parent>> python_parents::of(const backend& with, const std::string& sandbox,
                                                          const parent_device& device) {
  std::lock_guard lock{mutex_};
  auto& known = by_folder_[with.folder.string() + '\0' + sandbox + '\0' + device.uuid];
  if (!known || !known->alive()) {
    auto started = python_parent::start(python_files_of(with), sandbox, with.environment, device);
    if (!started)
      return started.error();
    known = std::move(*started);
  }
  return known;
}

} // namespace ke
