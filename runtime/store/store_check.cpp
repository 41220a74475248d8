#include "runtime/store/store_check.hpp"
#include "runtime/core/call_row.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/store/prompt_sections.hpp"

#include "runtime/core/solution.hpp"
#include "runtime/store/record.hpp"
#include "runtime/store/store_reader.hpp"

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace ke {
namespace {

constexpr std::size_t problems_kept = 200;

std::string name_of(const node_key& n) {
  return std::to_string(n.campaign) + "." + std::to_string(n.tree) + "." + std::to_string(n.node);
}

std::uint32_t word(std::string_view key, std::size_t i) {
  return static_cast<std::uint32_t>(number_of(key.substr(4 * i, 4)));
}

node_key node_of(std::string_view key) {
  return {word(key, 0), word(key, 1), word(key, 2)};
}

class checker {
public:
  checker(const store_reader& reader, const check_options& options, check_report& report)
      : reader_{reader}, options_{options}, report_{report} {}

  void run() {
    checksums();
    blobs();
    campaigns();
    nodes();
    hot();
    calls();
    solutions();
  }

private:
  void problem(std::string text) {
    if (++report_.problem_count <= problems_kept)
      report_.problems.push_back(std::move(text));
  }

  /// Notes a scan's early end, which hides the rows behind it.
  void ended(const status& end) {
    if (!end)
      problem(end.error().text);
  }

  void checksums() {
    for (std::size_t i = 0; i < names_of<table>::value.size(); ++i) {
      auto where = static_cast<table>(i);
      auto& rows = report_.rows[std::string{to_text(where)}];
      ended(reader_.scan(where, {}, [&](std::string_view, std::string_view) { return ++rows, true; }));
    }
  }

  void blobs() {
    ended(reader_.scan(table::digests, {}, [&](std::string_view key, std::string_view) {
      auto digest = digest_text(key);
      if (auto content = reader_.blob(digest); !content)
        problem(content.error().text);
      return true;
    }));
  }

  void referenced(const std::string& digest, const std::string& what, const std::string& by) {
    if (!digest.empty() && seen_.insert(digest).second && !reader_.has_blob(digest))
      problem("blob " + digest + ", the " + what + " of " + by + ", is not stored");
  }

  void referenced_prompt(const std::string& digest, const std::string& by) {
    if (digest.empty() || seen_.contains(digest))
      return;
    referenced(digest, "prompt", by);
    auto bytes = reader_.blob(digest);
    auto sections = bytes ? unpack_sections(*bytes) : result<std::vector<stored_section>>{failure{}};
    if (sections)
      for (auto& section : *sections)
        if (!digest_key(section.digest).empty())
          referenced(section.digest, "prompt section", by);
  }

  void campaigns() {
    ended(
        reader_.rows<campaign_row>(table::campaigns, {}, [&](std::string_view key, const campaign_row& row) {
          auto name = "campaign " + row.name;
          if (word(key, 0) != row.id)
            problem(name + " has number " + std::to_string(row.id) + " under key " + shown_key(key));
          referenced(row.settings_digest, "settings", name);
          referenced(row.problem_digest, "problem", name);
          ended(reader_.journal(row.id, 0, [](std::uint64_t, const journal_record&) { return true; }));
          if (options_.fold)
            for (auto& text : options_.fold(reader_, row.id))
              problem(name + ": " + text);
          return true;
        }));
  }

  bool keeps(table where, std::uint32_t campaign, std::unordered_map<std::uint32_t, bool>& known) {
    auto found = known.find(campaign);
    if (found == known.end()) {
      bool any = false;
      static_cast<void>(reader_.scan(where, key_of(campaign),
                                     [&](std::string_view, std::string_view) { return any = true, false; }));
      found = known.emplace(campaign, any).first;
    }
    return found->second;
  }

  void nodes() {
    std::unordered_map<std::uint32_t, bool> keeps_evidence;
    std::multimap<std::string, std::string> unproven; // verdict -> what is wrong
    ended(reader_.rows<node_row>(table::nodes, {}, [&](std::string_view key, const node_row& row) {
      if (key.size() != 12) {
        problem("key " + shown_key(key) + " of table nodes is not a node's");
        return true;
      }
      auto at = node_of(key);
      auto name = "node " + name_of(at);
      if (!is_open(row.state)) // an index row is written when a node ends
        compare_hot(key, row, name);
      referenced_prompt(row.sections_digest, name);
      if (row.state != node_state::unanswered) // a failed request's body is not always kept
        referenced(row.reply_digest, "reply", name);
      referenced(row.source_digest, "source", name);
      for (std::size_t target = 0; target < row.verdict_digests.size(); ++target) {
        auto& digest = row.verdict_digests[target];
        if (digest.empty())
          continue;
        auto judged = reader_.row<verdict>(table::verdicts, digest);
        if (!judged)
          problem(name + " names verdict " + digest + ", which is not stored");
        else
          compare_candidate(at, static_cast<std::uint32_t>(target), row, *judged, name);
        bool own = row.duplicate_of == no_node && row.device_s > 0 && // else known from another node
                   keeps(table::evidence, at.campaign, keeps_evidence);
        if (own && !any_row(table::evidence,
                            key_of(at.campaign, at.tree, at.node, static_cast<std::uint32_t>(target))))
          unproven.emplace(digest,
                           name + " has a verdict without evidence for target " + std::to_string(target));
      }
      return true;
    }));
    if (!unproven.empty())
      blame(unproven);
  }

  /// Of several targets a node may have measured one and known the verdict for another: such a verdict has
  /// its evidence with the node that was measured.
  void blame(std::multimap<std::string, std::string>& unproven) {
    ended(reader_.rows<node_row>(table::nodes, {}, [&](std::string_view key, const node_row& row) {
      for (std::size_t target = 0; target < row.verdict_digests.size(); ++target)
        if (unproven.contains(row.verdict_digests[target]) &&
            any_row(table::evidence, std::string{key} + key_of(static_cast<std::uint32_t>(target))))
          unproven.erase(row.verdict_digests[target]);
      return !unproven.empty();
    }));
    for (const auto& [digest, text] : unproven)
      problem(text);
  }

  void compare_hot(std::string_view key, const node_row& row, const std::string& name) {
    auto hot = reader_.row<hot_row>(table::hot, key);
    if (!hot)
      return problem(name + " has no index row: " + hot.error().text);
    auto parent = [&](std::size_t i) { return row.parents.size() > i ? row.parents[i] : no_node; };
    if (hot->state != row.state || hot->decision != row.decision || hot->parent != parent(0) ||
        hot->parent2 != parent(1))
      problem(name + " differs from its index row");
  }

  /// A verdict must be on the node's problem and candidate. A duplicate differs from that candidate in blanks
  /// and comments only. Evidence names its own subject.
  void compare_candidate(const node_key& at, std::uint32_t target, const node_row& row, const verdict& judged,
                         const std::string& name) {
    const auto& of = problem_of(at.campaign);
    if (!of.empty() && !judged.problem.empty() && judged.problem != of)
      problem(name + " has a verdict on another problem: " + judged.problem);
    auto known = row.duplicate_of != no_node || row.device_s <= 0;
    if (!known && !judged.candidate.empty() && judged.candidate != row.source_digest)
      problem(name + " has a verdict on another candidate: " + judged.candidate);
    auto found = reader_.row<evidence>(table::evidence, key_of(at.campaign, at.tree, at.node, target));
    if (!found)
      return;
    auto differs = [&](const char* what, const std::string& digest) {
      auto says = found->provenance.find(what);
      return says != found->provenance.end() && says->second != digest;
    };
    // Earlier versions left the name of the candidate that an equal object was measured with.
    auto same_object = found->provenance.contains(provenance_keys::same_object_as) &&
                       !found->provenance.contains(provenance_keys::measured_candidate);
    if (!of.empty() && differs("problem", of))
      problem(name + " has evidence of another problem");
    if (!same_object && differs("candidate", row.source_digest))
      problem(name + " has evidence of another candidate");
  }

  /// Its digest; empty if the campaign's row is gone.
  const std::string& problem_of(std::uint32_t campaign) {
    auto [at, fresh] = problems_.try_emplace(campaign);
    if (fresh)
      if (auto row = reader_.row<campaign_row>(table::campaigns, key_of(campaign)))
        at->second = row->problem_digest;
    return at->second;
  }

  bool any_row(table where, const std::string& prefix) {
    bool any = false;
    ended(reader_.scan(where, prefix, [&](std::string_view, std::string_view) { return any = true, false; }));
    return any;
  }

  void hot() {
    ended(reader_.scan(table::hot, {}, [&](std::string_view key, std::string_view) {
      if (key.size() != 12) {
        problem("key " + shown_key(key) + " of table hot is not a node's");
        return true;
      }
      auto root = key.size() == 12 && word(key, 2) == 0; // the reference: statistics only
      if (auto node = reader_.get(table::nodes, key);
          !node && !(root && node.error().kind == failure_kind::not_found))
        problem("the index row of node " + name_of(node_of(key)) + " has no node: " + node.error().text);
      return true;
    }));
  }

  void calls() {
    ended(reader_.rows<call_row>(table::calls, {}, [&](std::string_view key, const call_row& row) {
      auto name = "call " + shown_key(key);
      referenced(row.reply_digest, "reply", name);
      return true;
    }));
  }

  void solutions() {
    ended(
        reader_.rows<solution_row>(table::solutions, {}, [&](std::string_view key, const solution_row& row) {
          auto name = "solution " + shown_key(key);
          if (key_of(row) != key)
            problem(name + " is filed under another key than its own");
          referenced(row.source_digest, "source", name);
          return true;
        }));
  }

  const store_reader& reader_;
  const check_options& options_;
  check_report& report_;
  std::unordered_set<std::string> seen_;
  std::map<std::uint32_t, std::string> problems_; ///< digest of each campaign's problem
};

} // namespace

result<check_report> check_store(const std::string& dir, const check_options& options) {
  auto reader = store_reader::open(dir, options.verify);
  if (!reader)
    return reader.error();
  check_report report;
  checker{*reader, options, report}.run();
  return report;
}

} // namespace ke
