#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/llm/provider_port.hpp"
#include "runtime/net/transport_port.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/process/process_port.hpp"
#include "runtime/store/store_port.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke::test {

/// A store in memory. Every batch is kept in order, so that a test can look at the store as a kill would have
/// left it after any of them. Callbacks come at once, or, while `hold` is set, when `release` is called. One
/// thread.
class memory_store : public store_port {
public:
  bool hold = false; ///< commits wait: nothing is durable, but reads see it
  std::vector<store_batch> batches;
  std::map<std::string, int> traps; ///< by key: so many reads throw into the actor that reads

  int fails_at_write = 0; ///< the n-th write from now throws into the actor that writes, and writes nothing

  void write(store_batch batch, std::function<void(status)> done = {}) override {
    if (fails_at_write > 0 && --fails_at_write == 0)
      throw std::runtime_error{"a bug while it wrote"};
    apply(batch);
    batches.push_back(std::move(batch));
    if (!done)
      return;
    if (hold)
      waiting_.push_back(std::move(done));
    else
      done(ok);
  }
  /// The batches held so far are committed.
  void release() {
    hold = false;
    while (!waiting_.empty()) {
      auto done = std::move(waiting_.front());
      waiting_.pop_front();
      done(ok);
    }
  }

  void read(table where, std::string key, std::function<void(result<std::string>)> done) override {
    if (auto t = traps.find(key); t != traps.end() && t->second > 0) {
      --t->second;
      throw std::runtime_error{"a bug while it read"};
    }
    done(get(where, key));
  }
  void read_blob(std::string digest, std::function<void(result<std::string>)> done) override {
    done(blob(digest));
  }
  void scan(table where, std::string prefix, std::string first, std::size_t limit,
            std::function<void(result<std::vector<std::pair<std::string, std::string>>>)> done) override {
    std::vector<std::pair<std::string, std::string>> rows;
    for (auto i = rows_[where].lower_bound(std::max(prefix, first));
         i != rows_[where].end() && rows.size() < limit; ++i)
      if (i->first.starts_with(prefix))
        rows.push_back(*i);
    done(std::move(rows));
  }

  // What store_reader offers, for read_stored_campaign.
  result<std::string> get(table where, const std::string& key) const {
    auto t = rows_.find(where);
    if (t == rows_.end() || !t->second.contains(key))
      return failure{failure_kind::not_found, "no such row"};
    return t->second.at(key);
  }
  template <class T>
  result<T> row(table where, const std::string& key) const {
    auto bytes = get(where, key);
    return bytes ? unpack<T>(*bytes) : result<T>{bytes.error()};
  }
  result<std::string> blob(const std::string& digest) const {
    auto b = blobs_.find(digest);
    if (b == blobs_.end())
      return failure{failure_kind::not_found, "no such blob"};
    return b->second;
  }
  template <class Visit>
  status journal(std::uint32_t campaign, std::uint64_t from, Visit visit) const {
    const auto& all = journal_of(campaign);
    for (auto n = from; n < all.size(); ++n)
      if (!visit(n, all[n]))
        break;
    return ok;
  }

  const std::vector<journal_record>& journal_of(std::uint32_t campaign) const {
    static const std::vector<journal_record> none;
    auto j = journals_.find(campaign);
    return j == journals_.end() ? none : j->second;
  }
  std::size_t count(std::uint32_t campaign, journal_kind kind) const {
    std::size_t n = 0;
    for (const auto& r : journal_of(campaign))
      n += r.kind == kind;
    return n;
  }

  /// The store as a kill after `n` batches leaves it.
  std::unique_ptr<memory_store> cut(std::size_t n) const {
    auto left = std::make_unique<memory_store>();
    for (std::size_t i = 0; i < n; ++i) {
      left->apply(batches[i]);
      left->batches.push_back(batches[i]);
    }
    return left;
  }

private:
  void apply(const store_batch& b) {
    for (const auto& [digest, bytes] : b.blobs)
      blobs_.emplace(digest, bytes);
    for (const auto& p : b.puts)
      rows_[p.where][p.key] = p.value;
    for (const auto& e : b.erases)
      rows_[e.where].erase(e.key);
    for (const auto& [campaign, record] : b.journal)
      journals_[campaign].push_back(record);
  }

  std::map<table, std::map<std::string, std::string>> rows_;
  std::map<std::string, std::string> blobs_;
  std::map<std::uint32_t, std::vector<journal_record>> journals_;
  std::deque<std::function<void(status)>> waiting_;
};

/// The calls of all providers of a test: each stays open until the test answers it, fails it, or it is
/// cancelled.
class scripted_models {
public:
  struct open_ask {
    std::uint64_t id = 0;
    std::string model;
    ask_request request;
    std::function<void(raw_answer)> done;
  };
  std::deque<open_ask> open;
  std::vector<std::string> asked; ///< calls, in their order
  std::vector<std::string> cancelled;
  std::function<void(const raw_answer&)> record; ///< as a real provider's: hears an answer before `done`
  bool crash_next = false;                       ///< the next `ask` throws, so its llm_request crashes

  std::unique_ptr<provider_port> connect(std::string model) {
    return std::make_unique<port>(*this, std::move(model));
  }

  void answer(std::string text) {
    auto a = take();
    raw_answer raw;
    raw.status = 200;
    raw.body = text;
    if (record) {
      raw.call = a.request.call;
      record(raw);
    }
    raw.reply.text = std::move(text);
    raw.reply.usage = raw.reply.told = {10, 20, 0, 0};
    raw.reply.meter = {bytes_of(a.request.prompt), raw.reply.text.size(), 0, true};
    finish(a, std::move(raw));
  }
  /// `told`, `meter`: what it has cost.
  void fail(failure why, std::optional<std::chrono::milliseconds> retry_after = {}, token_usage told = {},
            call_meter meter = {}) {
    auto a = take();
    raw_answer raw;
    raw.reply.usage = raw.reply.told = told;
    raw.reply.meter = meter;
    raw.why = raw.reply.why = std::move(why);
    raw.reply.retry_after = retry_after;
    finish(a, std::move(raw));
  }

private:
  struct port : provider_port {
    port(scripted_models& owner, std::string model) : owner{owner}, model{std::move(model)} {}
    std::uint64_t ask(ask_request request, std::function<void(raw_answer)> done) override {
      owner.asked.push_back(request.call);
      if (std::exchange(owner.crash_next, false))
        throw std::runtime_error{"the request fell over"};
      owner.open.push_back({++owner.last_, model, std::move(request), std::move(done)});
      return owner.last_;
    }
    void cancel(std::uint64_t id) override {
      for (auto a = owner.open.begin(); a != owner.open.end(); ++a)
        if (a->id == id) {
          auto gone = std::move(*a);
          owner.open.erase(a);
          owner.cancelled.push_back(gone.request.call);
          raw_answer raw;
          raw.why = raw.reply.why = {failure_kind::cancelled, "cancelled"};
          return finish(gone, std::move(raw));
        }
    }
    scripted_models& owner;
    std::string model;
  };

  open_ask take() {
    auto a = std::move(open.front());
    open.pop_front();
    return a;
  }
  static void finish(open_ask& a, raw_answer raw) {
    raw.id = a.id;
    raw.call = a.request.call;
    raw.seconds = 1;
    a.done(std::move(raw));
  }
  std::uint64_t last_ = 0;
};

/// Children that run until the test ends them.
class scripted_processes : public process_port {
public:
  struct child {
    std::uint64_t id = 0;
    process_spec spec;
    std::function<void(process_exit)> done;
  };
  std::deque<child> running;
  std::vector<std::uint64_t> cancelled;
  bool crash_next = false; ///< the next `run` throws, so the actor that asked crashes

  std::uint64_t run(process_spec spec, std::function<void(process_exit)> done) override {
    if (std::exchange(crash_next, false))
      throw std::runtime_error{"the device fell over"};
    running.push_back({++last_, std::move(spec), std::move(done)});
    return last_;
  }
  void cancel(std::uint64_t id) override {
    cancelled.push_back(id);
    process_exit how;
    how.signal = 9;
    how.cancelled = true;
    end(id, std::move(how));
  }
  void terminate(std::uint64_t) override {}

  /// Ends the child that runs for longest.
  void end_first(process_exit how) { end(running.front().id, std::move(how)); }

private:
  void end(std::uint64_t id, process_exit how) {
    for (auto c = running.begin(); c != running.end(); ++c)
      if (c->id == id) {
        auto gone = std::move(*c);
        running.erase(c);
        how.id = id;
        return gone.done(std::move(how));
      }
  }
  std::uint64_t last_ = 0;
};

/// One end of the wire: keeps what was sent, and says what the other end says.
class scripted_transport : public transport_port {
public:
  struct sent_blob {
    std::string peer, digest, bytes;
  };
  transport_events events;
  std::vector<frame> sent;
  std::vector<sent_blob> blobs;
  std::map<std::string, std::string> beats; ///< by peer
  std::string hello;

  void send(frame f) override { sent.push_back(std::move(f)); }
  void send_blob(std::string peer, std::string digest, std::string bytes) override {
    blobs.push_back({std::move(peer), std::move(digest), std::move(bytes)});
  }
  void set_beat(std::string peer, std::string body) override { beats[peer] = std::move(body); }
  void set_hello(std::string body) override { hello = std::move(body); }

  template <class T>
  std::vector<T> all(frame_kind kind, const std::string& peer = {}) const {
    std::vector<T> bodies;
    for (const auto& f : sent)
      if (f.kind == kind && f.peer == peer)
        if (auto body = wire::decode<T>(f.body))
          bodies.push_back(std::move(*body));
    return bodies;
  }
};

} // namespace ke::test
