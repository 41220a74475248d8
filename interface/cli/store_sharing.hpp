#pragma once

namespace CLI {
class App;
}

namespace ke::cli {

/// Adds `export` and `merge` to the command `store`.
void add_store_sharing(CLI::App& store, int& exit_code);

} // namespace ke::cli
