#include "runtime/core/call_row.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/journal_retrieved.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/provider_kind.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/skill.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/golden.hpp"

using namespace ke;

TEST_CASE("the bytes of every journal record and row are those of the golden file") {
  test::golden_bytes all;
  all.add<journal_record>("journal_record");
  all.add<journal_configured>("configured");
  all.add<journal_session>("session");
  all.add<journal_stepped>("stepped");
  all.add<journal_asked>("asked");
  all.add<journal_replied>("replied");
  all.add<journal_judged>("judged");
  all.add<journal_ended>("ended");
  all.add<journal_steered>("steered");
  all.add<journal_finished>("finished");
  all.add<journal_failed_request>("failed_request");
  all.add<journal_claimed>("claimed");
  all.add<journal_seeded>("seeded");
  all.add<journal_agent_asked>("consulted");
  all.add<journal_agent_replied>("advised");
  all.add<journal_admitted>("admitted");
  all.add<journal_validated>("validated");
  all.add<journal_retrieved>("retrieved");
  all.add<campaign_row>("campaign_row");
  all.add<hot_row>("hot_row");
  all.add<node_row>("node_row");
  all.add<call_row>("call_row");
  all.add<evidence>("evidence");
  all.add<verdict>("verdict");
  all.add<skill>("skill");
  all.add<solution_row>("solution_row");
  all.add<problem>("problem");
  all.add<campaign_settings>("campaign_settings");
  test::check_golden("core/golden/records.txt", all.text());
}

TEST_CASE("the numbers and texts of every stored enum are those of the golden file") {
  test::golden_bytes all;
  all.names<node_state>("node_state");
  all.names<journal_kind>("journal_kind");
  all.names<document_fate>("document_fate");
  all.names<measure_plan>("measure_plan");
  all.names<failure_kind>("failure_kind");
  all.names<verdict_state>("verdict_state");
  all.names<timing_decision>("timing_decision");
  all.names<ending>("ending");
  all.names<dtype>("dtype");
  all.names<tensor_role>("tensor_role");
  all.names<provider_kind>("provider_kind");
  all.names<baseline_kind>("baseline_kind");
  all.names<policy_kind>("policy_kind");
  all.names<ensemble_kind>("ensemble_kind");
  all.names<memory_kind>("memory_kind");
  all.names<tree_rule_kind>("tree_rule_kind");
  all.names<backup_kind>("backup_kind");
  test::check_golden("core/golden/enums.txt", all.text());
}
