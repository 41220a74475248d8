#include "actors/campaign/evaluator.hpp"
#include "actors/coordinator/control.hpp"
#include "actors/coordinator/control_commands.hpp"
#include "actors/coordinator/coordinator.hpp"
#include "actors/fleet/fleet.hpp"
#include "actors/fleet/gateway.hpp"
#include "actors/fleet/local_worker.hpp"
#include "actors/knowledge/skill_learner.hpp"
#include "actors/llm/synthesizer.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/supervision/named_child.hpp"
#include "actors/supervision/supervisor.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/llm/providers.hpp"
#include "runtime/process/self_process.hpp"
#include "runtime/records/recorded_answers.hpp"

namespace ke {

void coordinator::start_root() {
  std::vector<child_spec> children;
  children.push_back(synthesizer_child());
  if (!options_.durable_only) {
    children.push_back(gateway_child());
    children.push_back(fleet_child());
    if (options_.cluster.local_worker)
      children.push_back(local_worker_child());
    children.push_back(evaluator_child());
    children.push_back(knowledge_child());
    children.push_back(control_child());
  }
  supervisor_options o;
  o.name = "root";
  o.strategy = restart_strategy::rest_for_one;
  o.seed = store_->epoch();
  o.on_failure = log_child_failure;
  root_ = system_->spawn(supervisor, std::move(children), std::move(o));
  root_->attach_functor([this](const caf::error& why) {
    if (is_normal(why))
      return;
    failure failed{failure_kind::internal, text_of(why), false};
    give_up(failed);
    if (options_.trouble)
      options_.trouble(failed);
  });
}

child_spec coordinator::synthesizer_child() {
  synthesizer_options o;
  o.names = names_;
  o.find = [this](std::uint32_t campaign, const std::string& name) -> std::optional<model_settings> {
    std::lock_guard lock{mutex_};
    auto c = campaigns_.find(campaign);
    if (c != campaigns_.end())
      for (const auto& m : c->second.settings.models)
        if (m.name == name)
          return m;
    return std::nullopt;
  };
  o.calls = calls_;
  o.providers = providers_ = std::make_shared<provider_pool>([this](const model_settings& m) {
    provider_services services;
    services.http = http_.get();
    services.process = processes_.get();
    services.record = [calls = calls_, store = store_.get()](const raw_answer& a) {
      calls->record(*store, a);
    };
    if (traits_of(m.provider).body == body_form::recorded &&
        std::filesystem::exists(std::filesystem::path{m.dir} / "STORE"))
      services.replay = recorded_answers(m.dir);
    return make_provider(m, services);
  });
  o.seed = store_->epoch();
  return named_child(names_, addresses::synthesizer,
                     [o](caf::event_based_actor* self) { return self->spawn(synthesizer, o); });
}

child_spec coordinator::gateway_child() {
  gateway_options o;
  o.names = names_;
  o.listen = [this](transport_events events) -> result<std::shared_ptr<transport_port>> {
    auto how = listening();
    if (!how)
      return how.error();
    auto opened = transport::listen(std::move(*how), std::move(events));
    if (!opened)
      return opened.error();
    return std::shared_ptr<transport_port>{std::move(*opened)};
  };
  return named_child(names_, addresses::gateway,
                     [o](caf::event_based_actor* self) { return self->spawn(gateway, o); });
}

child_spec coordinator::fleet_child() {
  fleet_options o;
  o.names = names_;
  o.store = store_.get();
  o.store_id = store_->id();
  o.key = store_->warrant_key();
  o.epoch = store_->epoch();
  return named_child(names_, addresses::fleet,
                     [o](caf::event_based_actor* self) { return self->spawn(fleet, o); });
}

child_spec coordinator::local_worker_child() {
  local_worker_options o;
  o.processes = processes_.get();
  o.argv = {self_path().string(),
            "worker",
            "--connect",
            worker_endpoint_,
            "--name",
            "local",
            "--sandbox",
            options_.sandbox,
            "--cache",
            (std::filesystem::path{store_->dir()} / "cache").string(),
            "--lifeline"};
  for (const auto& p : options_.backend_paths)
    o.argv.insert(o.argv.end(), {"--backend-path", p.string()});
  o.on_missing = [this](failure why) {
    if (options_.trouble)
      options_.trouble(why);
  };
  return named_child(names_, addresses::local_worker,
                     [o](caf::event_based_actor* self) { return self->spawn(local_worker, o); });
}

child_spec coordinator::evaluator_child() {
  evaluator_options o;
  o.names = names_;
  o.store = store_.get();
  o.store_id = store_->id();
  for (const auto& b : backends_)
    o.limits[b.name] = b.limits;
  return named_child(names_, addresses::evaluator,
                     [o](caf::event_based_actor* self) { return self->spawn(evaluator, o); });
}

child_spec coordinator::knowledge_child() {
  knowledge_options o;
  o.names = names_;
  o.store = store_.get();
  o.http = http_.get();
  o.store_id = store_->id();
  o.shelf = library_;
  o.written = library_->now();
  return named_child(names_, addresses::knowledge,
                     [o](caf::event_based_actor* self) { return self->spawn(knowledge, o); });
}

child_spec coordinator::control_child() {
  control_options o;
  o.names = names_;
  o.carry_out = [this](control_request request) { carry_out(*this, std::move(request)); };
  o.subscribe = [this](std::function<void(const std::string&)> listener) -> std::function<void()> {
    auto number = subscribe(std::move(listener));
    return [this, number] { unsubscribe(number); };
  };
  return named_child(names_, addresses::control,
                     [o](caf::event_based_actor* self) { return self->spawn<caf::detached>(control, o); });
}

} // namespace ke
