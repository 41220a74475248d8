#include "actors/worker/worker_process.hpp"
#include "interface/cli/commands.hpp"
#include "runtime/observe/exit_codes.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace ke::cli {

void add_worker(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<worker_process_options>();
  auto* command = app.add_subcommand("worker", "Attach this machine's devices to a running coordinator");
  command->add_option("--connect", o->endpoint, "The coordinator: tcp://HOST:PORT or ipc://PATH")->required();
  command->add_option("--server-key", o->server_key,
                      "The coordinator's public key file (not needed on loopback and ipc)");
  command->add_option("--key", o->key, "This worker's key file");
  command->add_option("--name", o->name,
                      "This worker's name at the coordinator (default: host name and process)");
  command->add_option("--label", o->labels, "k=v, may be repeated");
  command->add_option("--backend-path", o->backend_paths, "Folder with more backends");
  command->add_option("--slots", o->slots, "Builds at a time (default: the number of cores, at most 4)")
      ->check(CLI::Range(1, 256));
  command->add_option("--sandbox", o->sandbox, "full | best | none")->capture_default_str();
  command->add_option("--cache", o->cache, "Folder of built objects and unacknowledged results");
  command
      ->add_flag("--lifeline", o->lifeline, "End when standard input ends (for a coordinator's own worker)")
      ->group("");
  command->footer("Example:\n  ke-runtime worker --connect tcp://10.0.0.5:7717 --server-key coordinator.pub "
                  "--key node7.key");
  command->callback([o, &exit_code] { exit_code = run_worker(*o); });
}

} // namespace ke::cli
