#include "backends/judge/drivers/driver_process.hpp"

#include "backends/judge/drivers/driver_process_state.hpp"
#include "backends/judge/thread_filters.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/seccomp_filter.hpp"

namespace ke {

/// What the kernel itself may hold for a candidate beside what has a limit of its own: stacks of threads,
/// page tables, descriptors.
constexpr std::uint64_t kernel_share = 128u << 20;

/// A process of the warm parent.
status driver_process::state::fork(int memory, int go_read, int done_write) {
  fork_request what;
  what.parent = how.warm_parent;
  what.memory = memory;
  what.go = go_read;
  what.done = done_write;
  what.page = page ? page->descriptor() : -1;
  what.payload = how.payload;
  what.processes = how.processes;
  what.address_space = most_space();
  what.file_bytes = std::max<std::uint64_t>(how.scratch_bytes, how.memory);
  what.scratch_bytes = how.scratch_bytes;
  what.descriptors = how.descriptors;
  what.inodes = how.inodes;
  auto made = warm_fork::ask(what);
  if (!made)
    return made.error();
  forked.emplace(std::move(*made));
  process = std::move(forked->process);
  forked->process.pidfd.reset(fcntl(process.pidfd.get(), F_DUPFD_CLOEXEC, 3));
  auto own = "/proc/" + std::to_string(process.pid);
  inside.reset(::open((own + "/mem").c_str(), O_RDWR | O_CLOEXEC));
  writable = static_cast<bool>(inside);
  if (!writable)
    inside.reset(::open((own + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  pages.reset(::open((own + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC));
  if (together)
    together->adopt(process.pid);
  base_memory = forked->base_bytes;
  base_own = memory_of(process.pid).own;
  group.emplace(process.pid);
  return ok;
}

driver_process::driver_process(std::unique_ptr<state> s) : state_{std::move(s)} {}
driver_process::~driver_process() = default;
bool driver_process::readable() const {
  return static_cast<bool>(state_->inside);
}
bool driver_process::read_memory(std::uint64_t address, char* to, std::size_t bytes) const {
  return read_all(state_->inside.get(), address, to, bytes);
}
std::uint64_t driver_process::unwritten(std::uint64_t address, std::uint64_t bytes) const {
  return state_->pages ? unwritten_pages(state_->pages.get(), address, bytes) : 0;
}
bool driver_process::write_memory(std::uint64_t address, const char* from, std::size_t bytes) const {
  return state_->writable && write_all(state_->inside.get(), address, from, bytes);
}
std::vector<page_run> driver_process::own_pages() const {
  return state_->pages ? own_pages_of(state_->process.pid, state_->pages.get()) : std::vector<page_run>{};
}
bool driver_process::owns_page(std::uint64_t address) const {
  return state_->pages && is_own_page(state_->pages.get(), address);
}
bool driver_process::held() const {
  return state_->dead || state_->group->held();
}
const std::string& driver_process::log() const {
  return state_->log;
}

result<std::unique_ptr<driver_process>> driver_process::start(const driver_start& how, int memory) {
  adopt_orphans();
  auto s = std::make_unique<state>();
  s->how = how;
  if (how.device) {
    auto page = device_page::make();
    if (!page)
      return page.error();
    s->page.emplace(*std::move(page));
  }
  unique_fd go_read;
  auto orders = order_pipe::make(go_read);
  if (!orders)
    return orders.error();
  s->go = std::move(*orders);
  int done[2];
  if (pipe2(done, O_CLOEXEC) != 0)
    return machine_failure("make a pipe");
  s->done.reset(done[0]);
  unique_fd done_write{done[1]};
  fcntl(s->done.get(), F_SETFL, O_NONBLOCK);

  if (auto made = memory_cgroup::make(how.memory_bytes + how.memory + 2 * how.scratch_bytes + kernel_share))
    s->together.emplace(std::move(*made));
  auto begun = how.warm_parent >= 0 ? s->fork(memory, go_read.get(), done_write.get())
                                    : s->box(memory, go_read.get(), done_write.get());
  if (!begun)
    return begun.error();
  if (s->forked) { // the end of a fork must close the pipes; that of a sandbox is seen without
    go_read.reset();
    done_write.reset();
  }
  return std::unique_ptr<driver_process>{new driver_process{std::move(s)}};
}

namespace {

std::map<std::string, std::string> thread_settings(std::int64_t threads) {
  return {{"OMP_NUM_THREADS", std::to_string(threads)},
          {"OMP_WAIT_POLICY", "passive"},
          {"OMP_DYNAMIC", "false"},
          {"OPENBLAS_NUM_THREADS", std::to_string(threads)}};
}

/// Where `best` had to do without it, the child is the driver itself.
bool runs_bubblewrap(const process_spec& spec) {
  return std::any_of(spec.argv.begin(), spec.argv.end(),
                     [](const std::string& word) { return word == "bwrap" || word.ends_with("/bwrap"); });
}

/// What a device's driver needs beside an object and an arena.
void give_device(const device_access& device, const std::string& cpus, const driver_start& how, int page,
                 process_spec& inner, sandbox_spec& walls) {
  inner.argv = {how.driver, how.object, std::to_string(device.number), cpus,
                std::to_string(device.arena_bytes)};
  inner.env["KE_LIBCUDA"] = device.library;
  inner.env["CUDA_VISIBLE_DEVICES"] = device.uuid;
  if (!device.folders.empty())
    inner.env["LD_LIBRARY_PATH"] = device.folders.front(); // its compiler of PTX lies beside it
  inner.pass_fds.emplace_back(page, wire::words_fd);
  inner.memory_bytes = std::max(how.memory_bytes, device.address_bytes) + device.arena_bytes;
  walls.devices = device.nodes;
  walls.writes_proc = true;
  for (const auto& folder : device.folders)
    walls.read_only.emplace_back(folder, folder);
}

} // namespace

/// The driver's program in a sandbox.
status driver_process::state::box(int memory, int go_read, int done_write) {
  process_spec inner;
  std::string cpus;
  for (int cpu : how.cpus)
    cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
  inner.argv = {how.driver, how.object, cpus, how.fast_math ? "fast" : "exact"};
  inner.env = thread_settings(how.threads);
  inner.pass_fds = {{memory, wire::memory_fd}, {go_read, wire::go_fd}, {done_write, wire::done_fd}};
  auto level = parse_name<sandbox_level>(how.sandbox).value_or(sandbox_level::full);
  auto loading_filter = kernel_filter(kernel_stage::loading),
       calling_filter = kernel_filter(kernel_stage::calling);
  confined = loading_filter && calling_filter;
  if (!confined && level == sandbox_level::full)
    return loading_filter ? calling_filter.error() : loading_filter.error();
  if (confined) {
    inner.pass_fds.emplace_back(loading_filter->get(), wire::loading_filter_fd);
    inner.pass_fds.emplace_back(calling_filter->get(), wire::calling_filter_fd);
  }
  inner.memory_bytes = how.memory_bytes + how.memory;
  inner.file_bytes = how.scratch_bytes;
  sandbox_spec walls;
  walls.level = level;
  walls.read_only = {{how.driver, how.driver}};
  if (how.object != "-")
    walls.read_only.emplace_back(how.object, how.object);
  walls.scratch_bytes = how.scratch_bytes;
  walls.processes = how.processes;
  walls.descriptors = how.descriptors;
  if (how.device)
    give_device(*how.device, cpus, how, page->descriptor(), inner, walls);
  return enter(std::move(inner), walls);
}

status driver_process::state::enter(process_spec inner, const sandbox_spec& walls) {
  auto spec = sandboxed(std::move(inner), walls);
  if (!spec)
    return spec.error();
  boxed = runs_bubblewrap(*spec);
  if (together)
    spec->cgroup = together->entrance();
  auto started = spawn(*spec);
  if (!started)
    return started.error();
  process = std::move(*started);
  group.emplace(process.pid, boxed);
  return ok;
}

/// How loading ended, in the words of who waited for it.
void driver_process::state::explain(call_outcome& loading, wire::answer said) {
  if (loading.end == call_end::timeout) {
    loading.end = begun ? call_end::timeout : call_end::machine;
    loading.why = (begun ? "loading the object did not end within " : "the sandbox did not start within ") +
                  std::to_string(static_cast<int>(how.load_s)) + " s";
  }
  if (loading.end == call_end::crashed)
    loading.why = "while the object was loaded: " + loading.why;
  if (loading.end == call_end::done && said == wire::answer::load_failed) {
    drain();
    loading = killed(call_end::load_failed, forked ? last_line() : log.substr(0, log.find('\n')));
  }
  if (loading.end == call_end::done && said == wire::answer::out_of_memory)
    loading = killed(call_end::resource_exceeded, "loading reached the memory limit of " +
                                                      std::to_string(how.memory_bytes >> 20) + " MiB");
  if (loading.end == call_end::done)
    if (auto limit = limit_told(said); limit.end != call_end::done)
      loading = std::move(limit);
}

call_outcome driver_process::load() {
  auto* s = state_.get();
  const auto& how = s->how;
  // Two answers: that the driver runs, which comes before any code of the candidate and so is the machine's
  // own word, and that the object is loaded.
  wire::done message;
  double until = driver_now_ns() + how.load_s * 1e9;
  auto loading = s->wait(0, until, message);
  if (loading.end == call_end::done && message.what != wire::answer::started)
    loading =
        s->killed(call_end::machine, "the filter of system calls cannot be put in place inside the sandbox");
  s->begun = loading.end == call_end::done;
  if (s->begun) {
    s->watch_holdings();
    loading = s->wait(0, until, message);
  }
  s->explain(loading, message.what);
  // A second "started", say, is not "ready": the process would be stopped before it confined itself.
  if (loading.end == call_end::done && message.what != wire::answer::ready)
    loading = s->killed(call_end::forged, "an answer that no driver gives while it loads");
  loading.left = message.left;
  if (loading.end == call_end::done)
    if (auto stopped = s->stop(); !stopped)
      loading = s->killed(call_end::resource_exceeded, "the process could not be stopped after loading");
  if (loading.end == call_end::done)
    if (auto held = s->held_too_much(true); !held.empty())
      loading = s->killed(call_end::resource_exceeded, std::move(held));
  // A device's driver keeps to itself: nothing in its process is a candidate's.
  if (loading.end == call_end::done && s->confined && !how.device)
    if (auto what = left_by_loading(s->group->members()); !what.empty())
      loading = s->killed(call_end::forbidden, "loading left " + what);
  return loading;
}

call_outcome driver_process::go(const call_order& what, double limit_s, const call_watch& watch) {
  auto& s = *state_;
  call_outcome out;
  if (s.dead) {
    out.end = call_end::crashed;
    out.why = "the process had ended before the call";
    return out;
  }
  ++s.sequence;
  if (!s.group->held())
    return s.killed(call_end::forged, "it ran between two calls although it was stopped");
  if (s.answered_unasked())
    return s.killed(call_end::forged, "an answer before the order");
  s.open.cpu_before = s.group->cpu_seconds();
  // Before it wakes: what a handler of the wake-up or another thread does is paid for.
  s.open.start = driver_now_ns();
  s.group->resume();
  if (auto sent = s.send(what); sent.end != call_end::done)
    return sent;
  state::appointment midway{};
  if (watch.midway)
    midway = {s.open.start + watch.after_s * 1e9, [&] { watch.midway(s.go.begun(what)); }};
  out = s.wait(s.sequence, s.open.start + limit_s * 1e9, s.open.message, std::move(midway));
  s.open.end = driver_now_ns();
  if (out.end == call_end::timeout)
    out.why = "a call did not end within " + std::to_string(limit_s).substr(0, 5) + " s" +
              (s.forked && s.sequence == 1 ? "; the first one includes what the candidate compiles" : "");
  if (out.end != call_end::done)
    return out;
  s.open.cpu_done = s.group->cpu_seconds();
  out.ns = s.open.end - s.open.start;
  return out;
}

void driver_process::close(call_outcome& call) {
  auto& s = *state_;
  const auto& message = s.open.message;
  s.awake = false;
  if (s.page)
    s.open.cpu_done = s.group->cpu_seconds();
  if (auto stopped = s.stop(); !stopped) {
    call = s.killed(call_end::resource_exceeded,
                    "the candidate's processes could not be stopped after the call");
    return;
  }
  double gap_s = (driver_now_ns() - s.open.end) * 1e-9;
  if (auto bad = s.answered(message); bad.end != call_end::done) {
    call = std::move(bad);
    return;
  }
  if (message.what == wire::answer::wrong_form) {
    s.drain();
    call.why = s.last_line();
  }
  call.driver_ns = static_cast<double>(message.took_ns);
  call.left = message.left;
  call.cpu_s = s.open.cpu_done - s.open.cpu_before;
  auto until_now = s.group->cpu_seconds();
  call.awake_s = until_now - s.open.cpu_before;
  // No work left out by "done" can have taken longer than the stop did: threads side by side count once.
  call.late_s = std::min(until_now - s.open.cpu_done, gap_s);
}

} // namespace ke
