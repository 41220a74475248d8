#include "tests/net/peers.hpp"

#include "runtime/net/control_socket.hpp"
#include "runtime/net/dialer.hpp"
#include "runtime/net/wire_body.hpp"

#include <sys/stat.h>

#include <fstream>
#include <future>
#include <optional>

using namespace ke;
using namespace ke::test;

namespace {

/// What libzmq tells of a socket's connection, in order.
class connection_events {
public:
  connection_events(zmq::context& c, void* watched) {
    zmq_socket_monitor(watched, "inproc://events", ZMQ_EVENT_CONNECT_RETRIED);
    socket_ = zmq_socket(c.handle(), ZMQ_PAIR);
    auto most = static_cast<int>(std::chrono::milliseconds{inbox::patience}.count());
    zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &most, sizeof most);
    zmq_connect(socket_, "inproc://events");
  }
  ~connection_events() { zmq_close(socket_); }
  bool next() { // one event: its number and value, then its address
    char part[256];
    return zmq_recv(socket_, part, sizeof part, 0) > 0 && zmq_recv(socket_, part, sizeof part, 0) > 0;
  }

private:
  void* socket_;
};

/// An owner that answers every command by echoing it twice over, in parts, after one event.
struct echoing_owner {
  explicit echoing_owner(const std::string& path) {
    auto o = listening("ipc://" + path);
    o.endpoints[0].workers = false;
    wire = must(transport::listen(o, in.events()));
    in.react([this](const frame& f) {
      auto json = wire::decode<wire::command_body>(f.body)->json;
      wire->send(wire::make_frame(f.peer, frame_kind::event, wire::event_body{R"({"event":"echo"})"}));
      for (auto& answer : wire::answer_frames(f.peer, f.sequence, json + json, 3))
        wire->send(std::move(answer));
    });
  }
  inbox in;
  std::unique_ptr<transport> wire;
};

} // namespace

TEST_CASE("the control socket lies in the runtime folder, else in the store, else in a short place") {
  using paths = std::vector<std::string>;
  CHECK(control_paths("/s", "abc", "/run/user/1", 1) ==
        paths{"/run/user/1/ke-runtime/abc.sock", "/s/control.sock", "/tmp/ke-runtime-1/abc.sock"});
  CHECK(control_paths("/s", "abc", "", 1) == paths{"/s/control.sock", "/tmp/ke-runtime-1/abc.sock"});
  CHECK(control_paths("/s", "abc", "relative", 1) == control_paths("/s", "abc", "", 1));
  CHECK(control_paths("/" + std::string(120, 's'), "abc", "", 12) == paths{"/tmp/ke-runtime-12/abc.sock"});
  CHECK(control_paths("/s", "abc", "/" + std::string(120, 'r'), 12).front() == "/s/control.sock");
}

TEST_CASE("a runtime folder that is absent, another user's or a file: the next place is taken") {
  temp_folder folder;
  auto store = folder.path + "/store";
  std::filesystem::create_directory(store);
  auto place_with = [&](const std::string& runtime_dir) {
    auto taken = take_control_path(control_paths(store, "abc", runtime_dir, ::getuid()), store);
    return taken ? *taken : taken.error().text;
  };
  CHECK(place_with(folder.path) == folder.path + "/ke-runtime/abc.sock");
  CHECK(place_with(folder.path + "/absent") == store + "/control.sock");
  std::ofstream{folder.path + "/file"} << "x";
  CHECK(place_with(folder.path + "/file") == store + "/control.sock");
  std::filesystem::create_directories(folder.path + "/linked");
  std::filesystem::create_directory_symlink(folder.path, folder.path + "/linked/ke-runtime");
  CHECK(place_with(folder.path + "/linked") == store + "/control.sock");
  if (::getuid() == 0) {
    std::filesystem::create_directories(folder.path + "/theirs/ke-runtime");
    REQUIRE(::chown((folder.path + "/theirs/ke-runtime").c_str(), 65534, 65534) == 0);
    CHECK(place_with(folder.path + "/theirs") == store + "/control.sock");
    REQUIRE(::chown(store.c_str(), 65534, 65534) == 0); // not even the store is ours alone
    CHECK(place_with("") == "/tmp/ke-runtime-0/abc.sock");
  }
  auto none = take_control_path({folder.path + "/absent/x/abc.sock"}, store);
  REQUIRE_FALSE(none);
  CHECK(none.error().text.find(folder.path + "/absent/x") != std::string::npos);
}

TEST_CASE("the socket's folder is ours alone and an old socket is removed") {
  temp_folder folder;
  auto path = folder.path + "/ke-runtime/abc.sock";
  REQUIRE(prepare_control_path(path, "/store"));
  struct stat s{};
  REQUIRE(::stat((folder.path + "/ke-runtime").c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0700);
  std::ofstream{path} << "stale";
  REQUIRE(prepare_control_path(path, "/store"));
  CHECK_FALSE(std::filesystem::exists(path));

  std::filesystem::create_directory_symlink(folder.path, folder.path + "/link");
  auto linked = prepare_control_path(folder.path + "/link/abc.sock", "/store");
  REQUIRE_FALSE(linked);
  CHECK(linked.error().kind == failure_kind::invalid);
}

TEST_CASE("a command gets its answer and its exit code, however long, and events are heard") {
  temp_folder folder;
  echoing_owner owner{folder.path + "/c"};
  auto client = must(control_client::connect({"ipc://" + folder.path + "/c", {}, {}}, inbox::patience));
  auto answer = must(client.ask(R"({"command":"status"})"));
  CHECK(answer.json == R"({"command":"status"}{"command":"status"})");
  CHECK(answer.exit_code == 3);
  CHECK(must(client.next_event(inbox::patience)) == R"({"event":"echo"})");

  std::string long_text(900'000, 'x');
  CHECK(must(client.ask(long_text)).json == long_text + long_text);
  std::string parts;
  int pieces = 0;
  auto streamed = must(client.ask(long_text, inbox::patience, [&](const std::string& part) {
    parts += part;
    ++pieces;
  }));
  CHECK(parts == long_text + long_text);
  CHECK(pieces == 4);
  CHECK(streamed.json.empty());
  CHECK(client.ask(std::string(2u << 20, 'x')).error().kind == failure_kind::too_large);
  CHECK(owner.in.count(frame_kind::command) == 3); // the ping never reached the application
}

TEST_CASE("an owner that does not answer is held, within its patience") {
  temp_folder folder;
  auto begin = std::chrono::steady_clock::now();
  auto nobody = control_client::connect({"ipc://" + folder.path + "/none", {}, {}}, 200ms);
  CHECK(std::chrono::steady_clock::now() - begin >= 200ms);
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().kind == failure_kind::held);

  echoing_owner owner{folder.path + "/c"};
  auto client = must(control_client::connect({"ipc://" + folder.path + "/c", {}, {}}, inbox::patience));
  owner.in.react({});
  CHECK(client.ask(R"({"command":"status"})", 100ms).error().kind == failure_kind::timeout);
  CHECK(client.next_event(50ms).error().kind == failure_kind::timeout);
}

TEST_CASE("a worker is refused on the control socket") {
  temp_folder folder;
  echoing_owner owner{folder.path + "/c"};
  inbox w;
  auto worker = must(transport::connect(connecting("ipc://" + folder.path + "/c"), w.events()));
  CHECK(w.take(frame_kind::refuse));
}

TEST_CASE("a client that waits for events in short waits learns that its owner is gone") {
  temp_folder folder;
  std::optional<echoing_owner> owner{folder.path + "/c"};
  auto client =
      must(control_client::connect({"ipc://" + folder.path + "/c", {}, {}, 200ms}, inbox::patience));
  for (int i = 0; i < 60; ++i) // its pings are answered
    CHECK(client.next_event(10ms).error().kind == failure_kind::timeout);
  owner.reset();
  auto last = failure_kind::timeout;
  for (int i = 0; i < 1000 && last == failure_kind::timeout; ++i)
    last = client.next_event(10ms).error().kind;
  CHECK(last == failure_kind::connection);
}

// `stop` ended with "the owner went away" once in fifty times on a busy machine: the owner had answered and
// left before the client's thread had its turn.
TEST_CASE("what an owner said before it left is heard by a client that comes to read later") {
  temp_folder folder;
  std::optional<echoing_owner> owner{folder.path + "/c"};
  std::promise<void> asked, go;
  owner->in.react([&, answer = owner->wire.get()](const frame& f) {
    asked.set_value();
    go.get_future().wait_for(inbox::patience);
    for (auto& part : wire::answer_frames(f.peer, f.sequence, "{}", 0))
      answer->send(std::move(part));
  });
  inbox in;
  zmq::context context;
  auto o = connecting("ipc://" + folder.path + "/c");
  o.session = false;
  dialer client{o, in.events()};
  REQUIRE(client.open(context, std::chrono::steady_clock::now()));
  std::vector<zmq_pollitem_t> items;
  client.poll_set(items);
  connection_events events{context, items[0].socket};
  client.send(wire::make_frame({}, frame_kind::command, wire::command_body{"{}"}), {});
  auto heard = asked.get_future();
  auto turn = [&](long ms) {
    items.clear();
    client.poll_set(items);
    zmq_poll(items.data(), static_cast<int>(items.size()), ms);
    client.turn(std::chrono::steady_clock::now());
  };
  for (int i = 0; i < 2000 && heard.wait_for(0s) != std::future_status::ready; ++i)
    turn(10);
  REQUIRE(heard.wait_for(0s) == std::future_status::ready);
  go.set_value();
  owner.reset();
  REQUIRE(events.next()); // the connection is gone, and is tried again
  turn(1000);
  CHECK(in.count(frame_kind::answer) == 1);
  zmq_socket_monitor(items[0].socket, nullptr, 0);
}
