#include "interface/cli/node_text.hpp"

#include "interface/cli/figures.hpp"
#include "interface/cli/node_retrieval.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/verdict.hpp"

#include <algorithm>
#include <ostream>

namespace ke::cli {
namespace {

void section(std::ostream& out, const std::string& title, const std::string& text) {
  if (text.empty())
    return;
  out << "\n-- " << title << ' ' << std::string(title.size() < 70 ? 72 - title.size() : 2, '-') << '\n'
      << text;
  if (text.back() != '\n')
    out << '\n';
}

void write_verdict(std::ostream& out, const verdict& v, const std::string& target) {
  out << "\nverdict" << target << ": " << state_text(state_of(v.state), v.decision)
      << (v.reason.empty() ? "" : " - " + v.reason) << '\n';
  out << "  backend " << v.backend << " on " << v.device << '\n';
  out << "  correctness: " << v.cases << " cases, " << v.timed_calls_checked << " of " << v.timed_calls
      << " timed calls checked, " << v.failed << " failed, worst error " << fixed(v.worst_scaled_error, 3)
      << " of what is allowed\n";
  out << finalist_lines(v);
  if (v.first_failure) {
    const auto& m = *v.first_failure;
    out << "  first wrong element: " << m.tensor << '[';
    for (std::size_t i = 0; i < m.index.size(); ++i)
      out << (i ? ", " : "") << m.index[i];
    out << "] of workload " << m.workload << ": expected " << m.expected << ", got " << m.got
        << ", allowed difference " << m.bound << '\n';
  }
  for (const auto& f : v.flags)
    out << "  integrity: " << f.name << ": " << f.evidence << '\n';
  if (const auto& t = v.timing) {
    out << "  speedup " << speedup_text(t->speedup, t->low, t->high) << " (95% interval, " << t->launches
        << " launches, " << t->pairs << " pairs): " << medians_text(*t) << " (medians)\n"
        << workload_lines(*t, "    ");
  }
  if (v.diagnosis)
    out << "  bottleneck: " << v.diagnosis->bottleneck << " (confidence "
        << percent_text(v.diagnosis->confidence) << ")"
        << (v.diagnosis->roofline_fraction
                ? ", " + percent_text(*v.diagnosis->roofline_fraction) + " of the roofline"
                : "")
        << '\n';
  out << "  cost: build " << duration_text(v.build_s) << ", check " << duration_text(v.check_s) << ", time "
      << duration_text(v.time_s) << '\n';
}

std::string seconds_at(std::uint64_t ms) {
  return ms ? duration_text(static_cast<double>(ms) / 1000) : "-";
}

/// Where it stands, who made it, and when.
void write_node_head(const campaign_view& c, const node_view& n, std::ostream& out) {
  out << "node " << n.id << " of " << c.name() << " (" << c.fold().trees()[n.key.tree].backend()
      << "): " << state_text(n.state, n.decision);
  if (n.is_root())
    out << " - the reference";
  out << "\nparents: ";
  for (std::size_t i = 0; i < n.row.parents.size(); ++i)
    out << (i ? ", " : "") << c.public_id(n.key.tree, n.row.parents[i]);
  out << (n.row.parents.empty() ? "none\n" : "\n");
  if (!n.is_root()) {
    out << "model " << n.row.model << ", memory " << to_text(n.row.memory) << ", " << n.row.attempts
        << " request(s), " << count_text(n.row.usage.input_tokens) << " + "
        << count_text(n.row.usage.output_tokens) << " tokens, " << usd_text(n.row.usage.usd) << ", "
        << fixed(n.row.device_s, 2) << " device-s\n";
    out << "campaign time: planned " << seconds_at(n.row.planned_ms) << ", asked "
        << seconds_at(n.row.asked_ms) << ", answered " << seconds_at(n.row.answered_ms) << ", judged "
        << seconds_at(n.row.judged_ms) << '\n';
  }
}

/// What its prompts showed, and why.
status write_documents(const campaign_view& c, const node_view& n, std::ostream& out) {
  auto list = [&](const char* what, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i)
      out << (i ? ", " : what) << names[i] << (i + 1 == names.size() ? "\n" : "");
  };
  list("documents in its prompt: ", n.row.shown);
  list("left out of its prompt: ", n.row.dropped);
  auto retrievals = retrievals_of(c, n);
  if (!retrievals)
    return retrievals.error();
  for (const auto& r : *retrievals)
    out << retrieval_text(c, r);
  auto repeats = repeats_of(c, n);
  if (!repeats)
    return repeats.error();
  for (const auto& r : *repeats)
    out << "answer " << r.attempt << " repeated node " << r.of << " and was asked for again\n";
  return ok;
}

} // namespace

status write_node_text(const campaign_view& c, const node_view& n, std::ostream& out) {
  write_node_head(c, n, out);
  if (!n.row.note.empty())
    out << "note: " << n.row.note << '\n';
  if (auto written = write_documents(c, n, out); !written)
    return written;
  if (n.row.duplicate_of != no_node)
    out << "the same candidate as node " << c.public_id(n.key.tree, n.row.duplicate_of) << '\n';
  if (auto report = c.report_of(n); !report.empty())
    out << '\n' << report;
  for (std::size_t target = 0; target < n.row.verdict_digests.size(); ++target)
    if (auto v = c.verdict_of(n, target)) {
      write_verdict(out, *v, n.row.verdict_digests.size() > 1 ? " on target " + std::to_string(target) : "");
      section(out, "log", v->log);
    }
  auto prompt = c.prompt_of(n);
  if (!prompt)
    return prompt.error();
  section(out, "prompt", *prompt);
  if (!n.row.reply_digest.empty())
    if (auto answer = c.store().blob(n.row.reply_digest))
      section(out, "answer", *answer);
  if (auto source = c.source_of(n))
    section(out, "source", *source);
  return ok;
}

status write_tree_text(const campaign_view& c, std::uint64_t since, std::uint64_t most, std::ostream& out) {
  auto lines = most;
  for (const auto& core : c.fold().trees()) {
    const auto& tree = core.tree();
    out << c.name() << ", " << core.backend() << ": " << tree.size() - 1 << " candidates\n";
    std::vector<std::uint32_t> open{0};
    while (!open.empty() && lines > 0) {
      auto at = open.back();
      open.pop_back();
      auto children = tree.children(at);
      open.insert(open.end(), children.rbegin(), children.rend());
      if (c.public_id(core.number(), at) < since)
        continue;
      auto n = c.node(node_key{c.id(), core.number(), at});
      if (!n)
        return n.error();
      --lines;
      out << std::string(2 * std::min<std::size_t>(n->depth, 40), ' ') << n->id << "  ";
      if (n->is_root())
        out << "reference, score 1";
      else
        out << state_text(n->state, n->decision) << (n->score ? ", score " + fixed(*n->score, 3) : "")
            << (n->row.model.empty() ? "" : "  (" + n->row.model + ")")
            << (n->row.duplicate_of == no_node
                    ? ""
                    : " = " + std::to_string(c.public_id(core.number(), n->row.duplicate_of)))
            << (n->row.note.empty() ? "" : "  " + first_line(n->row.note, 60));
      out << '\n';
    }
    if (!open.empty())
      out << "... more nodes: raise --limit\n";
  }
  return ok;
}

std::string verdict_comparison(const campaign_view& c, const node_view& a, const node_view& b) {
  auto va = c.verdict_of(a), vb = c.verdict_of(b);
  std::string text;
  auto row = [&](const std::string& what, const std::string& x, const std::string& y) {
    auto padded = [](std::string s, std::size_t width) {
      return s.size() < width ? s + std::string(width - s.size(), ' ') : s + " ";
    };
    text += padded(what, 14) + padded(x, 34) + y + "\n";
  };
  row("node", std::to_string(a.id), std::to_string(b.id));
  auto state = [](const node_view& n) {
    return n.is_root() ? std::string{"reference"} : state_text(n.state, n.decision);
  };
  row("state", state(a), state(b));
  row("speedup", speedup_text(va, a.score), speedup_text(vb, b.score));
  auto fact = [](const std::optional<verdict>& v, auto what) { return v ? what(*v) : std::string{"-"}; };
  auto both = [&](const std::string& name, auto what) { row(name, fact(va, what), fact(vb, what)); };
  if (!va && !vb)
    return text;
  both("time", [](const verdict& v) {
    return v.timing ? nanoseconds_text(v.timing->candidate_ns) + " (median)" : std::string{"-"};
  });
  both("worst error", [](const verdict& v) { return fixed(v.worst_scaled_error, 3) + " of allowed"; });
  both("bottleneck",
       [](const verdict& v) { return v.diagnosis ? v.diagnosis->bottleneck : std::string{"-"}; });
  both("reason",
       [](const verdict& v) { return v.reason.empty() ? std::string{"-"} : first_line(v.reason, 60); });
  return text;
}

} // namespace ke::cli
