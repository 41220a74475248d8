#pragma once

#include "interface/cli/report_facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke::cli {

/// report.html and report.css, and the parts of the page whose markup stays the same, whatever the facts:
/// report_campaign.html, report_plots.html, report_timing.html, report_code.html. Embedded by the build.
extern const std::string_view report_page, report_style;
extern const std::string_view report_campaign, report_plots, report_timing, report_code;

/// One self-contained page with a section per campaign: no script, nothing from outside (a content security
/// policy says so). Pure.
std::string report_html(const std::vector<report_facts>& campaigns, const std::string& title);

} // namespace ke::cli
