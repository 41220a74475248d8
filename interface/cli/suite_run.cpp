#include "interface/cli/suite_run.hpp"

#include "config/problem_suite.hpp"
#include "interface/cli/display.hpp"
#include "interface/cli/output_file.hpp"
#include "interface/cli/owning_session.hpp"
#include "interface/cli/suite_cells.hpp"
#include "interface/cli/suite_table.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/signal_watch.hpp"
#include "runtime/store/record.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <utility>

namespace ke::cli {
namespace {

failure invalid(std::string text) {
  return {failure_kind::invalid, std::move(text), false};
}

ui_kind ui_of(const suite_request& o) {
  if (o.json)
    return ui_kind::none;
  auto named = parse_name<ui_kind>(o.ui);
  return named ? *named : isatty(1) ? ui_kind::tui : ui_kind::plain;
}

std::string baseline_text(const goal_settings& goal) {
  std::string text{to_text(goal.baseline)};
  return text.ends_with(':') ? text.substr(0, text.size() - 1) : text;
}

/// The suite and its campaigns' settings, all checked.
struct prepared_suite {
  ke::suite suite;                    ///< with the problems that are wanted
  std::vector<campaign_load> columns; ///< one for each baseline
  std::vector<backend> backends;
};

class suite_runner {
public:
  suite_runner(const suite_request& o, const prepared_suite& p)
      : o_{o}, p_{p}, shown_{ui_of(o)}, session_{shown_} {}

  /// The exit code; `cells` are complete in any case.
  int run(std::vector<suite_cell>& cells) {
    if (auto started = session_.start(p_.columns.front().settings, o_.start); !started)
      return complain(started.error().kind == failure_kind::held ? held_text(started.error())
                                                                 : started.error());
    for (const auto& column : p_.columns)
      for (const auto& what : p_.suite.problems)
        for (auto& cell : cells_for(column, what)) {
          note("[" + std::to_string(done_) + "/" + std::to_string(total_) + "] " + cell_line(cell));
          cells.push_back(std::move(cell));
        }
    session_.close();
    return code_;
  }

private:
  static failure held_text(failure why) {
    why.text += "; a suite runs in the process that owns its store: end that one, or give another store with "
                "--set campaign.store=DIR";
    return why;
  }

  std::vector<suite_cell> cells_for(const campaign_load& column, const suite_problem& what);
  std::vector<suite_cell> campaign_cells(const campaign_settings& settings, const problem& what);
  /// Runs the campaign until its session ends; what the outcome means for the problems to come.
  std::vector<suite_cell> run_campaign(const campaign_settings& settings, const problem& what, bool fresh);
  std::vector<suite_cell> cells_after(const campaign_settings& settings, const owning_session::ended& e);
  std::string why_unfit(const campaign_settings& settings, const problem& what) const;
  std::vector<suite_cell> empty_cells(const campaign_settings& settings, suite_standing standing,
                                      const std::string& note) const;
  void note(const std::string& text);
  void stop(int code) {
    stopped_ = true;
    code_ = code;
  }

  const suite_request& o_;
  const prepared_suite& p_;
  display shown_;
  owning_session session_;
  const std::size_t total_ = p_.columns.size() * p_.suite.problems.size();
  std::size_t done_ = 0;
  bool stopped_ = false; ///< what has not ended stays pending
  int code_ = exit_done;
};

std::vector<suite_cell> suite_runner::empty_cells(const campaign_settings& settings, suite_standing standing,
                                                  const std::string& note) const {
  std::vector<suite_cell> cells;
  std::set<std::string> seen;
  for (const auto& t : settings.targets)
    if (seen.insert(t.backend).second) {
      suite_cell c;
      c.backend = t.backend;
      c.baseline = baseline_text(settings.goal);
      c.standing = standing;
      c.state = to_text(standing);
      c.note = note;
      cells.push_back(std::move(c));
    }
  return cells;
}

std::string suite_runner::why_unfit(const campaign_settings& settings, const problem& what) const {
  for (const auto& t : settings.targets)
    if (auto why = unfit_backend(find_backend(p_.backends, t.backend), t.backend, what); !why.empty())
      return why;
  return {};
}

std::vector<suite_cell> suite_runner::cells_for(const campaign_load& column, const suite_problem& what) {
  auto settings = column.settings;
  settings.problem_path = what.path;
  auto plain = settings.goal.baseline == baseline_kind::reference;
  settings.name = suite_campaign_name(settings.name, p_.suite.kind == suite_kind::kb_small ? "small" : "",
                                      what.name, plain ? std::string{} : baseline_text(settings.goal));
  std::vector<config_error> errors;
  auto read = read_problem(column, o_.start.config, load_suite_problem(p_.suite.kind, what), errors);
  auto wrong = errors.empty() ? why_unfit(settings, read) : as_failure(failure_kind::invalid, errors).text;
  auto cells =
      wrong.empty() ? campaign_cells(settings, read) : empty_cells(settings, suite_standing::broken, wrong);
  ++done_;
  for (auto& cell : cells)
    cell.problem = what.name;
  return cells;
}

std::vector<suite_cell> suite_runner::campaign_cells(const campaign_settings& settings, const problem& what) {
  auto store = session_.committed();
  if (!store) {
    stop(complain(store.error()));
    return empty_cells(settings, suite_standing::pending, store.error().text);
  }
  auto row = o_.fresh ? std::nullopt : suite_campaign(*store, settings.name, what);
  if (row && (stopped_ || has_ended(*store, *row, settings)))
    if (auto cells = cells_of(*store, *row))
      return std::move(*cells);
  if (stopped_)
    return empty_cells(settings, suite_standing::pending, {});
  return run_campaign(settings, what, !row);
}

std::vector<suite_cell> suite_runner::run_campaign(const campaign_settings& settings, const problem& what,
                                                   bool fresh) {
  note("[" + std::to_string(done_ + 1) + "/" + std::to_string(total_) + "] " + settings.name + " begins");
  auto e = session_.run(settings, what, fresh);
  if (e)
    return cells_after(settings, *e);
  if (e.error().kind == failure_kind::invalid) // of this problem: the next one may be right
    return empty_cells(settings, suite_standing::broken, e.error().text);
  stop(session_.interrupted() ? static_cast<int>(exit_interrupted) : complain(e.error()));
  return empty_cells(settings, suite_standing::pending, e.error().text);
}

std::vector<suite_cell> suite_runner::cells_after(const campaign_settings& settings,
                                                  const owning_session::ended& e) {
  const auto& out = e.out;
  auto failed = out.why.kind != failure_kind::none;
  if (session_.gave_up(out))
    stop(exit_paused);
  else if (out.state == "paused")
    stop(failed ? complain(out.why) : static_cast<int>(exit_interrupted));
  else if (out.state == "failed" && out.why.kind != failure_kind::invalid)
    stop(failed ? complain(out.why) : static_cast<int>(exit_internal));
  else if (session_.interrupted())
    stop(exit_interrupted);
  auto store = session_.committed();
  auto row = store ? store->row<campaign_row>(table::campaigns, key_of(e.id)) : store.error();
  auto cells = row ? cells_of(*store, *row) : row.error();
  if (!cells)
    return empty_cells(settings, suite_standing::pending, cells.error().text);
  for (auto& c : *cells)
    if (c.standing == suite_standing::pending && out.why.kind == failure_kind::invalid) {
      c.standing = suite_standing::refused; // no verdict on the reference says why
      c.state = to_text(verdict_state::harness_error);
      c.note = out.why.text;
    }
  return std::move(*cells);
}

void suite_runner::note(const std::string& text) {
  if (ui_of(o_) == ui_kind::json || ui_of(o_) == ui_kind::none)
    std::cerr << text << std::endl;
  else
    shown_.note(text);
}

std::optional<failure> wrong_option(const suite_request& o) {
  if (!o.ui.empty() && !parse_name<ui_kind>(o.ui))
    return invalid("--ui: expected tui, plain, json or none, not " + o.ui);
  if (!parse_name<sandbox_level>(o.start.sandbox))
    return invalid("--sandbox: expected full, best or none, not " + o.start.sandbox);
  for (const auto& b : o.baselines)
    if (!parse_name<baseline_kind>(b) || b == to_text(baseline_kind::file))
      return invalid("--baseline: expected reference, eager, compile or best-known, not " + b);
  return std::nullopt;
}

std::optional<failure> choose_problems(const suite_request& o, prepared_suite& p) {
  auto found = find_suite(o.suite);
  if (!found)
    return found.error();
  auto all = found->problems.size();
  p.suite = std::move(*found);
  p.suite.problems = filtered(p.suite.problems, o.filters);
  if (p.suite.problems.empty())
    return invalid("--filter: none of the " + std::to_string(all) + " problems of " + o.suite +
                   " has these words in its name; `ke-runtime suite list " + o.suite + "` has the names");
  return std::nullopt;
}

/// The settings against each baseline, every error of the file at once. The exit code if one is wrong.
std::optional<int> read_columns(const suite_request& o, prepared_suite& p) {
  auto baselines = o.baselines.empty() ? std::vector<std::string>{""} : o.baselines;
  for (const auto& b : baselines) {
    auto sets = o.start.sets;
    if (!b.empty())
      sets.push_back("goal.baseline=" + b);
    auto loaded = load_campaign(o.start.config, sets, campaign_use::suite);
    if (!loaded.errors.empty())
      return complain_of(loaded.errors, exit_usage);
    if (loaded.settings.goal.baseline == baseline_kind::file)
      return complain(invalid("[goal] baseline: a file is the baseline of one problem, not of a suite"));
    p.columns.push_back(std::move(loaded));
  }
  return std::nullopt;
}

/// The exit code if something is wrong with what all problems share; it is complained of.
std::optional<int> prepare(const suite_request& o, prepared_suite& p) {
  if (auto why = wrong_option(o))
    return complain(*why);
  if (auto why = choose_problems(o, p))
    return complain(*why);
  if (auto code = read_columns(o, p))
    return code;
  auto& first = p.columns.front();
  warn_of(first);
  int code = exit_done;
  auto backends = ready_backends(first, o.start, code);
  if (!backends)
    return code;
  p.backends = std::move(*backends);
  if (auto why = unready_sandbox(first.settings, o.start))
    return complain(*why);
  for (const auto& t : first.settings.targets) {
    auto b = find_backend(p.backends, t.backend);
    if (!b)
      return complain(b.error());
    if (auto why = unready_device(first.settings, *b))
      return complain(*why);
  }
  return std::nullopt;
}

/// Nothing to report where the store could not even be opened.
int print(const suite_request& o, const std::vector<suite_cell>& cells) {
  if (cells.empty())
    return exit_done;
  auto json = suite_json(o.suite, cells) + "\n";
  std::cout << (o.json || o.ui == "json" ? json : suite_text(o.suite, cells)) << std::flush;
  for (const auto& [file, text] : {std::pair{&o.csv, csv_of(cells)}, std::pair{&o.output, json}})
    if (!file->empty())
      if (auto done = write_output(*file, text); !done)
        return complain(done.error());
  return exit_done;
}

bool is_proven(const suite_cell& c) {
  auto untimed = !c.speedup && c.state == to_text(verdict_state::correct);
  return c.standing == suite_standing::judged && (untimed || c.decision == timing_decision::faster);
}

} // namespace

int run_suite(const suite_request& o) {
  signal_watch::block();
  prepared_suite p;
  if (auto code = prepare(o, p))
    return *code;
  std::vector<suite_cell> cells;
  auto code = suite_runner{o, p}.run(cells); // its display has said all when it is gone
  auto printed = print(o, cells);
  if (code != exit_done || printed != exit_done)
    return code != exit_done ? code : printed;
  return std::any_of(cells.begin(), cells.end(), is_proven) ? exit_done : exit_unproven;
}

std::string suite_campaign_name(const std::string& campaign, const std::string& kind,
                                const std::string& problem, const std::string& baseline) {
  constexpr std::size_t most = 100, digits = 8;
  auto name = campaign;
  for (const auto* part : {&kind, &problem, &baseline})
    if (!part->empty())
      name += "." + *part;
  std::replace(name.begin(), name.end(), '/', '.');
  if (name.size() > most)
    name = name.substr(0, most - digits - 1) + "~" + digest_of(name).substr(0, digits);
  return name;
}

} // namespace ke::cli
