#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/status_document.hpp"
#include "interface/cli/status_text.hpp"

#include <CLI/CLI.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <iostream>

namespace ke::cli {
namespace {

constexpr std::size_t top_shown = 5;

volatile std::sig_atomic_t asked_to_leave = 0;

/// While it lives, Ctrl-C sets `asked_to_leave` and ends a wait.
class leave_on_interrupt {
public:
  leave_on_interrupt() {
    asked_to_leave = 0;
    struct sigaction action{};
    action.sa_handler = [](int) { asked_to_leave = 1; };
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
  }
  ~leave_on_interrupt() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }
  leave_on_interrupt(const leave_on_interrupt&) = delete;
  leave_on_interrupt& operator=(const leave_on_interrupt&) = delete;

private:
  struct sigaction interrupt_{}, terminate_{};
};

/// One second, or until a signal.
void pause_a_second() {
  timespec second{1, 0};
  if (!asked_to_leave)
    ::nanosleep(&second, nullptr);
}

std::string text_of(const status_source& source, const status_document& d) {
  std::string text;
  for (const auto& c : d.campaigns)
    text += (text.empty() ? "" : "\n") + status_text(c, source.top(c.id, top_shown));
  if (d.campaigns.empty())
    text = "no campaigns yet\n";
  if (source.through().silence)
    text += "\n" + source.through().silence->text + "; this is what the store holds\n";
  return text;
}

bool any_runs(const status_document& d) {
  return std::any_of(d.campaigns.begin(), d.campaigns.end(), still_runs);
}

int show_status(const access_options& where, bool as_json, bool watch) {
  auto a = open_access(where, ask_owner::yes);
  if (!a)
    return complain(a.error());
  status_source source{std::move(*a)};
  for (;;) {
    auto d = source.read();
    if (!d)
      return complain(d.error());
    std::cout << (as_json ? d->json() + "\n" : text_of(source, *d)) << std::flush;
    if (!watch || !any_runs(*d) || !std::cout)
      return exit_done;
    if (!as_json)
      std::cout << '\n';
    pause_a_second();
  }
}

/// The alternate screen of a terminal; the old one comes back at the end.
class screen {
public:
  screen() { std::cout << "\x1b[?1049h\x1b[?25l"; }
  ~screen() { std::cout << "\x1b[?25h\x1b[?1049l" << std::flush; }
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  void draw(const std::string& text) {
    winsize size{};
    bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 && size.ws_col > 1;
    std::size_t rows = known ? size.ws_row : 24u, columns = known ? size.ws_col : 80u;
    std::string out = "\x1b[H";
    std::size_t row = 0;
    for (std::size_t at = 0; at < text.size() && row + 1 < rows; ++row) {
      auto end = std::min(text.find('\n', at), text.size());
      out += text.substr(at, std::min(end - at, columns)) + "\x1b[K\n";
      at = end + 1;
    }
    std::cout << out << "\x1b[J" << std::flush;
  }
};

int live_view(const access_options& where) {
  auto a = open_access(where, ask_owner::yes);
  if (!a)
    return complain(a.error());
  status_source source{std::move(*a)};
  leave_on_interrupt leaving;
  std::string last;
  if (::isatty(STDOUT_FILENO)) {
    screen terminal;
    while (!asked_to_leave) {
      auto d = source.read();
      if (!d) {
        last = d.error().text + "\n";
        break;
      }
      last = text_of(source, *d);
      if (!any_runs(*d))
        break;
      terminal.draw(last + "\nCtrl-C leaves; the campaign goes on\n");
      pause_a_second();
    }
  } else {
    while (!asked_to_leave && std::cout) {
      auto d = source.read();
      if (!d)
        return complain(d.error());
      for (const auto& c : d->campaigns)
        std::cout << status_line(c) << std::endl;
      if (!any_runs(*d))
        return exit_done;
      pause_a_second();
    }
  }
  std::cout << last;
  return exit_done;
}

} // namespace

void add_status(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("status", "The campaigns of a store: state, best, budget left, failures, workers");
  auto where = add_access(*command);
  auto as_json = std::make_shared<bool>(false), watch = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "One JSON document (with --watch: one per second)");
  command->add_flag("--watch", *watch, "Repeat every second until nothing runs any more");
  command->footer("Example: ke-runtime status --config campaign.toml --watch");
  command->callback(
      [=, &exit_code] { exit_code = guarded([&] { return show_status(*where, *as_json, *watch); }); });

  auto* top = app.add_subcommand("top", "A live view of running campaigns; Ctrl-C leaves it");
  auto where_top = add_access(*top);
  top->footer("Example: ke-runtime top --store ~/.local/share/ke-runtime");
  top->callback([=, &exit_code] { exit_code = guarded([&] { return live_view(*where_top); }); });
}

} // namespace ke::cli
