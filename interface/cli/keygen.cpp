#include "interface/cli/commands.hpp"
#include "runtime/net/keys.hpp"
#include "runtime/observe/exit_codes.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace ke::cli {

void add_keygen(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "keygen", "Make a CURVE key pair: NAME.key (secret, mode 0600) and NAME.pub, and their folder");
  auto name = std::make_shared<std::string>();
  command->add_option("-o", *name, "Folder and NAME, without an ending")->required();
  command->footer("Example:\n  ke-runtime keygen -o keys/node7");
  command->callback([name, &exit_code] {
    if (auto made = keygen(*name); !made) {
      std::cerr << "ke-runtime: " << made.error().text << '\n';
      exit_code = exit_code_of(made.error());
      return;
    }
    std::cout << *name << ".key\n" << *name << ".pub\n";
  });
}

} // namespace ke::cli
