#include "interface/cli/doctor_models.hpp"

#include "runtime/llm/http_service.hpp"
#include "runtime/llm/provider.hpp"
#include "runtime/observe/log.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <sstream>

namespace ke::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds patience_with_models{5'000};

model_health check_endpoint(const model_settings& m) {
  std::string key;
  if (!m.api_key_env.empty()) {
    key = log::masked_key(m.api_key_env);
    if (key.empty())
      return {"missing", "the variable " + m.api_key_env + " is not set: export it"};
  }
  auto request = encode_list_of_models(m, key);
  request.connect = request.first_byte = request.stall = request.total = patience_with_models;
  auto at = std::string{to_text(m.provider)} + " at " + request.url;
  std::promise<http_response> told;
  auto answer = told.get_future();
  http_service http;
  http.send(std::move(request), [&](http_response r) { told.set_value(std::move(r)); });
  auto r = answer.get();
  auto status = "HTTP " + std::to_string(r.status);
  if (r.why.kind != failure_kind::none && r.why.kind != failure_kind::too_large)
    return {"broken", at + ": " + log::masked(r.why.text)};
  if (r.status == 401 || r.status == 403)
    return {"broken", at + " refuses the key (" + status + "): check " +
                          (m.api_key_env.empty() ? "api_key_env" : "the variable " + m.api_key_env)};
  if (r.status >= 500)
    return {"broken", at + " fails (" + status + ")"};
  if (r.status != 200)
    return {"degraded", at + " answers, but tells no models (" + status + "): whether it has " + m.model +
                            " shows with the first request"};
  if (!m.model.empty() && r.body.find('"' + m.model + '"') == std::string::npos)
    return {"degraded", at + " answers, but does not list " + m.model};
  return {"ok", at + (m.model.empty() ? "" : ", lists " + m.model)};
}

model_health check_program(const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? model_health{"ok", "command " + name}
                                             : model_health{"broken", name + " can't be run"};
  const char* path = std::getenv("PATH");
  std::istringstream folders{path ? path : "/usr/bin:/bin"};
  for (std::string folder; std::getline(folders, folder, ':');)
    if (auto file = fs::path{folder} / name;
        ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error))
      return {"ok", "command " + file.string()};
  return {"missing", "no program " + name + " in PATH"};
}

model_health check_folder(const model_settings& m) {
  std::error_code error;
  auto name = std::string{to_text(m.provider)} + " in " + m.dir;
  auto there = fs::exists(m.dir, error);
  if (there && !fs::is_directory(m.dir, error))
    return {"broken", m.dir + " is not a folder"};
  if (!traits_of(m.provider).writes_folder)
    return there ? model_health{"ok", name} : model_health{"missing", m.dir + " is not there"};
  auto above = fs::path{m.dir};
  while (!fs::exists(above, error) && above.has_relative_path())
    above = above.parent_path();
  if (!fs::is_directory(above, error) || ::access(above.c_str(), W_OK) != 0)
    return {"broken",
            there ? m.dir + " can't be written"
                  : m.dir + " can't be made: " + above.string() + " is no folder that can be written"};
  return {"ok", there ? name : name + ", which will be made"};
}

} // namespace

model_health check_local_model(const model_settings& m) {
  switch (traits_of(m.provider).place) {
  case provider_place::endpoint:
    return {"ok", "asked at the first request"};
  case provider_place::program:
    return check_program(m.command.empty() ? std::string{} : m.command.front());
  case provider_place::folder:
    return check_folder(m);
  case provider_place::embedded:
    break;
  }
  return {"ok", std::string{to_text(m.provider)} + ", embedded"};
}

model_health check_model(const model_settings& m) {
  return traits_of(m.provider).remote() ? check_endpoint(m) : check_local_model(m);
}

} // namespace ke::cli
