#include "config/campaign_file.hpp"
#include "config/override.hpp"
#include "config/problem_file.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

const std::string root = ke::test::source_dir();

file_context context() {
  return {"campaign.toml", "/srv/files", "/home/user", [](const std::string& name) {
            return name == "SET_KEY" ? std::optional<std::string>{"value"} : std::nullopt;
          }};
}

std::string lines(const std::vector<config_error>& errors) {
  std::string all;
  for (const auto& e : errors)
    all += to_line(e) + "\n";
  return all;
}

campaign_load good(const std::string& text, const std::vector<std::string>& overrides = {}) {
  auto load = parse_campaign(text, context(), overrides);
  INFO(lines(load.errors) << lines(load.missing));
  REQUIRE(load.errors.empty());
  REQUIRE(load.missing.empty());
  return load;
}

/// The only error's line.
std::string bad(const std::string& text, const std::vector<std::string>& overrides = {}) {
  auto load = parse_campaign(text, context(), overrides);
  INFO(lines(load.errors));
  REQUIRE(load.errors.size() == 1);
  return to_line(load.errors[0]);
}

const std::string least = "[problem]\npath = \"p/problem.toml\"\n";

const std::string full = R"(
[campaign]
name  = "softmax-h200"
store = "~/.local/share/ke-runtime"
seed  = 7
[problem]
path = "problems/softmax/problem.toml"
[goal]
target_speedup = 2.0
baseline = "reference"
timed = true
[budget]
candidates = 500
wall_hours = 12
device_hours = 4.0
usd = 50.0
tokens = 20_000_000
stall = { candidates = 80, min_gain = 0.02 }
tune_candidates = 90
requests = 400
fruitless = 6
[[target]]
backend = "triton"
device  = "nvidia-h200"
[search]
policy = "best-of-n"
drafts = 9
parallel = 320
exploration = 1.5
ensemble = "weights"
memory = "parent+siblings"
[[model]]
name = "main"
provider = "anthropic"
model = "some-model"
base_url = "http://127.0.0.1:8000/v1"
timeout_s = 600
api_key_env = "SET_KEY"
command = ["llm", "-m", "x"]
dir = "spool/"
weight = 1.0
max_parallel = 8
price = { input = 3.0, output = 15.0 }
[[model]]
provider = "playbook"
[cluster]
listen = "tcp://0.0.0.0:7717"
local_worker = true
key = "keys/coordinator.key"
authorized_keys = "keys/workers"
client_keys = "keys/clients"
allow_simulated = false
[knowledge]
embeddings = { base_url = "http://127.0.0.1:8000/v1", model = "e", api_key_env = "SET_KEY" }
)";

} // namespace

TEST_CASE("every key of the contract's example arrives in the settings") {
  auto s = good(full).settings;
  CHECK(s.name == "softmax-h200");
  CHECK(s.store == "/home/user/.local/share/ke-runtime");
  CHECK(s.seed == 7);
  CHECK(s.problem_path == "/srv/files/problems/softmax/problem.toml");
  CHECK(s.goal == goal_settings{2.0, baseline_kind::reference, true});
  CHECK(s.budget == budget_settings{500, 12, 4, 50, 20'000'000, 80, 0.02, 400, 6, 90});
  CHECK(s.targets == std::vector<target_settings>{{"triton", "nvidia-h200"}});
  search_settings search{policy_kind::best_of_n,      9, 320, 1.5, ensemble_kind::weights,
                         memory_kind::parent_siblings};
  CHECK(s.search == search);
  REQUIRE(s.models.size() == 2);
  CHECK(s.models[0].provider == provider_kind::anthropic);
  CHECK(s.models[0].command == std::vector<std::string>{"llm", "-m", "x"});
  CHECK(s.models[0].dir == "/srv/files/spool");
  CHECK(s.models[0].price_output == 15.0);
  CHECK(s.models[1].name == "playbook");
  CHECK(s.cluster == cluster_settings{"tcp://0.0.0.0:7717", true, "/srv/files/keys/coordinator.key",
                                      "/srv/files/keys/workers", "/srv/files/keys/clients", false});
  CHECK(s.embeddings == embedding_settings{"http://127.0.0.1:8000/v1", "e", "SET_KEY"});
}

TEST_CASE("a baseline may be a file, found from the campaign's folder and written back whole") {
  auto s =
      good("[problem]\npath = \"p.toml\"\n[goal]\nbaseline = \"file:kernels/production.cpp\"\n").settings;
  CHECK(s.goal.baseline == baseline_kind::file);
  CHECK(s.goal.baseline_file == "/srv/files/kernels/production.cpp");
  CHECK(settings_text(s).find("baseline = \"file:/srv/files/kernels/production.cpp\"") != std::string::npos);
  CHECK(good("[problem]\npath = \"p.toml\"\n[goal]\nbaseline = \"best-known\"\n").settings.goal.baseline ==
        baseline_kind::best_known);
}

TEST_CASE("a file with only a problem gets every documented default") {
  auto s = good(least).settings;
  campaign_settings wanted;
  wanted.store = "/home/user/.local/share/ke-runtime";
  wanted.problem_path = "/srv/files/p/problem.toml";
  wanted.targets.emplace_back();
  wanted.models.emplace_back();
  wanted.budget.fruitless = usual_fruitless;
  CHECK(s == wanted);
}

TEST_CASE("paths start at the file's folder, but for absolute ones, the home folder and aten names") {
  CHECK(good("[problem]\npath = \"/abs/p.toml\"\n").settings.problem_path == "/abs/p.toml");
  CHECK(good("[problem]\npath = \"../p.toml\"\n").settings.problem_path == "/srv/p.toml");
  CHECK(good("[problem]\npath = \"aten:softmax\"\n").settings.problem_path == "aten:softmax");
  CHECK(good("[campaign]\nstore = \"~/s/\"\n" + least).settings.store == "/home/user/s");
  CHECK(good("[campaign]\nstore = \"s/./t/../u\"\n" + least).settings.store == "/srv/files/s/u");
}

TEST_CASE("the resolved settings as text read back as the same settings") {
  for (const auto& text : {least, full}) {
    auto s = good(text).settings;
    CHECK(good(settings_text(s)).settings == s);
    CHECK(settings_text(good(settings_text(s)).settings) == settings_text(s));
  }
  auto s = good(full).settings;
  s.name = "quote \" backslash \\ ümlaut";
  s.budget.usd = 0.1 + 0.2;
  s.search.exploration = 1e-9;
  s.models[0].command = {"a b", "\"", "\n\t\x7f"};
  CHECK(good(settings_text(s)).settings == s);
}

TEST_CASE("the option --set replaces, adds and reaches into lists by index and by name") {
  auto s =
      good(full, {"budget.usd=5", "search.policy=greedy", "campaign.store=/tmp/x", "model.main.weight=2",
                  "model.1.max_parallel = 3", "model.playbook.name=\"p\"", "campaign.name=2024",
                  "target.0.device=cpu*", "goal.timed=false", "budget.stall.candidates=9",
                  "model.main.price.input=1", "model.main.command=[\"x\"]", "target.triton.backend=cpu-cpp"})
          .settings;
  CHECK(s.budget.usd == 5);
  CHECK(s.search.policy == policy_kind::greedy);
  CHECK(s.store == "/tmp/x");
  CHECK(s.models[0].weight == 2);
  CHECK(s.models[1].max_parallel == 3);
  CHECK(s.models[1].name == "p");
  CHECK(s.name == "2024");
  CHECK(s.targets[0] == target_settings{"cpu-cpp", "cpu*"});
  CHECK_FALSE(s.goal.timed);
  CHECK(s.budget.stall_candidates == 9);
  CHECK(s.budget.stall_min_gain == 0.02);
  CHECK(s.models[0].price_input == 1);
  CHECK(s.models[0].price_output == 15);
  CHECK(s.models[0].command == std::vector<std::string>{"x"});
}

TEST_CASE("the option --set works on sections that the file does not have") {
  auto s = good(least, {"cluster.listen=tcp://127.0.0.1:7", "model.0.name=fast", "budget.stall.min_gain=0.5"})
               .settings;
  CHECK(s.cluster.listen == "tcp://127.0.0.1:7");
  CHECK(s.models[0].name == "fast");
  CHECK(s.budget.stall_min_gain == 0.5);
  CHECK(good("", {"problem.path=aten:gelu"}).settings.problem_path == "aten:gelu");
}

TEST_CASE("an error of --set names the flag, the key and the right name") {
  CHECK(bad(least, {"budget.usdd=5"}) == "--set: budget.usdd: unknown key (did you mean \"usd\"?)");
  CHECK(bad(least, {"budget.usd=-5"}) == "--set: budget.usd: expected a number, at least 0, found -5");
  CHECK(bad(least, {"budget.usd=much"}).starts_with("--set: budget.usd: expected a number"));
  CHECK(bad(least, {"budget.usd"}).starts_with("--set: budget.usd: expected KEY=VALUE"));
  CHECK(bad(full, {"model.mian.weight=2"}) ==
        "--set: model.mian.weight: there is no model named \"mian\" (did you mean \"main\"?)");
  CHECK(bad(full, {"model.7.weight=2"}).find("the file has 2") != std::string::npos);
  CHECK(bad(full, {"model.weight=2"}).find("model.NAME.KEY=VALUE") != std::string::npos);
  CHECK(bad(full, {"campaign.name.first=2"}).find("\"campaign.name\" is not a table") != std::string::npos);
  auto secret = bad(full, {"model.main.api_key=hunter2"});
  CHECK(secret.find("api_key_env") != std::string::npos);
  CHECK(secret.find("hunter2") == std::string::npos);
}

TEST_CASE("settings of a running campaign change by the same rules") {
  auto s = good(full).settings;
  auto changed = with_override(s, "budget.candidates=900");
  REQUIRE(changed);
  s.budget.candidates = 900;
  CHECK(*changed == s);
  auto refused = with_override(s, "budget.candidates=0");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == failure_kind::invalid);
  // No place: nobody has seen the text that these settings were written to.
  CHECK(refused.error().text.starts_with("budget.candidates: expected a whole number"));
  auto none = with_override(good(least).settings, "model.0.weight=0");
  REQUIRE_FALSE(none);
  CHECK(none.error().text.starts_with("model.weight: all weights are 0"));
}

TEST_CASE("a context that leaves a prompt no room is refused") {
  auto model = [](const std::string& more) {
    return least + "[[model]]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:1/v1\"\n" +
           more;
  };
  auto why = bad(model("context_tokens = 8192\n"));
  CHECK(why.find("model.context_tokens: a prompt needs 1024 tokens at least") != std::string::npos);
  CHECK(why.find("max_tokens (now 16384)") != std::string::npos);
  good(model("context_tokens = 8192\nmax_tokens = 4096\n"));
}

TEST_CASE("only models that will be asked need their key's variable") {
  auto model = [](const std::string& more) {
    return least + "[[model]]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:1/v1\"\n" +
           more + "[[model]]\n";
  };
  CHECK(parse_campaign(model("api_key_env = \"UNSET\"\n"), context()).missing.size() == 1);
  CHECK(parse_campaign(model("api_key_env = \"UNSET\"\nweight = 0\n"), context()).missing.empty());
  CHECK(parse_campaign(model("api_key_env = \"SET_KEY\"\n"), context()).missing.empty());
  CHECK(parse_campaign(model(""), context()).missing.empty());
  CHECK(
      parse_campaign(model("api_key_env = \"UNSET\"\n"), context(), {}, campaign_use::serve).missing.empty());
}

TEST_CASE("serve needs no problem, a campaign does") {
  CHECK(parse_campaign("[campaign]\nstore = \"s\"\n", context(), {}, campaign_use::serve).errors.empty());
  CHECK(bad("[campaign]\nstore = \"s\"\n").starts_with("campaign.toml:1:1: problem.path: required"));
}

TEST_CASE("every policy and every ensemble that the contract knows is taken") {
  for (std::string policy : {"mcts", "evolution", "beam", "greedy", "best-of-n"})
    CHECK(to_text(good("[search]\npolicy = \"" + policy + "\"\n" + least).settings.search.policy) == policy);
  for (std::string kind : {"weights", "ucb", "cost-ucb"})
    CHECK(to_text(good("[search]\nensemble = \"" + kind + "\"\n" + least).settings.search.ensemble) == kind);
}

TEST_CASE("the annotated example holds every key and is right") {
  auto load = load_campaign(root + "/config/campaign.toml");
  INFO(lines(load.errors));
  REQUIRE(load.errors.empty());
  CHECK(load.missing.empty());
  campaign_settings any;
  for (const auto& key : campaign_schema(any).keys) {
    INFO(key.path);
    auto dot = key.path.find('.');
    bool found = load.places.count(key.path) > 0;
    for (int i = 0; i < 4; ++i)
      found |=
          load.places.count(key.path.substr(0, dot) + "." + std::to_string(i) + key.path.substr(dot)) > 0;
    CHECK(found);
  }
  CHECK(load_problem(load.settings.problem_path).errors.empty());
}

TEST_CASE("the quickstart campaigns are right and share one store") {
  auto conv = load_campaign(root + "/config/quickstart/conv1d.toml"),
       softmax = load_campaign(root + "/config/quickstart/softmax.toml");
  for (const auto& load : {conv, softmax}) {
    INFO(lines(load.errors));
    CHECK(load.errors.empty());
    CHECK(load.missing.empty());
    CHECK(load_problem(load.settings.problem_path).errors.empty());
  }
  CHECK(conv.settings.store == softmax.settings.store);
  CHECK(conv.settings.name != softmax.settings.name);
}

TEST_CASE("the reference text documents every key and is itself a campaign") {
  auto text = reference_text();
  campaign_settings any;
  any.models.emplace_back();
  any.targets.emplace_back();
  for (const auto& key : campaign_schema(any).keys) {
    INFO(key.path);
    CHECK_FALSE(key.doc.empty());
    CHECK(text.find("# " + key.doc + "\n") != std::string::npos);
  }
  good(text);
}

TEST_CASE("three bytes that abort a header-only TOML parser give a clean error") {
  auto line = bad("\t[*");
  CHECK(line.starts_with("campaign.toml:1:3: "));
}

TEST_CASE("input that is no text, too deep or too long gives one error") {
  bad(std::string("\0\xff\xfe", 3));
  bad("a = \"\xff\"");
  bad("a = " + std::string(100'000, '['));
  CHECK(bad(std::string((1u << 20) + 1, '#')).find("1 MiB") != std::string::npos);
}

TEST_CASE("a file that cannot be read is one error that names it") {
  auto absent = load_campaign("/nowhere/campaign.toml");
  REQUIRE(absent.errors.size() == 1);
  CHECK(to_line(absent.errors[0]) == "cannot read /nowhere/campaign.toml: there is no such file");
  CHECK(to_line(load_campaign("/").errors.at(0)) == "cannot read /: it is a folder");
}
