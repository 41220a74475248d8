#include "config/campaign_checks.hpp"

#include "config/endpoint_host.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace ke {
namespace {

class campaign_checker {
public:
  campaign_checker(campaign_load& load, const file_context& context)
      : load_{load}, s_{load.settings}, context_{context} {}

  void campaign() {
    auto odd = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/'; };
    if (s_.name.empty() || s_.name.size() > 100 || std::any_of(s_.name.begin(), s_.name.end(), odd))
      wrong("campaign.name", "expected 1 to 100 characters without \"/\" and control characters");
    if (load_.places.count("problem.path") && s_.problem_path.empty())
      wrong("problem.path", "expected a path or \"aten:NAME\", found an empty string");
    if (s_.problem_path == "aten:")
      wrong("problem.path", "an operator's name is expected after \"aten:\"");
    for (std::string key : {"campaign.store", "problem.path"})
      if (auto& value = key == "problem.path" ? s_.problem_path : s_.store;
          value.find("/~") != value.npos && context_.home.empty())
        wrong(key, "\"~\" has no meaning here: HOME is not set");
  }

  void targets() {
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t i = 0; i < s_.targets.size(); ++i) {
      auto place = "target." + std::to_string(i);
      auto& t = s_.targets[i];
      if (t.backend.empty())
        wrong(place + ".backend", "expected a backend's name, found an empty string");
      if (t.device.empty())
        wrong(place + ".device",
              "expected a pattern over device names, found an empty string; \"*\" takes any");
      if (!seen.emplace(t.backend, t.device).second)
        wrong(place, "this backend and device stand in the file twice");
    }
  }

  void search() {
    const auto& axes = names_of<cell_axis>::value;
    std::string all;
    for (auto name : axes)
      all += (all.empty() ? "" : " | ") + std::string{name};
    for (const auto& name : s_.search.cells)
      if (std::find(axes.begin(), axes.end(), name) == axes.end() ||
          std::count(s_.search.cells.begin(), s_.search.cells.end(), name) > 1)
        wrong("search.cells", "expected each of " + all + " at most once, found \"" + name + "\"");
    if (s_.search.edits + s_.search.rewrites > 1)
      wrong("search.rewrites", "edits and rewrites are shares of the same changes: together at most 1");
  }

  void models(bool used) {
    std::set<std::string> names;
    double weight = 0;
    for (std::size_t i = 0; i < s_.models.size(); ++i) {
      auto place = "model." + std::to_string(i);
      auto& m = s_.models[i];
      weight += m.weight;
      if (m.name.empty())
        wrong(place + ".name", "expected a name, found an empty string");
      else if (!names.insert(m.name).second)
        wrong(place + ".name", "another model is already called \"" + m.name + "\"; give each its own name");
      provider(m, place);
      if (auto prompt = static_cast<std::int64_t>(prompt_budget(s_, m.name));
          m.weight > 0 && prompt > 0 && prompt > m.context_tokens - m.max_tokens)
        wrong(place + ".context_tokens",
              "a prompt needs " + std::to_string(prompt) +
                  " tokens at least: give this the model's context, and max_tokens (now " +
                  std::to_string(m.max_tokens) + ") what an answer may have of it");
      variable(place + ".api_key_env", m.api_key_env);
      if (used && m.weight > 0)
        key_present(m, place);
    }
    if (!(weight > 0))
      wrong("model.0.weight",
            "all weights are 0: no model would be asked; give at least one a weight above 0");
  }

  void cluster() {
    const auto& c = s_.cluster;
    if (c.listen.empty()) {
      if (!c.local_worker)
        warn("cluster.local_worker",
             "no local worker and no listen address: nothing will ever measure a candidate");
      return;
    }
    if (c.listen.starts_with("ipc://") && c.listen.size() > 6)
      return;
    auto host = c.listen.starts_with("tcp://") ? host_of_listen(c.listen.substr(6)) : std::nullopt;
    if (!host)
      return wrong("cluster.listen", "expected tcp://HOST:PORT or ipc://PATH");
    if (is_loopback(*host))
      return;
    std::string lacking;
    for (auto [name, value] : {std::pair{"key", &c.key}, std::pair{"authorized_keys", &c.authorized_keys}})
      if (value->empty())
        lacking += (lacking.empty() ? "" : " and ") + std::string{name};
    if (!lacking.empty())
      wrong("cluster.listen", "an address that other machines reach needs [cluster] " + lacking +
                                  " (make keys with `ke-runtime keygen`)");
  }

  void embeddings(bool used) {
    const auto& e = s_.embeddings;
    const std::string place = "knowledge.embeddings";
    if (e.base_url.empty() != e.model.empty())
      wrong(place, e.model.empty() ? "base_url needs model, too" : "model needs base_url, too");
    url(place + ".base_url", e.base_url);
    variable(place + ".api_key_env", e.api_key_env);
    if (used && !e.api_key_env.empty() && !is_set(e.api_key_env))
      warn(place + ".api_key_env",
           "the environment variable " + e.api_key_env + " is not set: retrieval goes by words alone");
  }

  void agents() {
    for (auto [name, model] : {std::pair{"memory", &s_.agents.memory}, {"research", &s_.agents.research}}) {
      if (model->empty())
        continue;
      const auto place = std::string{"agents."} + name;
      auto m =
          std::find_if(s_.models.begin(), s_.models.end(), [&](const auto& x) { return x.name == *model; });
      if (m == s_.models.end())
        wrong(place, "no [[model]] is named \"" + *model + "\"");
      else if (traits_of(m->provider).task_only)
        wrong(place, "the playbook writes kernels and nothing else: name another [[model]]");
    }
  }

private:
  void provider(const model_settings& m, const std::string& place) {
    auto needs = [&](const char* key, bool given) {
      if (!given)
        wrong(place + "." + key, "provider \"" + std::string{to_text(m.provider)} + "\" needs " + key);
    };
    switch (traits_of(m.provider).place) {
    case provider_place::endpoint:
      needs("model", !m.model.empty());
      needs("base_url", !m.base_url.empty());
      if (s_.budget.usd > 0 && m.price_input == 0 && m.price_output == 0 &&
          !is_loopback(host_of_url(m.base_url).value_or("localhost")))
        warn(place, "budget.usd cannot see what this model costs: it has no price");
      break;
    case provider_place::program:
      needs("command", !m.command.empty() && !m.command[0].empty());
      break;
    case provider_place::folder:
      needs("dir", !m.dir.empty());
      break;
    case provider_place::embedded:
      break;
    }
    url(place + ".base_url", m.base_url);
  }

  void url(const std::string& place, const std::string& text) {
    if (text.empty())
      return;
    if (text.find('@') < text.find('/', std::min(text.find("://"), text.size() - 1) + 3))
      wrong(place, "a user or password in the address is a secret: put the key in an environment variable "
                   "and name it in api_key_env");
    else if (!host_of_url(text))
      wrong(place, "expected an address like http://127.0.0.1:8000/v1");
  }

  void variable(const std::string& place, const std::string& name) {
    auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    if (!name.empty() &&
        (!std::all_of(name.begin(), name.end(), fits) || std::isdigit(static_cast<unsigned char>(name[0]))))
      wrong(place, "expected the name of an environment variable, e.g. \"OPENAI_API_KEY\"");
  }

  void key_present(const model_settings& m, const std::string& place) {
    const auto& traits = traits_of(m.provider);
    if (!traits.remote())
      return;
    auto host = host_of_url(m.base_url);
    if (!m.api_key_env.empty()) {
      if (!is_set(m.api_key_env))
        lack(place + ".api_key_env",
             "the environment variable " + m.api_key_env + " is not set: export it with the provider's key");
    } else if (traits.wants_key && host && !is_loopback(*host)) {
      lack(place + ".api_key_env",
           "this server wants a key: name the environment variable that holds it in api_key_env");
    }
  }

  bool is_set(const std::string& name) const {
    auto value = context_.variable ? context_.variable(name) : std::nullopt;
    return value && !value->empty();
  }

  void wrong(const std::string& place, const std::string& text) {
    add_error(load_.errors, load_.places, context_.name, place, text);
  }
  void warn(const std::string& place, const std::string& text) {
    add_error(load_.warnings, load_.places, context_.name, place, text);
  }
  void lack(const std::string& place, const std::string& text) {
    add_error(load_.missing, load_.places, context_.name, place, text);
  }

  campaign_load& load_;
  const campaign_settings& s_;
  const file_context& context_;
};

} // namespace

void check_campaign(campaign_load& load, const file_context& context, campaign_use use) {
  campaign_checker all{load, context};
  auto used = use != campaign_use::serve;
  all.campaign();
  all.targets();
  all.search();
  all.models(used);
  all.cluster();
  all.embeddings(used);
  all.agents();
}

} // namespace ke
