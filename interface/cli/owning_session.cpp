#include "interface/cli/owning_session.hpp"

#include "actors/coordinator/store_owner.hpp"
#include "interface/cli/display.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/store/store_service.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <chrono>
#include <future>
#include <string>
#include <utility>

namespace ke::cli {

owning_session::owning_session(display& shown) : shown_{shown} {}
owning_session::~owning_session() = default;

status owning_session::start(const campaign_settings& settings, const start_options& o) {
  coordinator_options c;
  c.store = settings.store;
  c.cluster = settings.cluster;
  c.sandbox = o.sandbox;
  c.backend_paths.assign(o.backend_paths.begin(), o.backend_paths.end());
  c.publish = [this](const std::string& line) { shown_.event(line); };
  c.trouble = [this](const failure& why) {
    waiting_ = why.kind != failure_kind::none;
    if (waiting_)
      shown_.event(
          json_line(nlohmann::json{{"event", "trouble"}, {"kind", to_text(why.kind)}, {"text", why.text}}));
  };
  auto owner = store_owner::start(std::move(c));
  if (!owner)
    return owner.error();
  owner_ = std::move(*owner);
  signals_.emplace([this](int count) { signalled(count); });
  return ok;
}

void owning_session::signalled(int count) {
  interrupts_ = count;
  if (waiting_)
    stopped_waiting_ = true;
  if (count == 1)
    shown_.note("interrupted: finishing what runs; once more to stop at once");
  if (count >= 3)
    _exit(exit_interrupted);
  if (auto* lives = owner_.get()) // null while the store is being closed
    lives->interrupt_all();
}

result<owning_session::ended> owning_session::run(const campaign_settings& settings, const problem& what,
                                                  bool fresh) {
  auto id = owner_->submit(settings, what, fresh);
  if (!id)
    return id.error();
  return ended{*id, owner_->wait(*id)};
}

result<store_reader> owning_session::committed() {
  auto written = std::make_shared<std::promise<void>>();
  owner_->store().write({}, [written](status) { written->set_value(); });
  if (written->get_future().wait_for(std::chrono::seconds{5}) != std::future_status::ready)
    return failure{failure_kind::disk_full, "the store does not commit", true}; // the disk may be full by now
  return store_reader::open(owner_->store().dir());
}

void owning_session::close() {
  owner_.reset();
  signals_.reset();
}

} // namespace ke::cli
