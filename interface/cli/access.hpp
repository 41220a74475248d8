#pragma once

#include "runtime/core/result.hpp"
#include "runtime/net/control_socket.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/store/store_reader.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ke {
struct campaign_row;
} // namespace ke

namespace ke::cli {

/// Options by which a user names a campaign:
/// --config FILE | --store DIR [--campaign NAME] | --connect ENDPOINT --server-key F --key F
struct access_options {
  std::string config;
  std::string store; ///< also with --config: replaces the file's
  std::string campaign;
  std::string connect;
  std::string server_key;
  std::string key;
};

/// Adds these options to a command. Keep the returned object until the command has run.
std::shared_ptr<access_options> add_access(CLI::App& command);

/// Who is asked: the store only, or its living owner too.
enum class ask_owner { no, yes };

/// A named store open for reading, a connection to its owner, or both.
struct access {
  std::optional<store_reader> store;   ///< absent with --connect
  std::optional<control_client> owner; ///< present if it was to be asked, lives and answers
  std::optional<failure> silence;      ///< an owner holds the store but does not answer: why
  std::string campaign;                ///< the wanted name; empty: none was given
};

/// Opens what the options name; without any, the default store of campaign.toml. A local store's owner that
/// does not answer is no failure: the store can still be read. Fails: `invalid` (wrong or contradictory
/// options, a file that can't be read), `not_found` (no store), `corrupt`, `newer_version`; with --connect
/// also `held` and `connection`.
result<access> open_access(const access_options& options, ask_owner asking = ask_owner::no);

/// The folder of the options' store, without opening it: for commands that take ownership.
result<std::string> store_folder(const access_options& options);

/// The reader; `invalid`, saying that `command` must run on the store's machine.
result<store_reader> local_store(const access& a, const std::string& command);

/// The named campaign (newest of that name), or the store's only one.
result<campaign_row> wanted_campaign(const access& a, const std::string& command);
/// The named campaign, or all of the store.
result<std::vector<campaign_row>> wanted_campaigns(const access& a, const std::string& command);

/// Runs a command's body: exceptions become exit code 4 with one line on stderr, and a stdout that can't be
/// written is an error, too, unless its reader has left.
int guarded(const std::function<int()>& body);

} // namespace ke::cli
