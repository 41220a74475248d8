#pragma once

#include "runtime/records/suite_metrics.hpp"

#include <string>
#include <vector>

namespace ke::cli {

/// Cells of one backend against one baseline: figures of different ones are never mixed.
struct suite_column {
  std::string backend, baseline;
  std::vector<suite_cell> cells;
};
/// In the order in which they first appear. Pure, as all of these.
std::vector<suite_column> columns_of(const std::vector<suite_cell>& cells);

/// "level1/1_x on torch-cpu: correct, faster, 1.31x [1.29, 1.33] over the reference"
std::string cell_line(const suite_cell& cell);

/// For people: a table of the cells, then per column totals and metrics.
std::string suite_text(const std::string& suite, const std::vector<suite_cell>& cells);

/// product.md: {suite, cells, totals, metrics}, of the first column; all of them under `columns`.
std::string suite_json(const std::string& suite, const std::vector<suite_cell>& cells);

} // namespace ke::cli
