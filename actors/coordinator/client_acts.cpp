#include "actors/coordinator/client_acts.hpp"

#include "knowledge/skills/shared_files.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/store/store_reader.hpp"
#include "runtime/store/store_share.hpp"

#include <exception>
#include <utility>

namespace ke {
namespace {

constexpr std::size_t most_readings = 4;

/// What a client sent may make any of this throw: an answer, never the end of the thread and the process.
void reply_with(const std::function<void(control_reply)>& reply, const std::function<control_reply()>& work) {
  try {
    reply(work());
  } catch (const std::exception& e) {
    reply(refusal(std::string{"the command could not be carried out: "} + e.what(), exit_usage));
  }
}

control_reply owner_ends() {
  return refusal("the owner of the store is ending: ask again when it runs", exit_interrupted);
}

control_reply merged(const std::string& dir, store_port& to, const std::string& file) {
  auto view = store_reader::open(dir);
  if (!view)
    return refusal(view.error().text, exit_code_of(view.error()));
  auto done = merge_into(*view, to, file, join_skills);
  if (done)
    return {merge_json(*done), exit_done};
  auto why = done.error();
  if (auto at = why.text.find(file); at != std::string::npos) // the client knows its own name for it
    why.text.replace(at, file.size(), "the export");
  return refusal(why.text, exit_code_of(why));
}

} // namespace

client_acts::client_acts(store_service& store, process_port& processes)
    : owned_{store}, processes_{processes}, lent_{store} {
  drop_handed_over(store.dir());
  drop_reading_folders(store.dir());
}

void client_acts::post(std::function<void()> work) {
  quick_.post([this, work = std::move(work)] {
    if (ended())
      return;
    try {
      work();
    } catch (const std::exception& e) {
      log::error("control", "a client's act could not be carried out", {{"why", e.what()}});
    }
  });
}

void client_acts::merge(std::string file, std::function<void(control_reply)> reply) {
  merges_.post([this, file = std::move(file), reply = std::move(reply)] {
    if (ended())
      return reply(owner_ends());
    reply_with(reply, [&] { return merged(owned_.dir(), lent_, file); });
  });
}

void client_acts::read(reading_request what, std::function<void(control_reply)> reply) {
  {
    std::lock_guard lock{mutex_};
    if (!ended_ && readings_ >= most_readings) {
      waiting_.push_back({std::move(what), std::move(reply)});
      return;
    }
    if (!ended_)
      ++readings_;
  }
  if (ended())
    return reply(owner_ends());
  begin_reading({std::move(what), std::move(reply)});
}

void client_acts::begin_reading(reading r) {
  auto child = std::make_shared<reading_child>();
  try {
    if (auto ready = child->prepare(owned_.dir(), r.what); !ready) {
      r.reply(refusal(ready.error().text, exit_code_of(ready.error())));
      return reading_over();
    }
  } catch (const std::exception& e) {
    r.reply(refusal(std::string{"the command could not be carried out: "} + e.what(), exit_usage));
    return reading_over();
  }
  processes_.run(std::move(child->spec), [this, child, reply = std::move(r.reply)](process_exit how) mutable {
    auto ended = std::make_shared<process_exit>(std::move(how));
    quick_.post([this, child = std::move(child), reply = std::move(reply), ended] {
      reply_with(reply, [&] { return child->answer(*ended); });
      reading_over();
    });
  });
}

void client_acts::reading_over() {
  reading next;
  {
    std::lock_guard lock{mutex_};
    --readings_;
    if (ended_ || waiting_.empty())
      return;
    next = std::move(waiting_.front());
    waiting_.pop_front();
    ++readings_;
  }
  begin_reading(std::move(next));
}

bool client_acts::ended() {
  std::lock_guard lock{mutex_};
  return ended_;
}

void client_acts::end() {
  std::deque<reading> waiting;
  {
    std::lock_guard lock{mutex_};
    ended_ = true;
    waiting.swap(waiting_);
  }
  for (auto& r : waiting)
    r.reply(owner_ends());
  lent_.end();
  quick_.wait();
  merges_.wait();
}

} // namespace ke
