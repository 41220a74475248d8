#pragma once

#include "interface/cli/report_facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke::cli {

/// report.html and report.css, embedded by the build.
extern const std::string_view report_page, report_style;

/// One self-contained page with a section per campaign: no script, nothing from outside (a content security
/// policy says so). Pure.
std::string report_html(const std::vector<report_facts>& campaigns, const std::string& title);

} // namespace ke::cli
