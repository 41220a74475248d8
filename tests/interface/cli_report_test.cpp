#include "interface/cli/html_text.hpp"
#include "interface/cli/report_html.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/actors/small_store.hpp"
#include "tests/interface/command_line.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>
#include <set>

using namespace ke;

namespace {

/// The first tag that doesn't close the one that is open, or nothing: well-formed but for HTML's void
/// elements.
std::string badly_nested(const std::string& html) {
  static const std::set<std::string> empty_ones{"meta", "br", "hr", "img", "link", "input"};
  static const std::regex tag{"<(/?)([a-zA-Z0-9]+)([^<>]*)>"};
  std::vector<std::string> open;
  for (std::sregex_iterator t{html.begin(), html.end(), tag}, end; t != end; ++t) {
    auto name = (*t)[2].str(), rest = (*t)[3].str();
    if (empty_ones.contains(name) || (!rest.empty() && rest.back() == '/'))
      continue;
    if ((*t)[1].length() == 0)
      open.push_back(name);
    else if (open.empty() || open.back() != name)
      return t->str() + " while " + (open.empty() ? "nothing" : open.back()) + " is open";
    else
      open.pop_back();
  }
  return open.empty() ? "" : open.back() + " is never closed";
}

} // namespace

TEST_CASE(
    "the report is one page without scripts or anything from outside, and escapes what candidates wrote") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  c.finish("stopped");
  auto file = dir / "report.html";
  auto r = run_command({"report", "--store", dir.path(), "-o", file});
  INFO(r.err);
  REQUIRE(r.code == 0);
  CHECK(r.out.find("first correct kernel after ") != std::string::npos);
  auto html = content_of(file);
  CHECK(badly_nested(html) == "");
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;") != std::string::npos);
  CHECK(html.find("default-src 'none'") != std::string::npos);
  for (auto outside : {"http://", "https://", "src=", "url(", "@import", "<link"})
    CHECK(html.find(outside) == std::string::npos);
  CHECK(html.find("prefers-color-scheme: dark") != std::string::npos);
}

TEST_CASE("the report tells speedups with intervals, times, costs, failures, bottlenecks and provenance") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  c.finish("stopped");
  auto html = run_command({"report", "--store", dir.path(), "-o", "-"}).out;
  for (auto part :
       {"3.00x [2.95, 3.05]", "2.00x [1.95, 2.05]", "to the first correct kernel", "to the best kernel",
        "device-s", "USD", "rate_limited", "compute (confidence 90%, 70% of the roofline)", "-march=native",
        "g++ 12.2.0", "build_failed", "Speedup over time", "class=\"band\"", "<details open>",
        "finished: stopped", "How each dollar was spent"})
    CHECK_THAT(html, Catch::Contains(part));
}

TEST_CASE("a store with several campaigns has a section for each, one without results too") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign a{*store, 1, "first"}, b{*store, 2, "second <b>"};
  typical(a);
  auto html = run_command({"report", "--store", dir.path(), "-o", "-"}).out;
  CHECK(badly_nested(html) == "");
  CHECK_THAT(html, Catch::Contains("<section id=\"c1\">") && Catch::Contains("<section id=\"c2\">") &&
                       Catch::Contains("second &lt;b&gt;") &&
                       Catch::Contains("Nothing has been measured yet"));
}

TEST_CASE("a report of a very large tree shows the best nodes and the ways to them") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  auto changed = c.settings;
  changed.budget.candidates = 5000;
  changed.search.drafts = 5000;
  c.configure(changed);
  c.plan(3000);
  c.ask(2500, "p");
  c.answer(2500, small_source(1));
  c.judge(2500, verdict_state::correct, 2.0);
  auto html = run_command({"report", "--store", dir.path(), "-o", "-"}).out;
  CHECK_THAT(html,
             Catch::Contains("2,999 more children, left out here") && Catch::Contains("3,000 candidates"));
  CHECK(html.size() < 200'000);
}

TEST_CASE("the report's page and style are whole, and every place of the page is filled") {
  for (auto part :
       {cli::report_page, cli::report_campaign, cli::report_plots, cli::report_timing, cli::report_code})
    CHECK(badly_nested(std::string{part}) == "");
  std::string style{cli::report_style};
  CHECK(std::count(style.begin(), style.end(), '{') == std::count(style.begin(), style.end(), '}'));
  CHECK(style.find('<') == std::string::npos);
  auto page = cli::report_html({}, "a <title>");
  CHECK(page.find("{{") == std::string::npos);
  CHECK_THAT(page, Catch::Contains("<title>a &lt;title&gt;</title>") &&
                       Catch::Contains("holds no campaign") && Catch::Contains(".cards { display: grid"));
}

TEST_CASE("text for a page has no markup and only valid characters") {
  CHECK(cli::html_text("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(cli::html_text("\xff\x01 \xc3\xa4 \xed\xa0\x80 \xf0\x9f\x98\x80") ==
        "\xef\xbf\xbd\xef\xbf\xbd \xc3\xa4 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xf0\x9f\x98\x80");
}
