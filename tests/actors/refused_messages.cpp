// Does not compile: each line with "refused" is an error that says all that is named behind it, and no other
// line is one (refused_messages_test.py, which the suite runs).
#include "actors/campaign/campaign_actor.hpp"
#include "actors/fleet/fleet.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/messages/handlers_of.hpp"
#include "actors/supervision/named_child.hpp"

namespace ke {

void sends(const directory& names) {
  names.send(addresses::synthesizer, drop_requests{});
  names.send(addresses::synthesizer, judged{}); // refused: address does not list this message | judged
  names.send(addresses::campaign(1), judged{});
  names.send(addresses::campaign(1), may_rest{}); // refused: address does not list this message | may_rest
  names.find(addresses::fleet).send(cancel_job{});
  names.find(addresses::fleet).send(interrupt{}); // refused: address does not list this message | interrupt
  names.send("fleet", submit_job{});              // refused: no matching | send | char
}

watch_capacity well_known{addresses::evaluator}, one_of_many{addresses::campaign(1)};
watch_capacity heard_by_nobody{addresses::knowledge}; // refused: address<ke::capacity | skills_changed

void children(const std::shared_ptr<directory>& names, const child_spec& child) {
  named_child(names, addresses::gateway, child.start);
  named_child(names, "gateway", child.start); // refused: no matching | named_child | address<>
}

void behaviors() {
  handlers_of{addresses::gateway, [](const want_transport&) {}, [](const peer_lost&) {}};
  handlers_of{addresses::gateway, [](const peer_lost&) {}}; // refused: does not handle | want_transport
}

} // namespace ke
