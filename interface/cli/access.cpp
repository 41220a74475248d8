#include "interface/cli/access.hpp"

#include "config/campaign_file.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/process/self_process.hpp"
#include "runtime/records/stored_campaign.hpp"

#include <CLI/CLI.hpp>

#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>

namespace ke::cli {
namespace {

constexpr std::string_view default_store = "~/.local/share/ke-runtime";

/// What --config, --store and --campaign come to.
struct place {
  std::string store;
  std::string campaign;
};

result<place> resolve(const access_options& o) {
  file_context here = context_of("campaign.toml");
  if (here.home.empty() && (o.store.starts_with("~") || (o.store.empty() && o.config.empty())))
    return failure{failure_kind::invalid,
                   "HOME is not set, so ~ has no meaning: name the store with --store DIR"};
  place p{resolved_path(o.store, here), o.campaign};
  if (!o.config.empty()) {
    // What the environment lacks (an API key) does not matter for reading.
    auto loaded = load_campaign(o.config);
    if (!loaded.errors.empty())
      return as_failure(failure_kind::invalid, loaded.errors);
    if (p.store.empty())
      p.store = loaded.settings.store;
    if (p.campaign.empty())
      p.campaign = loaded.settings.name;
  }
  if (p.store.empty())
    p.store = resolved_path(std::string{default_store}, here);
  return p;
}

failure no_store(const access_options& o, const std::string& dir) {
  std::string text = "there is no store in " + dir;
  if (!o.config.empty())
    text += " yet: start the campaign with `ke-runtime --config " + o.config + "`";
  else if (o.store.empty())
    text += ": name a store with --store DIR or --config FILE";
  return {failure_kind::not_found, text};
}

result<access> connect_to(const access_options& o) {
  control_target target;
  target.endpoint = o.connect;
  if (!o.server_key.empty()) {
    auto key = load_public_key(o.server_key);
    if (!key)
      return key.error();
    target.server_key = std::move(*key);
  }
  if (!o.key.empty()) {
    auto pair = load_key_pair(o.key);
    if (!pair)
      return pair.error();
    target.keys = std::move(*pair);
  }
  auto client = control_client::connect(target, std::chrono::seconds{5});
  if (!client)
    return client.error();
  access a;
  a.owner = std::move(*client);
  a.campaign = o.campaign;
  return a;
}

} // namespace

std::shared_ptr<access_options> add_access(CLI::App& command) {
  auto o = std::make_shared<access_options>();
  command.add_option("--config", o->config, "The campaign.toml whose store and campaign are meant")
      ->type_name("FILE");
  command.add_option("--store", o->store, "The store's folder")->type_name("DIR");
  command
      .add_option("--campaign", o->campaign,
                  "A campaign of the store, by name; NAME@2: the second of that name")
      ->type_name("NAME");
  command.add_option("--connect", o->connect, "A coordinator on another machine, e.g. tcp://host:7717")
      ->type_name("ENDPOINT");
  command.add_option("--server-key", o->server_key, "Its public key file, COORDINATOR.pub")
      ->type_name("FILE");
  command.add_option("--key", o->key, "This client's key file, NAME.key")->type_name("FILE");
  return o;
}

result<std::string> store_folder(const access_options& o) {
  if (!o.connect.empty())
    return failure{failure_kind::invalid,
                   "this command works on a store's folder: name it with --store DIR, not with --connect"};
  auto p = resolve(o);
  if (!p)
    return p.error();
  return p->store;
}

result<access> open_access(const access_options& o, ask_owner asking) {
  if (!o.connect.empty()) {
    if (!o.config.empty() || !o.store.empty())
      return failure{failure_kind::invalid, "--connect names a coordinator: leave out --config and --store"};
    return connect_to(o);
  }
  if (!o.server_key.empty() || !o.key.empty())
    return failure{failure_kind::invalid, "--server-key and --key go with --connect ENDPOINT"};
  auto p = resolve(o);
  if (!p)
    return p.error();
  auto reader = store_reader::open(p->store, verify_in_child);
  if (!reader)
    return reader.error().kind == failure_kind::not_found ? no_store(o, p->store) : reader.error();
  access a;
  a.store = std::move(*reader);
  a.campaign = std::move(p->campaign);
  if (asking == ask_owner::yes)
    if (auto owner = a.store->owner(); owner && !owner->socket.empty()) {
      auto client = control_client::connect({"ipc://" + owner->socket, {}, std::nullopt});
      if (client)
        a.owner = std::move(*client);
      else
        a.silence = failure{failure_kind::held, "the store " + a.store->dir() + " is held by process " +
                                                    std::to_string(owner->pid) + " on " + owner->host +
                                                    ", which does not answer: " + client.error().text};
    }
  return a;
}

result<store_reader> local_store(const access& a, const std::string& command) {
  if (a.store)
    return *a.store;
  return failure{failure_kind::invalid,
                 "`" + command +
                     "` reads the store itself: run it on the coordinator's machine with --store DIR"};
}

result<campaign_row> wanted_campaign(const access& a, const std::string& command) {
  auto store = local_store(a, command);
  if (!store)
    return store.error();
  return find_campaign(*store, a.campaign);
}

result<std::vector<campaign_row>> wanted_campaigns(const access& a, const std::string& command) {
  auto store = local_store(a, command);
  if (!store)
    return store.error();
  if (a.campaign.empty())
    return store->campaigns();
  auto one = find_campaign(*store, a.campaign);
  if (!one)
    return one.error();
  return std::vector<campaign_row>{std::move(*one)};
}

namespace {

/// `| head`: whoever reads has seen enough.
bool reader_left() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

} // namespace

int guarded(const std::function<int()>& body) {
  try {
    auto code = body();
    if (!std::cout.flush() && !reader_left())
      return complain({failure_kind::internal, "the result could not be written to stdout"});
    return code;
  } catch (const std::exception& e) {
    return complain({failure_kind::internal, std::string{"internal error: "} + e.what()});
  }
}

} // namespace ke::cli
