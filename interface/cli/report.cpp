#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/output_file.hpp"
#include "interface/cli/report_facts.hpp"
#include "interface/cli/report_html.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace ke::cli {
namespace {

void print_facts(const report_facts& f) {
  std::cout << f.row.name << ": ";
  if (f.steps.empty())
    std::cout << "no correct candidate"
              << (f.compiled > 0 ? "; " + std::to_string(f.compiled) + " compiled, not executed" : "");
  else
    std::cout << "first correct kernel after "
              << duration_text(static_cast<double>(f.first_correct_ms.value_or(0)) / 1000) << ", best ("
              << (f.steps.back().timed
                      ? speedup_text(f.steps.back().speedup, f.steps.back().low, f.steps.back().high)
                      : "not timed")
              << (f.below.empty() ? "" : ", no claim: " + f.below) << ") after "
              << duration_text(static_cast<double>(*f.best_ms) / 1000);
  std::cout << '\n';
}

int report(const access_options& where, const std::string& file) {
  auto a = open_access(where);
  if (!a)
    return complain(a.error());
  auto rows = wanted_campaigns(*a, "report");
  if (!rows)
    return complain(rows.error());
  std::vector<report_facts> facts;
  for (const auto& row : *rows) {
    auto c = campaign_view::open(*a->store, row);
    if (!c)
      return complain(c.error());
    auto f = report_facts_of(*c);
    if (!f)
      return complain(f.error());
    facts.push_back(std::move(*f));
  }
  auto title = "Kernel search: " +
               (facts.size() == 1 ? facts.front().row.name : std::to_string(facts.size()) + " campaigns");
  auto html = report_html(facts, title);
  if (file == "-") {
    std::cout << html;
    return exit_done;
  }
  if (auto done = write_output(file, html); !done)
    return complain(done.error());
  for (const auto& f : facts)
    print_facts(f);
  std::cout << "report: " << file << '\n';
  return exit_done;
}

} // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("report", "One self-contained HTML file about a campaign, or about all of a store");
  auto where = add_access(*command);
  auto file = std::make_shared<std::string>();
  command->add_option("-o,--output", *file, "The file to write; - for stdout")
      ->required()
      ->type_name("FILE.html");
  command->footer("Example: ke-runtime report --config campaign.toml -o report.html");
  command->callback([=, &exit_code] { exit_code = guarded([&] { return report(*where, *file); }); });
}

} // namespace ke::cli
