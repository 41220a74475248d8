#include "tests/net/peers.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/net/control_socket.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/net/zap.hpp"

#include <sys/stat.h>

#include <fstream>

using namespace ke;
using namespace ke::test;

namespace {

/// Keys on disk: a coordinator, a worker "rack", a client "laptop", a stranger; the folders list the two.
struct fleet_keys {
  fleet_keys() {
    for (auto folder : {"workers", "clients"})
      std::filesystem::create_directory(in.path + "/" + folder);
    for (auto name : {"coordinator", "workers/rack", "clients/laptop", "stranger"})
      REQUIRE(keygen(in.path + "/" + name));
  }
  key_pair pair(const std::string& name) const { return must(load_key_pair(in.path + "/" + name + ".key")); }
  std::string server() const { return must(load_public_key(in.path + "/coordinator.pub")); }
  listen_options options() const {
    auto o = listening("tcp://127.0.0.1:*");
    o.keys = pair("coordinator");
    o.authorized_keys = in.path + "/workers";
    o.client_keys = in.path + "/clients";
    return o;
  }
  temp_folder in;
};

connect_options dial(const std::string& address, const std::string& server, std::optional<key_pair> keys) {
  auto o = connecting(address, "claims-another-name");
  o.server_key = server;
  o.keys = std::move(keys);
  return o;
}

} // namespace

TEST_CASE("keygen writes a secret file and a public file that fit together, and never overwrites") {
  temp_folder folder;
  auto name = folder.path + "/n";
  REQUIRE(keygen(name));
  struct stat s{};
  REQUIRE(::stat((name + ".key").c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0600);
  auto pair = must(load_key_pair(name + ".key"));
  CHECK(pair.public_key == must(load_public_key(name + ".pub")));
  auto again = keygen(name);
  REQUIRE_FALSE(again);
  CHECK(again.error().text.find("never overwritten") != std::string::npos);
  ::chmod((name + ".key").c_str(), 0644);
  auto loose = load_key_pair(name + ".key");
  REQUIRE_FALSE(loose);
  CHECK(loose.error().text.find("chmod 600") != std::string::npos);
  auto none = load_key_pair(folder.path + "/none.key").error();
  CHECK(none.kind == failure_kind::missing);
  CHECK(none.text.find("keygen -o " + folder.path + "/none`") != std::string::npos);
  REQUIRE(keygen(folder.path + "/new/n"));
  REQUIRE(::stat((folder.path + "/new").c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0700);
  std::ofstream{folder.path + "/bad.pub"} << "not a key\n";
  CHECK(load_public_key(folder.path + "/bad.pub").error().kind == failure_kind::invalid);
}

TEST_CASE("the key ring follows its folders and keeps rights apart") {
  fleet_keys k;
  key_ring ring{k.in.path + "/workers", k.in.path + "/clients", false};
  REQUIRE(ring.check());
  auto rack = ring.find(k.pair("workers/rack").public_key);
  REQUIRE(rack);
  CHECK(rack->worker);
  CHECK_FALSE(rack->client);
  CHECK(rack->name == "rack");
  CHECK(parse_user_id(user_id(*rack)).name == "rack");
  CHECK(ring.find(k.pair("clients/laptop").public_key)->client);
  auto stranger = k.pair("stranger").public_key;
  CHECK_FALSE(ring.find(stranger));
  std::filesystem::copy_file(k.in.path + "/stranger.pub", k.in.path + "/workers/late.pub");
  REQUIRE(ring.find(stranger));
  CHECK(ring.find(stranger)->name == "late");
  std::filesystem::remove(k.in.path + "/workers/late.pub");
  CHECK_FALSE(ring.find(stranger));

  CHECK(key_ring{"", "", true}.find(stranger)->worker);
  CHECK_FALSE(key_ring{"", "", false}.check());
  CHECK(key_ring(k.in.path + "/nowhere", "", false).check().error().kind == failure_kind::missing);
}

TEST_CASE("an authorized worker attaches under its key's name and content reaches it encrypted") {
  fleet_keys k;
  inbox c, w;
  auto coordinator = must(transport::listen(k.options(), c.events()));
  auto worker = must(
      transport::connect(dial(coordinator->endpoints()[0], k.server(), k.pair("workers/rack")), w.events()));
  auto hello = c.take(frame_kind::hello);
  REQUIRE(hello);
  CHECK(wire::decode<wire::hello_body>(hello->body)->name == "rack");
  auto welcome = w.take(frame_kind::welcome);
  REQUIRE(welcome);
  CHECK(wire::decode<wire::welcome_body>(welcome->body)->name == "rack");
  std::string content(300'000, 'c');
  coordinator->send_blob(hello->peer, digest_of(content), content);
  auto blob = w.take_blob();
  REQUIRE(blob);
  CHECK(std::get<2>(*blob) == content);
}

TEST_CASE("no key, an unlisted key, a wrong server key and a client's key get no session") {
  fleet_keys k;
  inbox c, plain, stranger, misled, client, good;
  auto coordinator = must(transport::listen(k.options(), c.events()));
  auto at = coordinator->endpoints()[0];
  auto p = must(transport::connect(connecting(at), plain.events()));
  auto s = must(transport::connect(dial(at, k.server(), k.pair("stranger")), stranger.events()));
  auto m = must(
      transport::connect(dial(at, k.pair("stranger").public_key, k.pair("workers/rack")), misled.events()));
  auto l = must(transport::connect(dial(at, k.server(), k.pair("clients/laptop")), client.events()));
  auto refused = client.take(frame_kind::refuse);
  REQUIRE(refused);
  CHECK(wire::decode<wire::refuse_body>(refused->body)->reason.find("authorized_keys") != std::string::npos);
  auto g = must(transport::connect(dial(at, k.server(), k.pair("workers/rack")), good.events()));
  REQUIRE(good.take(frame_kind::welcome));
  REQUIRE(c.take(frame_kind::hello));
  CHECK_FALSE(plain.take(frame_kind::welcome, 300ms));
  CHECK_FALSE(stranger.take(frame_kind::welcome, 1ms));
  CHECK_FALSE(misled.take(frame_kind::welcome, 1ms));
  CHECK(c.count(frame_kind::hello) == 0);
}

TEST_CASE("a worker's key may not steer, a client's may") {
  fleet_keys k;
  inbox c, w, l;
  auto coordinator = must(transport::listen(k.options(), c.events()));
  auto client = [&](const std::string& name, inbox& in) {
    auto o = dial(coordinator->endpoints()[0], k.server(), k.pair(name));
    o.session = false;
    return must(transport::connect(o, in.events()));
  };
  auto worker = client("workers/rack", w);
  worker->send(wire::make_frame({}, frame_kind::command, wire::command_body{R"({"command":"stop"})"}));
  auto no = w.take(frame_kind::answer);
  REQUIRE(no);
  CHECK(wire::decode<wire::answer_body>(no->body)->exit_code == 2);
  auto laptop = client("clients/laptop", l);
  laptop->send(wire::make_frame({}, frame_kind::command, wire::command_body{R"({"command":"stop"})"}));
  auto act = c.take(frame_kind::command);
  REQUIRE(act);
  coordinator->send(
      wire::make_frame(act->peer, frame_kind::answer, wire::answer_body{"{}", 0, true}, act->sequence));
  CHECK(l.take(frame_kind::answer));
  CHECK(c.count(frame_kind::command) == 0);
}

TEST_CASE("a client is trusted with this machine by its key's subfolder, and by the Unix socket") {
  fleet_keys k;
  auto folder = k.in.path + "/clients/trusted";
  REQUIRE(keygen(folder + "/desk"));
  auto o = k.options();
  o.endpoints.push_back({"ipc://" + k.in.path + "/c", false, true});
  inbox c, answers;
  auto coordinator = must(transport::listen(o, c.events()));
  auto trusted = [&](const connect_options& how) {
    auto as_client = how;
    as_client.session = false;
    auto client = must(transport::connect(as_client, answers.events()));
    client->send(wire::make_frame({}, frame_kind::command, wire::command_body{R"({"command":"status"})"}));
    auto act = c.take(frame_kind::command);
    REQUIRE(act);
    return act->trusted;
  };
  const auto& at = coordinator->endpoints();
  CHECK_FALSE(trusted(dial(at[0], k.server(), k.pair("clients/laptop"))));
  CHECK(trusted(dial(at[0], k.server(), k.pair("clients/trusted/desk"))));
  CHECK(trusted(connecting("ipc://" + k.in.path + "/c")));

  key_ring ring{k.in.path + "/workers", k.in.path + "/clients", false};
  auto desk = ring.find(k.pair("clients/trusted/desk").public_key);
  REQUIRE(desk);
  CHECK(desk->client);
  CHECK(desk->trusted);
  CHECK_FALSE(desk->worker);
  CHECK(parse_user_id(user_id(*desk)).trusted);
  CHECK_FALSE(parse_user_id("t:x").trusted);
  CHECK_FALSE(parse_user_id("wt:x").trusted);
  std::filesystem::rename(folder + "/desk.pub", k.in.path + "/clients/desk.pub"); // no longer
  desk = ring.find(desk ? k.pair("clients/trusted/desk").public_key : "");
  REQUIRE(desk);
  CHECK(desk->client);
  CHECK_FALSE(desk->trusted);
}

TEST_CASE("a keyless loopback address admits workers and no clients, and says what to do") {
  inbox c, w, l;
  auto coordinator = must(transport::listen(listening("tcp://127.0.0.1:*"), c.events()));
  auto worker = must(transport::connect(connecting(coordinator->endpoints()[0]), w.events()));
  CHECK(w.take(frame_kind::welcome));
  auto o = connecting(coordinator->endpoints()[0]);
  o.session = false;
  auto client = must(transport::connect(o, l.events()));
  client->send(wire::make_frame({}, frame_kind::command, wire::command_body{R"({"command":"stop"})"}));
  auto no = l.take(frame_kind::answer);
  REQUIRE(no);
  auto said = must(wire::decode<wire::answer_body>(no->body));
  CHECK(said.exit_code == 2);
  CHECK(said.json.find("client_keys") != std::string::npos);
  CHECK(c.count(frame_kind::command) == 0);
  auto refused = control_client::connect({coordinator->endpoints()[0], {}, {}}, inbox::patience);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text.find("refused: this address has no keys, so it admits workers and no clients") !=
        std::string::npos);
}

TEST_CASE("a coordinator with keys but without an allow-list does not start") {
  fleet_keys k;
  inbox i;
  auto o = k.options();
  o.authorized_keys.clear();
  o.client_keys.clear();
  auto no = transport::listen(o, i.events());
  REQUIRE_FALSE(no);
  CHECK(no.error().kind == failure_kind::invalid);
  CHECK(no.error().text.find("authorized_keys") != std::string::npos);
}

TEST_CASE("an open fleet admits whoever knows the coordinator's key") {
  fleet_keys k;
  inbox c, w;
  auto o = k.options();
  o.authorized_keys.clear();
  o.client_keys.clear();
  o.admit_any_key = true;
  auto coordinator = must(transport::listen(o, c.events()));
  auto worker =
      must(transport::connect(dial(coordinator->endpoints()[0], k.server(), std::nullopt), w.events()));
  auto hello = c.take(frame_kind::hello);
  REQUIRE(hello);
  CHECK(wire::decode<wire::hello_body>(hello->body)->name.rfind("key-", 0) == 0);
}
