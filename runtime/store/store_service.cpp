#include "runtime/store/store_service.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/hex.hpp"
#include "runtime/core/wall_clock.hpp"
#include "runtime/observe/counters.hpp"
#include "runtime/observe/failpoint.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/store/batch_apply.hpp"
#include "runtime/store/environment.hpp"
#include "runtime/store/group_window.hpp"
#include "runtime/store/opening.hpp"
#include "runtime/store/row_read.hpp"
#include "runtime/store/store_check.hpp"
#include "runtime/store/store_queue.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

namespace ke {
namespace {

using steady = std::chrono::steady_clock;

/// How long a batch that nobody waits for waits for company.
constexpr auto patience = std::chrono::milliseconds{20};
constexpr auto dead_reader_period = std::chrono::hours{1};

std::string random_id() {
  std::random_device device;
  std::string bytes;
  while (bytes.size() < 16)
    bytes += static_cast<char>(device());
  return to_hex(bytes);
}

/// LMDB reports a write that a full disk cut short as EIO.
bool file_system_full(const std::string& dir, std::size_t wanted) {
  struct statvfs fs{};
  return ::statvfs(dir.c_str(), &fs) == 0 &&
         static_cast<std::uint64_t>(fs.f_bavail) * fs.f_frsize < wanted + (1u << 20);
}

} // namespace

/// The store thread and its queue.
class store_service::writer {
public:
  writer(store_options options, owner_lock lock, std::shared_ptr<environment> env)
      : options_{std::move(options)}, lock_{std::move(lock)}, env_{std::move(env)}, dir_{env_->dir()} {}
  ~writer() { close(); }

  /// Older rows are brought forward first: nothing else reads or writes them.
  status bring_forward(const std::optional<store_identity>& file) {
    result<store_identity> identity = failure{};
    {
      transaction txn{*env_, transaction::kind::read};
      if (int rc = txn.begin())
        return store_failure(rc, "opened", dir_);
      identity = read_meta<store_identity>(txn, "identity");
    }
    if (!identity || identity->schema >= options_.schema)
      return ok; // `prepare` judges it
    if (auto same = opening::check_identity(dir_, file, *identity, options_.schema); !same)
      return same;
    return migrate(*env_, *identity, options_.schema, options_.steps);
  }

  int commit_first(transaction& txn, const store_identity& identity) {
    int rc = put_meta(txn, "identity", pack(identity));
    if (rc == 0)
      rc = put_meta(txn, "epoch", pack(epoch_));
    if (rc == 0)
      rc = put_meta(txn, "warrant_key", pack(warrant_key_));
    if (rc == 0)
      rc = put_meta(txn, "program", pack(options_.program));
    if (rc == 0)
      rc = positions_.load(txn);
    if (rc == 0)
      rc = txn.commit();
    return rc == 0 ? env_->keep_length() : rc;
  }

  /// The first transaction: identity, epoch, positions; then the thread may start.
  status prepare(const std::optional<store_identity>& file) {
    if (auto forward = bring_forward(file); !forward)
      return forward;
    transaction txn{*env_, transaction::kind::write};
    if (int rc = txn.begin())
      return store_failure(rc, "opened", dir_);
    auto identity = read_meta<store_identity>(txn, "identity");
    if (!identity && identity.error().kind != failure_kind::not_found)
      return opening::damaged(dir_, identity.error().text);
    if (!identity) {
      if (file) // STORE was written after the first commit
        return opening::damaged(dir_, "its identity is gone from data.mdb");
      identity = store_identity{random_id(), options_.schema, unix_ms_now(), options_.program};
    }
    if (auto same = opening::check_identity(dir_, file, *identity, options_.schema); !same)
      return same;
    id_ = identity->id;
    auto epoch = read_meta<std::uint64_t>(txn, "epoch");
    if (!epoch && epoch.error().kind != failure_kind::not_found)
      return opening::damaged(dir_, epoch.error().text);
    epoch_ = (epoch ? *epoch : 0) + 1;
    auto key = read_meta<std::string>(txn, "warrant_key");
    if (!key && key.error().kind != failure_kind::not_found)
      return opening::damaged(dir_, key.error().text);
    warrant_key_ = key ? *key : random_key();
    if (int rc = commit_first(txn, *identity))
      return store_failure(rc, "written", dir_);
    if (!file || file->schema != identity->schema)
      if (auto written = opening::write_identity(dir_, *identity); !written)
        return written;
    owner_ = owner_lock::self(options_.socket);
    if (auto written = lock_.write(owner_); !written)
      return written;
    started_ = true;
    thread_ = std::thread{[this] { run(); }};
    return ok;
  }

  void add(store_operation op) {
    bool due = false;
    {
      std::lock_guard lock{guard_};
      auto was_due = queue_.is_due();
      queue_.add(std::move(op));
      due = asleep_ || (queue_.is_due() && (!was_due || queue_.awaited() >= window_.enough()));
    }
    if (due)
      wake_.notify_all();
  }

  void ask(store_question question) {
    store_operation op;
    op.question = std::move(question);
    add(std::move(op));
  }

  void retry_now() {
    {
      std::lock_guard lock{guard_};
      retry_ = true;
    }
    wake_.notify_all();
  }

  status announce(const std::string& socket) {
    std::lock_guard lock{record_guard_};
    owner_.socket = socket;
    return lock_.write(owner_);
  }

  figures now() const {
    std::lock_guard lock{guard_};
    auto f = figures_;
    f.queued = queue_.size();
    return f;
  }

  const std::string& id() const { return id_; }
  const std::string& dir() const { return dir_; }
  std::uint64_t epoch() const { return epoch_; }
  const std::string& warrant_key() const { return warrant_key_; }

private:
  template <class T>
  static result<T> read_meta(transaction& txn, std::string_view key) {
    std::string_view row;
    if (int rc = txn.get(table::meta, key, row))
      return failure{classify(rc) == store_error::missing ? failure_kind::not_found : failure_kind::corrupt,
                     error_text(rc)};
    auto body = unseal(table::meta, key, row);
    if (!body)
      return body.error();
    return unpack<T>(*body);
  }

  static int put_meta(transaction& txn, std::string_view key, const std::string& body) {
    return txn.put(table::meta, key, seal(table::meta, key, body));
  }

  // -- the thread ---------------------------------------------------------------------------------

  void run() {
    static auto& waiting = counters::get("store.waiting");
    auto readers_checked = steady::now();
    env_->drop_dead_readers();
    for (auto group = next_group(); !group.empty(); group = next_group()) {
      waiting = static_cast<std::int64_t>(group.size());
      auto awaited = static_cast<std::size_t>(
          std::count_if(group.begin(), group.end(), [](auto& op) { return op.is_awaited(); }));
      auto writing = writes(group);
      auto begun = steady::now();
      serve(group);
      waiting = 0;
      if (trace::on())
        trace::span("store", (writing ? "transaction of " : "questions: ") + std::to_string(group.size()),
                    begun, steady::now());
      if (writing) {
        std::lock_guard lock{guard_};
        window_.served(awaited, steady::now() - begun);
      }
      if (steady::now() - readers_checked > dead_reader_period) {
        env_->drop_dead_readers();
        readers_checked = steady::now();
      }
    }
  }

  /// Sleeps until there is something to do. Empty: the store closes, and all is done.
  std::deque<store_operation> next_group() {
    std::unique_lock lock{guard_};
    auto is_due = [&] { return stopping_ || queue_.is_due(); };
    // A first wait with a limit, so that a batch that nobody waits for need not wake the thread.
    while (!wake_.wait_for(lock, patience, is_due) && queue_.empty()) {
      asleep_ = true;
      wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      asleep_ = false;
    }
    if (auto pause = window_.wait_with(queue_.awaited()); queue_.awaited() > 0 && pause.count() > 0)
      wake_.wait_for(lock, pause, [&] { return stopping_ || queue_.awaited() >= window_.enough(); });
    auto late = left_since_ && steady::now() - *left_since_ >= patience;
    auto group = queue_.take(stopping_ || late || !queue_.is_due());
    if (queue_.empty() || writes(group))
      left_since_.reset();
    else if (!left_since_)
      left_since_ = steady::now();
    return group;
  }

  void answer(std::vector<store_answer>& answers) {
    if (waiting_) {
      waiting_ = false;
      tell({failure_kind::none, {}});
    }
    failpoint::pass("store.before_callback");
    for (auto& a : answers)
      a();
  }

  /// A larger map, or an environment that LMDB has given up after a commit that failed late. What is wrong now, with
  /// `rc` 0 if nothing is.
  store_error mend(store_error kind, int& rc) {
    if (kind == store_error::map_full) {
      rc = env_->grow();
      return store_error::other;
    }
    rc = env_->reopen();
    return rc != 0 && classify(rc) != store_error::damaged ? store_error::disk_io : kind;
  }

  /// Brings a group to its end: committed, or refused for good.
  void serve(std::deque<store_operation>& group) {
    auto pause = options_.retry_first;
    // What is kept is a beginning of what was given: a record without the one before it would be another
    // story.
    if (unkept_ && writes(group))
      return refuse(group, *unkept_);
    for (;;) {
      std::vector<store_answer> answers;
      std::size_t bytes = 0;
      int rc = end_ ? 0 : attempt(group, answers, bytes);
      if (end_)
        return refuse(group, *end_);
      if (rc == 0)
        return answer(answers);
      auto kind = classify(rc);
      if (kind == store_error::map_full || kind == store_error::fatal) {
        kind = mend(kind, rc);
        if (rc == 0)
          continue;
      }
      if (kind == store_error::disk_full || kind == store_error::disk_io ||
          kind == store_error::short_of_means) {
        auto full = why_it_waits(kind, rc, bytes);
        if (!waiting_) {
          waiting_ = true;
          tell(full);
        }
        if (!wait(pause)) {
          if (writes(group))
            unkept_ = full;
          return refuse(group, full);
        }
        pause = std::min(pause * 2, options_.retry_ceiling);
        continue;
      }
      end_ = store_failure(rc, "written", dir_);
      tell(*end_);
      return refuse(group, *end_);
    }
  }

  failure why_it_waits(store_error kind, int rc, std::size_t bytes) const {
    if (kind == store_error::short_of_means)
      return {failure_kind::disk_full,
              "the store " + dir_ + " can't be written (" + error_text(rc) +
                  "): this machine is short of it; work goes on by itself once there is some again",
              true};
    auto space = kind == store_error::disk_full || file_system_full(dir_, bytes);
    return {failure_kind::disk_full,
            "the disk that holds the store " + dir_ +
                (space ? " is full; free some space and work goes on by itself"
                       : " does not take writes (" + error_text(rc) +
                             "); see the system's log; work goes on by itself once it does"),
            true};
  }

  /// Whether the store is still ours to write: every owner raises the epoch when it opens. The lock keeps a
  /// second one out; but a lock file can be removed, and not every file system keeps its word.
  std::optional<failure> taken_over(transaction& txn) const {
    auto epoch = read_meta<std::uint64_t>(txn, "epoch");
    if (!epoch)
      return opening::damaged(dir_, epoch.error().text);
    if (*epoch == epoch_)
      return std::nullopt;
    auto record = read_owner_record(dir_);
    return failure{failure_kind::held,
                   "the store " + dir_ + " was taken over by another owner" +
                       (record && !record->closed && record->pid != ::getpid()
                            ? ", process " + std::to_string(record->pid) + " on host " + record->host
                            : std::string{}) +
                       ": this one writes nothing more and ends. Never remove owner.lock while a process "
                       "owns the store"};
  }

  int commit(transaction& txn) {
    if (options_.commit_fault)
      if (int rc = options_.commit_fault())
        return rc;
    failpoint::pass("store.before_commit");
    int rc = txn.commit();
    if (rc == 0)
      failpoint::pass("store.after_commit");
    return rc;
  }

  /// One transaction with the whole group. `answers` is what to call afterwards, in order.
  int attempt(std::deque<store_operation>& group, std::vector<store_answer>& answers, std::size_t& bytes) {
    bool writing = writes(group);
    transaction txn{*env_, writing ? transaction::kind::write : transaction::kind::read};
    if (int rc = txn.begin())
      return rc;
    if (writing && (end_ = taken_over(txn))) {
      tell(*end_);
      return 0;
    }
    auto next = positions_;
    std::uint64_t batches = 0;
    for (auto& op : group) {
      bytes += op.bytes;
      if (!op.batch) {
        answers.push_back(op.question.read(txn, dir_));
        continue;
      }
      auto wrong = fault_in(*op.batch);
      if (wrong.empty()) {
        if (int rc = apply(*op.batch, txn, next, dir_))
          return rc;
        ++batches;
      }
      answers.emplace_back([&op, how = wrong.empty() ? ok : status{failure{failure_kind::invalid, wrong}}] {
        if (op.done)
          op.done(how);
      });
    }
    if (int rc = writing ? commit(txn) : txn.commit(); rc != 0 || !writing)
      return rc;
    positions_ = std::move(next);
    env_->keep_length(); // if it fails, an unclean end will be verified: nothing is lost
    std::lock_guard lock{guard_};
    ++figures_.commits;
    figures_.batches += batches;
    return 0;
  }

  /// Sleeps until it is time to try again. False: the store is closing and has had its last try.
  bool wait(std::chrono::milliseconds pause) {
    std::unique_lock lock{guard_};
    if (stopping_ && last_try_)
      return false;
    wake_.wait_for(lock, pause, [&] { return retry_ || stopping_; });
    retry_ = false;
    last_try_ = stopping_;
    return true;
  }

  static bool writes(const std::deque<store_operation>& group) {
    return std::any_of(group.begin(), group.end(), [](auto& op) { return op.batch.has_value(); });
  }

  static void refuse(std::deque<store_operation>& group, const failure& why) {
    for (auto& op : group)
      if (!op.batch)
        op.question.refuse(why);
      else if (op.done)
        op.done(why);
  }

  void tell(const failure& trouble) {
    if (options_.on_trouble)
      options_.on_trouble(trouble);
  }

  void close() {
    if (!started_)
      return;
    {
      std::lock_guard lock{guard_};
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
    bool sound = !end_ && env_->keep_length() == 0;
    env_.reset();
    struct stat st{};
    if (!sound || ::stat((dir_ + "/data.mdb").c_str(), &st) != 0)
      return; // without a closing record the next owner verifies
    owner_record closing;
    closing.closed = true;
    closing.data_size = static_cast<std::uint64_t>(st.st_size);
    closing.data_changed_ns = st.st_mtim.tv_sec * 1'000'000'000ll + st.st_mtim.tv_nsec;
    std::lock_guard lock{record_guard_};
    static_cast<void>(lock_.write(closing));
  }

  store_options options_;
  std::mutex record_guard_; ///< of `lock_`'s record and `owner_`
  owner_lock lock_;
  owner_record owner_;
  std::shared_ptr<environment> env_;
  std::string dir_, id_;
  std::uint64_t epoch_ = 0;
  std::string warrant_key_;
  bool started_ = false;

  mutable std::mutex guard_; ///< of the next group
  std::condition_variable wake_;
  store_queue queue_;
  group_window window_;
  bool asleep_ = false; ///< any operation wakes the thread
  bool stopping_ = false, retry_ = false, last_try_ = false;
  figures figures_;

  // The thread's own.
  store_positions positions_;
  std::optional<steady::time_point> left_since_; ///< since when questions overtake a batch
  bool waiting_ = false;                         ///< for space
  std::optional<failure> unkept_;                ///< closing: why a group was not kept, and none after it is
  std::optional<failure> end_;                   ///< the store can't write any more
  std::thread thread_;
};

// -- store_service --------------------------------------------------------------------------------

store_service::store_service(std::unique_ptr<writer> w) : writer_{std::move(w)} {}
store_service::~store_service() = default;

result<std::unique_ptr<store_service>> store_service::open(store_options options) {
  if (options.create) {
    std::error_code error;
    bool made = std::filesystem::create_directories(options.dir, error);
    if (error)
      return failure{error == std::errc::no_space_on_device ? failure_kind::disk_full : failure_kind::invalid,
                     "the store directory " + options.dir + " can't be made (" + error.message() + ")"};
    if (made)
      ::chmod(options.dir.c_str(), 0700);
  }
  auto dir = opening::canonical(options.dir);
  if (!dir)
    return dir.error();
  if (auto fs = opening::check_file_system(*dir); !fs)
    return fs.error();
  if (!options.create && !std::filesystem::exists(*dir + "/STORE") &&
      !std::filesystem::exists(*dir + "/data.mdb"))
    return failure{failure_kind::not_found, "there is no store in " + *dir};
  auto lock = owner_lock::take(*dir);
  if (!lock)
    return lock.error();
  auto found = opening::inspect(*dir, false, options.schema);
  if (!found)
    return found.error();
  auto verify = options.verify ? options.verify : [](const std::string& d) { return verify_store(d); };
  if (auto verified = opening::verify_if_due(*dir, *found, verify); !verified)
    return verified.error();
  auto env = environment::open(*dir, environment::mode::owner, options.map_bytes);
  if (!env)
    return env.error();
  auto w = std::make_unique<writer>(std::move(options), std::move(*lock), std::move(*env));
  if (auto ready = w->prepare(found->identity); !ready)
    return ready.error();
  return std::unique_ptr<store_service>{new store_service{std::move(w)}};
}

void store_service::write(store_batch batch, std::function<void(status)> done) {
  store_operation op;
  op.bytes = size_of(batch);
  op.batch = std::move(batch);
  op.done = std::move(done);
  writer_->add(std::move(op));
}

void store_service::read(table where, std::string key, std::function<void(result<std::string>)> done) {
  store_question q;
  q.refuse = [done](const failure& why) { done(why); };
  q.touches = [where, key](const store_batch& b) { return writes_row(b, where, key); };
  q.read = [where, key = std::move(key), done = std::move(done)](transaction& txn,
                                                                 const std::string& dir) -> store_answer {
    auto found = read_row(txn, where, key, dir);
    return [found = std::move(found), &done]() mutable { done(std::move(found)); };
  };
  writer_->ask(std::move(q));
}

void store_service::read_blob(std::string digest, std::function<void(result<std::string>)> done) {
  store_question q;
  q.refuse = [done](const failure& why) { done(why); };
  q.touches = [digest](const store_batch& b) { return writes_blob(b, digest); };
  q.read = [digest = std::move(digest), done = std::move(done)](transaction& txn,
                                                                const std::string& dir) -> store_answer {
    auto found = ke::read_blob(txn, digest, dir);
    return [found = std::move(found), &done]() mutable { done(std::move(found)); };
  };
  writer_->ask(std::move(q));
}

void store_service::scan(table where, std::string prefix, std::string first, std::size_t limit,
                         std::function<void(result<std::vector<std::pair<std::string, std::string>>>)> done) {
  store_question q;
  q.refuse = [done](const failure& why) { done(why); };
  q.touches = [where, prefix](const store_batch& b) { return writes_rows(b, where, prefix); };
  q.read = [where, prefix = std::move(prefix), first = std::move(first), limit,
            done = std::move(done)](transaction& txn, const std::string& dir) -> store_answer {
    auto found = read_rows(txn, where, prefix, first, limit, dir);
    return [found = std::move(found), &done]() mutable { done(std::move(found)); };
  };
  writer_->ask(std::move(q));
}

void store_service::flush() {
  std::mutex guard;
  std::condition_variable changed;
  bool over = false;
  // Notified under the lock: the waiter's variables may not outlive it.
  write({}, [&](status) {
    std::lock_guard lock{guard};
    over = true;
    changed.notify_all();
  });
  std::unique_lock lock{guard};
  changed.wait(lock, [&] { return over; });
}

void store_service::retry_now() {
  writer_->retry_now();
}
status store_service::announce(const std::string& socket) {
  return writer_->announce(socket);
}
const std::string& store_service::id() const {
  return writer_->id();
}
const std::string& store_service::dir() const {
  return writer_->dir();
}
std::uint64_t store_service::epoch() const {
  return writer_->epoch();
}
const std::string& store_service::warrant_key() const {
  return writer_->warrant_key();
}
store_service::figures store_service::now() const {
  return writer_->now();
}

} // namespace ke
