#pragma once

#include "actors/campaign/campaign_actor.hpp"
#include "actors/coordinator/client_acts.hpp"
#include "actors/coordinator/store_owner.hpp"
#include "actors/knowledge/library.hpp"
#include "actors/llm/provider_pool.hpp"
#include "actors/supervision/supervisor.hpp"
#include "backends/evaluation/backend.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/work_thread.hpp"
#include "runtime/llm/http_service.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/store/store_service.hpp"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace ke {

struct problem;

/// The owner of a store: services, root supervisor and campaigns of one process. Any thread. The destructor
/// stops everything in order and closes the store.
///
///   root             rest_for_one
///   ├─ synthesizer   first: whatever crashes later costs no paid call
///   ├─ gateway
///   ├─ fleet
///   ├─ local_worker
///   ├─ evaluator
///   ├─ control
///   └─ campaigns     each a supervisor (rest_for_one) of its campaign actor and node_supervisors
class coordinator : public store_owner {
public:
  static result<std::unique_ptr<coordinator>> start(coordinator_options options);
  ~coordinator() override;

  /// Starts a campaign, or resumes the newest one of this name unless `fresh`. `done` gets the id once it is
  /// committed. `invalid`: the stored one is for another problem.
  void submit(campaign_settings settings, problem what, bool fresh,
              std::function<void(result<std::uint32_t>)> done);
  result<std::uint32_t> submit(campaign_settings settings, const problem& what, bool fresh) override;
  campaign_outcome wait(std::uint32_t id) override;
  void interrupt_all() override;
  /// One act of steering; `done` once committed, or with why when that takes too long. Any thread.
  void steer_campaign(std::uint32_t id, std::string act, std::string key, std::string value,
                      std::function<void(status)> done);
  /// {"live": true, "campaigns": [...]}, within two seconds; leaves out campaigns that have not answered by
  /// then.
  void status_json(std::function<void(std::string)> done);
  /// The id of a running campaign: by name, or the only one.
  result<std::uint32_t> find_running(const std::string& name) const;

  caf::actor_system& system() { return *system_; } ///< for a stand-in evaluator
  store_service& store() override { return *store_; }
  client_acts& acts() { return *acts_; }
  const std::string& store_dir() const { return options_.store; }
  const std::shared_ptr<directory>& names() const { return names_; }
  const std::vector<backend>& backends() const { return backends_; }
  void publish(const std::string& line);
  /// Adds a listener for events; the returned number removes it.
  std::uint64_t subscribe(std::function<void(const std::string&)> listener);
  void unsubscribe(std::uint64_t number);

private:
  coordinator(coordinator_options options);
  void troubled(const failure& why);
  void give_up(const failure& why);
  status open_store();
  status open_wire();
  result<listen_options> listening() const;
  /// Logs why a supervisor's child has failed.

  // -- coordinator_children.cpp: who is started, in this order --------------------------------------

  void start_root();
  child_spec synthesizer_child();
  child_spec gateway_child();
  child_spec fleet_child();
  child_spec local_worker_child();
  child_spec evaluator_child();
  child_spec knowledge_child();
  child_spec control_child();

  // -- coordinator_campaigns.cpp: submissions, and what a campaign is started with ------------------

  void begin_submission(campaign_settings settings, problem what, bool fresh,
                        std::function<void(result<std::uint32_t>)> done);
  bool join_submission(const std::string& name, const std::string& problem_digest,
                       const std::function<void(result<std::uint32_t>)>& done);
  result<std::uint32_t> resume_present(const campaign_row& present, const campaign_settings& settings,
                                       const problem& what, const std::string& problem_digest);
  void start_campaign(std::uint32_t id, const campaign_settings& settings, const problem& what,
                      const std::string& problem_digest);
  std::shared_ptr<const embedding_settings> embeddings_of(const campaign_settings& settings);
  void start_children(std::uint32_t id, const std::string& name, std::vector<child_spec> children);
  campaign_options options_of(std::uint32_t id, const campaign_settings& settings, const problem& what);
  void read_campaign(std::uint32_t id, std::function<void(result<std::shared_ptr<stored_campaign>>)> done);

  struct running {
    std::string name;
    campaign_settings settings;
    std::optional<campaign_outcome> outcome;
  };

  coordinator_options options_;
  std::vector<backend> backends_;
  std::shared_ptr<library> library_;
  std::shared_ptr<directory> names_ = std::make_shared<directory>();
  std::shared_ptr<call_book> calls_ = std::make_shared<call_book>();
  std::unique_ptr<store_service> store_;
  std::unique_ptr<work_thread> files_; ///< reads campaigns, writes images
  std::unique_ptr<process_service> processes_;
  std::unique_ptr<client_acts> acts_; ///< where submissions are made, too
  std::unique_ptr<http_service> http_;
  std::shared_ptr<provider_pool> providers_;
  std::string control_endpoint_, worker_endpoint_;
  std::unique_ptr<caf::actor_system_config> config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::actor root_;

  mutable std::mutex mutex_;
  failure trouble_; ///< a full disk, for as long as it lasts
  std::condition_variable changed_;
  std::map<std::uint32_t, running> campaigns_;
  std::uint64_t interrupts_ = 0;
  std::map<std::uint64_t, std::function<void(const std::string&)>> listeners_;
  std::uint64_t next_listener_ = 1;

  /// A new campaign that waits for its commit. On the thread of client_acts only.
  struct submission {
    std::string name;
    std::string problem_digest;
    std::vector<std::function<void(result<std::uint32_t>)>> done;
  };
  std::map<std::uint32_t, submission> submissions_;
};

} // namespace ke
