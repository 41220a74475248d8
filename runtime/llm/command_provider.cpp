#include "runtime/llm/command_provider.hpp"

#include "runtime/llm/provider_adapter.hpp"
#include "runtime/observe/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ke {
namespace {

std::map<std::string, std::string> whole_environment() {
  std::map<std::string, std::string> env;
  for (char** entry = environ; entry && *entry; ++entry) {
    std::string text = *entry;
    if (auto equal = text.find('='); equal != std::string::npos)
      env[text.substr(0, equal)] = text.substr(equal + 1);
  }
  return env;
}

std::string first_line(const std::string& text) {
  auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos)
    return "it wrote nothing to stderr";
  auto line = text.substr(begin, std::min<std::size_t>(text.find_first_of("\r\n", begin) - begin, 200));
  while (!line.empty() && !valid_utf8(line))
    line.pop_back();
  return line;
}

failure failure_of(const model_settings& model, const process_exit& exit) {
  auto name = "command of model " + model.name;
  if (exit.cancelled)
    return {failure_kind::cancelled, name + " was cancelled", false};
  if (exit.why.kind != failure_kind::none)
    return {exit.why.kind, name + ": " + exit.why.text, exit.why.retryable};
  if (exit.timed_out)
    return {failure_kind::timeout, name + " gave no answer within its deadline", true};
  if (exit.signal != 0)
    return {failure_kind::server_error,
            name + " was ended by signal " + std::to_string(exit.signal) + ": " + first_line(exit.err), true};
  if (exit.code != 0)
    return {failure_kind::server_error,
            name + " exited with " + std::to_string(exit.code) + ": " + first_line(exit.err), true};
  return {};
}

failure flooded(const model_settings& model) {
  return {failure_kind::too_large,
          "command of model " + model.name +
              " printed more than max_answer_bytes = " + std::to_string(model.max_answer_bytes),
          false};
}

process_spec spec_of(const model_settings& model, const ask_request& request) {
  process_spec spec;
  spec.argv = model.command;
  spec.env = whole_environment();
  spec.input = text_of(request.prompt);
  spec.deadline = request.deadline.count() > 0
                      ? request.deadline
                      : std::chrono::milliseconds{static_cast<std::int64_t>(model.timeout_s * 1000)};
  spec.output_limit = static_cast<std::uint64_t>(model.max_answer_bytes);
  return spec;
}

made_provider make_command_provider(const model_settings& model, provider_services& services) {
  if (!services.process)
    return failure{failure_kind::internal, "no process service for model " + model.name, false};
  if (model.command.empty())
    return invalid_model(model, "`command` must hold the program and its arguments");
  return made_provider{
      std::make_unique<command_provider>(*services.process, model, std::move(services.record))};
}

} // namespace

constinit const provider_adapter command_adapter{make_command_provider};

command_provider::command_provider(process_port& processes, model_settings model, answer_recorder record)
    : processes_{processes}, model_{std::move(model)}, record_{std::move(record)} {}

command_provider::~command_provider() {
  for (auto id : open_.all())
    processes_.cancel(id);
  open_.wait();
}

std::uint64_t command_provider::ask(ask_request request, std::function<void(raw_answer)> done) {
  auto id = open_.begin();
  auto spec = spec_of(model_, request);
  // A program that never stops printing is not waited for.
  auto printed = std::make_shared<std::int64_t>(0); // touched by the process thread alone
  spec.on_output = [this, id, printed](std::string_view chunk) {
    *printed += static_cast<std::int64_t>(chunk.size());
    if (*printed > model_.max_answer_bytes)
      cancel(id);
  };
  auto finished = [this, id, printed, call = std::move(request.call), bytes = spec.input.size(),
                   done = std::move(done)](process_exit exit) {
    raw_answer answer;
    answer.id = id;
    answer.call = call;
    answer.provider = model_.provider;
    answer.why = *printed > model_.max_answer_bytes ? flooded(model_) : failure_of(model_, exit);
    answer.status = exit.code;
    answer.seconds = exit.seconds;
    answer.body = log::masked(exit.out); // it has the keys of all models in its environment
    if (record_)
      record_(answer);
    answer.reply = plain_completion(model_, bytes, answer.body);
    if (answer.why.kind == failure_kind::none)
      answer.why = answer.reply.why;
    else
      answer.reply.why = answer.why;
    done(std::move(answer));
    open_.end(id);
  };
  open_.bind(id, processes_.run(std::move(spec), std::move(finished)));
  return id;
}

void command_provider::cancel(std::uint64_t id) {
  if (auto below = open_.below(id))
    processes_.cancel(*below);
}

} // namespace ke
