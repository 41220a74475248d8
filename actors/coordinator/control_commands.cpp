#include "actors/coordinator/control_commands.hpp"

#include "actors/coordinator/coordinator.hpp"
#include "actors/knowledge/skill_learner.hpp"
#include "actors/messages/addresses.hpp"
#include "config/campaign_file.hpp"
#include "config/reach.hpp"
#include "knowledge/skills/shared_files.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/net/wire.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

namespace ke {
namespace {

using sorted_json = nlohmann::json;

control_reply refused(const failure& why) {
  return refusal(why.text, exit_code_of(why));
}

/// What only who is trusted on this machine may submit.
std::optional<failure> beyond(const campaign_settings& settings, bool trusted) {
  auto keys = trusted ? std::vector<std::string>{} : keys_that_reach_out(settings);
  if (keys.empty())
    return std::nullopt;
  std::string list;
  for (const auto& k : keys)
    list += (list.empty() ? "" : ", ") + k;
  return failure{
      failure_kind::invalid,
      "this client may not submit what starts programs, opens folders or sends keys of the owner's "
      "machine (" +
          list +
          "): put its .pub file into the subfolder `trusted` of [cluster] client_keys there, or submit it "
          "on that machine with `ke-runtime submit`"};
}

void submit(coordinator& owner, const control_request& request) {
  file_context context;
  context.name = "the submitted campaign";
  auto loaded = parse_campaign(request.command.config, context);
  if (!loaded.errors.empty())
    return request.reply(refused(as_failure(failure_kind::invalid, loaded.errors)));
  if (auto no = beyond(loaded.settings, request.trusted))
    return request.reply(refused(*no));
  auto what = unpack<problem>(request.command.problem, wire::limits);
  if (!what)
    return request.reply(refused(what.error()));
  auto name = loaded.settings.name;
  owner.submit(std::move(loaded.settings), std::move(*what), request.command.fresh,
               [name, reply = request.reply](result<std::uint32_t> id) {
                 reply(id ? control_reply{json_line(sorted_json{{"campaign", name}, {"id", *id}}), exit_done}
                          : refused(id.error()));
               });
}

/// Unites an export that was handed over with the store. Campaigns go on meanwhile.
void merge(coordinator& owner, control_request request) {
  auto path = handed_over(owner.store_dir(), request.command.name);
  if (!path)
    return request.reply(refused(path.error()));
  owner.acts().merge(*path, [names = owner.names(), reply = std::move(request.reply)](control_reply r) {
    if (r.exit_code == exit_done)
      names->send(addresses::knowledge, skills_changed{});
    reply(std::move(r));
  });
}

void steer_by(coordinator& owner, control_request request) {
  auto& c = request.command;
  auto id = owner.find_running(c.campaign);
  if (!id)
    return request.reply(refused(id.error()));
  auto hint = c.act == "hint";
  owner.steer_campaign(*id, c.act, hint ? c.node : c.key, hint ? c.text : c.value,
                       [act = c.act, reply = std::move(request.reply)](status done) {
                         reply(done ? control_reply{json_line(sorted_json{{"done", act}}), exit_done}
                                    : refused(done.error()));
                       });
}

} // namespace

void carry_out(coordinator& owner, control_request request) {
  auto& c = request.command;
  if (c.act == "status")
    return owner.status_json(
        [reply = std::move(request.reply)](std::string json) { reply({std::move(json), exit_done}); });
  if (c.act == "submit")
    return owner.acts().post([&owner, request = std::move(request)] {
      try {
        submit(owner, request);
      } catch (const std::exception& e) {
        request.reply(refused({failure_kind::invalid, std::string{"it can't be submitted: "} + e.what()}));
      }
    });
  if (c.act == "merge")
    return merge(owner, std::move(request));
  if (c.act == "read")
    return owner.acts().read({c.campaign, c.words, c.writes}, std::move(request.reply));
  if (c.steers())
    return steer_by(owner, std::move(request));
  request.reply(refused({failure_kind::invalid, "this owner knows no command \"" + c.act + "\"", false}));
}

} // namespace ke
