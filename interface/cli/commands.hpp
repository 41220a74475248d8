#pragma once

namespace CLI {
class App;
}

namespace ke::cli {

/// Each adds one command, or a family, to the program. Callbacks set `exit_code` and never throw. Results go
/// to stdout, words to stderr.
void add_run(CLI::App& app, int& exit_code); // run, serve, submit
void add_worker(CLI::App& app, int& exit_code);
void add_eval(CLI::App& app, int& exit_code);    // eval
void add_profile(CLI::App& app, int& exit_code); // profile
void add_problem(CLI::App& app, int& exit_code); // problem lint
void add_steer(CLI::App& app, int& exit_code);   // pause, resume, stop, hint, set
void add_status(CLI::App& app, int& exit_code);  // status, top
void add_best(CLI::App& app, int& exit_code);    // best
void add_best_known(CLI::App& app, int& exit_code);
void add_tree(CLI::App& app, int& exit_code);    // tree, show, diff
void add_report(CLI::App& app, int& exit_code);  // report
void add_export(CLI::App& app, int& exit_code);  // export best|trajectories|tree|csv
void add_store(CLI::App& app, int& exit_code);   // store check|compact|export|merge (hidden: verify-pages)
void add_replay(CLI::App& app, int& exit_code);  // replay
void add_what_if(CLI::App& app, int& exit_code); // what-if
void add_knowledge(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_suite(CLI::App& app, int& exit_code); // suite run|list
void add_bench(CLI::App& app, int& exit_code); // bench overhead|slots|tree|search
void add_keygen(CLI::App& app, int& exit_code);

} // namespace ke::cli
