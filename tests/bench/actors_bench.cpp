// What do the runtime's own actors cost beside bare CAF (G15)? Each kind is spawned and destroyed as the
// program does it: search_node by a node_supervisor (expand, retire), llm_request by a synthesizer (synthesize,
// an answer). Bare is an event-based actor with 1 KiB of state, spawned by another one and told to exit.
// Processor time of the whole process from the first spawn to the last end, and bytes in use while all of
// them wait; the variants take turns, the least of the rounds counts.
//
//   actors_bench [actors=20000] [rounds=12]

#include "actors/campaign/node_supervisor.hpp"
#include "actors/llm/synthesizer.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/observe/counters.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

namespace {

struct spawn_all {
  std::uint32_t count;
};
struct spawn_one {};
struct end_all {};
struct work {};
struct work_over {};
struct are_you_there {
  std::shared_ptr<std::promise<void>> yes;
};

} // namespace

KE_MESSAGE(spawn_all)
KE_MESSAGE(spawn_one)
KE_MESSAGE(end_all)
KE_MESSAGE(work)
KE_MESSAGE(work_over)
KE_MESSAGE(are_you_there)

namespace {

using namespace ke;

std::atomic<std::uint32_t> bare_alive{0};

struct bare_state {
  std::array<char, 1024> bytes{};
  bare_state() { ++bare_alive; }
  ~bare_state() { --bare_alive; }
};

caf::behavior bare(caf::stateful_actor<bare_state>*) {
  return {[](const are_you_there&) {}};
}

caf::behavior bare_owner(caf::event_based_actor* self) {
  auto children = std::make_shared<std::vector<caf::actor>>();
  return {
      [=](const spawn_all& s) {
        for (std::uint32_t i = 0; i < s.count; ++i)
          children->push_back(self->spawn(bare));
      },
      [=](const end_all&) {
        for (auto& c : *children)
          self->send_exit(c, caf::exit_reason::user_shutdown);
        *children = {};
      },
  };
}

caf::behavior bare_one_shot(caf::stateful_actor<bare_state>* self, caf::actor owner) {
  return {[=](const work&) {
    self->send(owner, work_over{});
    self->quit();
  }};
}

std::atomic<std::uint32_t> downs{0};

caf::behavior bare_synthesizer(caf::event_based_actor* self) {
  auto children = std::make_shared<std::vector<caf::actor>>();
  self->set_down_handler([](caf::down_msg&) { ++downs; });
  return {
      [=](const spawn_one&) {
        children->push_back(self->spawn(bare_one_shot, caf::actor_cast<caf::actor>(self)));
        self->monitor(children->back());
      },
      [=](const end_all&) {
        for (auto& c : std::exchange(*children, {}))
          caf::anon_send(c, work{});
      },
      [](const work_over&) {},
  };
}

caf::behavior marker(caf::event_based_actor*) {
  return {[](const are_you_there& a) { a.yes->set_value(); }};
}

/// Takes every request and answers none until it is told to.
struct silent_provider : provider_port {
  std::mutex guard;
  std::vector<std::function<void(raw_answer)>> open;
  std::atomic<std::uint32_t> asked{0};
  std::uint64_t ask(ask_request, std::function<void(raw_answer)> done) override {
    std::lock_guard lock{guard};
    open.push_back(std::move(done));
    return ++asked;
  }
  void cancel(std::uint64_t) override {}
  void answer_all() {
    for (auto& done : std::exchange(open, {}))
      done(raw_answer{});
  }
};

double cpu_us() {
  rusage u{};
  ::getrusage(RUSAGE_SELF, &u);
  auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(u.ru_utime) + us(u.ru_stime);
}

double bytes_in_use() {
  auto m = ::mallinfo2();
  return static_cast<double>(m.uordblks + m.hblkhd);
}

template <class Condition>
void await(Condition over) {
  while (!over())
    std::this_thread::yield();
}

struct figures {
  double cpu_us = 1e18, bytes = 1e18;
  void better(const figures& f) {
    cpu_us = std::min(cpu_us, f.cpu_us);
    bytes = std::min(bytes, f.bytes);
  }
};

class bench {
public:
  explicit bench(caf::actor_system& system) : system_{system}, marker_{system.spawn(marker)} {}

  figures bare_actors(std::uint32_t count) {
    auto owner = system_.spawn(bare_owner);
    return measure(
        count, [&] { caf::anon_send(owner, spawn_all{count}); }, [&] { return bare_alive == count; },
        [&] { caf::anon_send(owner, end_all{}); }, [&] { return bare_alive == 0; });
  }

  figures bare_one_shots(std::uint32_t count) {
    auto owner = system_.spawn(bare_synthesizer);
    auto all_down = downs + count;
    return measure(
        count,
        [&] {
          for (std::uint32_t i = 0; i < count; ++i)
            caf::anon_send(owner, spawn_one{});
        },
        [&] { return bare_alive == count; }, [&] { caf::anon_send(owner, end_all{}); },
        [&] { return downs == all_down && bare_alive == 0; });
  }

  figures nodes(std::uint32_t count) {
    auto context = std::make_shared<tree_context>();
    context->campaign = 1;
    context->names = names_;
    node_supervisor_options options;
    options.awake = count + 1;
    auto tree = system_.spawn(node_supervisor, std::shared_ptr<const tree_context>{context}, options);
    expand all;
    for (std::uint32_t i = 1; i <= count; ++i) {
      node_context brief;
      brief.what.node = i;
      brief.what.parent = i / 8;
      brief.what.model = "model";
      brief.phase = node_state::asked;
      brief.ancestors = {i / 8, i / 64, i / 512};
      brief.siblings = {i + 1, i + 2, i + 3, i + 4};
      all.nodes.push_back(std::move(brief));
    }
    auto& awake = counters::get("search.nodes_awake");
    auto f = measure(
        count, [&] { caf::anon_send(tree, std::move(all)); },
        [&] { return awake == static_cast<std::int64_t>(count); },
        [&] {
          for (std::uint32_t i = 1; i <= count; ++i)
            caf::anon_send(tree, retire{i, nullptr});
        },
        [&] { return awake == 0; });
    caf::anon_send_exit(tree, caf::exit_reason::user_shutdown);
    return f;
  }

  figures requests(std::uint32_t count) {
    silent_provider* provider = nullptr;
    synthesizer_options options;
    options.names = names_;
    options.find = [count](std::uint32_t, const std::string& name) {
      model_settings m;
      m.name = name;
      m.provider = provider_kind::spool;
      m.max_parallel = count;
      return std::optional{m};
    };
    options.calls = std::make_shared<call_book>();
    options.providers =
        std::make_shared<provider_pool>([&](const model_settings&) -> result<std::unique_ptr<provider_port>> {
          auto made = std::make_unique<silent_provider>();
          made->open.reserve(count);
          provider = made.get();
          return std::unique_ptr<provider_port>{std::move(made)};
        });
    auto synthesizer_actor = system_.spawn(synthesizer, options);
    names_->set(addresses::synthesizer, synthesizer_actor);
    std::vector<std::shared_ptr<const synthesis_request>> all;
    for (std::uint32_t i = 0; i < count + 1; ++i) {
      auto r = std::make_shared<synthesis_request>();
      r->node = {1, 0, i};
      r->attempt = 1;
      r->model = "model";
      all.push_back(std::move(r));
    }
    auto last = all.back();
    all.pop_back();
    auto& in_flight = counters::get("llm.in_flight");
    auto f = measure(
        count,
        [&] {
          for (auto& r : all)
            caf::anon_send(synthesizer_actor, synthesize{std::move(r)});
        },
        [&] { return in_flight == static_cast<std::int64_t>(count) && provider->asked == count; },
        [&] { provider->answer_all(); },
        [&] {
          // It hears of every end before it takes another request.
          if (last && in_flight == 0) {
            settle();
            caf::anon_send(synthesizer_actor, synthesize{std::exchange(last, nullptr)});
          }
          return provider->asked == count + 1;
        });
    caf::anon_send_exit(synthesizer_actor, caf::exit_reason::user_shutdown);
    return f;
  }

private:
  /// The scheduler's queue is first in, first out: what was spawned before has run when the marker answers.
  void settle() {
    auto yes = std::make_shared<std::promise<void>>();
    auto heard = yes->get_future();
    caf::anon_send(marker_, are_you_there{std::move(yes)});
    heard.wait();
  }

  template <class Begin, class Begun, class End, class Ended>
  figures measure(std::uint32_t count, Begin begin, Begun begun, End end, Ended ended) {
    settle();
    figures f;
    double watching = 0; // this thread's own spinning is no cost of the actors
    auto wait_until = [&](auto over) {
      auto before = thread_us();
      await(over);
      settle();
      watching += thread_us() - before;
    };
    auto bytes = bytes_in_use();
    auto cpu = cpu_us();
    begin();
    wait_until(begun);
    f.bytes = (bytes_in_use() - bytes) / count;
    end();
    wait_until(ended);
    f.cpu_us = (cpu_us() - cpu - watching) / count;
    return f;
  }

  static double thread_us() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
  }

  caf::actor_system& system_;
  caf::actor marker_;
  std::shared_ptr<directory> names_ = std::make_shared<directory>();
};

void tell(const char* what, double value) {
  std::printf("%-60s %6.2f   goal <= 2.0   %s\n", what, value, value <= 2.0 ? "met" : "MISSED");
}

} // namespace

int main(int argc, char** argv) {
  auto count = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 20000);
  auto rounds = argc > 2 ? std::atoi(argv[2]) : 12;
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("sharing"));
  config.set("scheduler.max-threads", 2u);
  figures bare, one_shot, node, request;
  {
    caf::actor_system system{config};
    bench b{system};
    for (int i = 0; i < rounds; ++i) {
      bare.better(b.bare_actors(count));
      one_shot.better(b.bare_one_shots(count));
      node.better(b.nodes(count));
      request.better(b.requests(count));
    }
  }
  std::printf("spawn and destroy, processor us: bare %.2f, search_node %.2f; bare with three messages %.2f, "
              "llm_request %.2f\n",
              bare.cpu_us, node.cpu_us, one_shot.cpu_us, request.cpu_us);
  std::printf("bytes idle: bare %.0f, search_node %.0f, llm_request %.0f\n", bare.bytes, node.bytes,
              request.bytes);
  tell("G15 search_node / bare actor, CPU", node.cpu_us / bare.cpu_us);
  tell("G15 search_node / bare actor, bytes", node.bytes / bare.bytes);
  tell("G15 llm_request / bare actor with the same messages, CPU", request.cpu_us / one_shot.cpu_us);
  tell("G15 llm_request / bare actor, bytes", request.bytes / bare.bytes);
}
