#include "tests/llm/fake_llm.hpp"

#include <nlohmann/json.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>
#include <unordered_map>

namespace ke::test {

namespace {

using json = nlohmann::json;
using clock = std::chrono::steady_clock;

} // namespace

class fake_llm::server {
public:
  server(handler play, std::uint16_t port) : play_{std::move(play)} {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
      limit.rlim_cur = limit.rlim_max;
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    listen_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int one = 1;
    setsockopt(listen_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    socklen_t size = sizeof address;
    if (listen_ < 0 || bind(listen_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(listen_, 4096) != 0 || getsockname(listen_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("the fake LLM gets no port on loopback");
    port_ = ntohs(address.sin_port);
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    watch(listen_, EPOLLIN, listen_mark);
    watch(wake_, EPOLLIN, wake_mark);
    thread_ = std::thread{[this] { run(); }};
  }

  ~server() {
    {
      std::lock_guard guard{mutex_};
      stopping_ = true;
    }
    wake();
    thread_.join();
    for (auto& [id, c] : connections_)
      close(c.fd);
    close(listen_);
    close(wake_);
    close(epoll_);
  }

  void release() {
    {
      std::lock_guard guard{mutex_};
      released_ = true;
    }
    wake();
  }

  std::uint16_t port() const { return port_; }

  struct counts {
    std::uint64_t requests = 0, connections = 0, in_flight = 0, peak = 0;
    std::map<std::string, std::uint64_t> statuses;
    std::vector<fake_bill> bills; ///< of request 1, 2, ...
  };
  counts seen() const {
    std::lock_guard guard{mutex_};
    return counts_;
  }
  bool wait_for_requests(std::uint64_t count) const {
    std::unique_lock lock{mutex_};
    return more_.wait_for(lock, std::chrono::seconds{20}, [&] { return counts_.requests >= count; });
  }

private:
  static constexpr std::uint64_t listen_mark = 1, wake_mark = 2;

  struct connection {
    int fd = -1;
    std::string in;
    std::string out;
    std::size_t sent = 0;
    fake_reply reply;
    std::size_t step = 0;
    std::uint64_t done_of_step = 0;
    clock::time_point due{};
    std::uint64_t number = 0; ///< of its request; 0: not counted
    std::string given;        ///< bytes of this reply that were sent
    bool answering = false;
    bool timer_set = false;
    bool wants_write = false;
  };

  void watch(int fd, std::uint32_t events, std::uint64_t mark) {
    epoll_event e{};
    e.events = events;
    e.data.u64 = mark;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e);
  }

  void wake() {
    std::uint64_t one = 1;
    [[maybe_unused]] auto n = ::write(wake_, &one, sizeof one);
  }

  void run() {
    epoll_event events[256];
    for (;;) {
      int wait = -1;
      if (!timers_.empty())
        wait = static_cast<int>(std::max<std::int64_t>(
            0, std::chrono::ceil<std::chrono::milliseconds>(timers_.top().first - clock::now()).count()));
      int n = epoll_wait(epoll_, events, 256, wait);
      for (int i = 0; i < n; ++i) {
        auto mark = events[i].data.u64;
        if (mark == listen_mark)
          accept_all();
        else if (mark == wake_mark && woken())
          return;
        else if (auto found = connections_.find(mark); found != connections_.end())
          serve(mark, found->second, events[i].events);
      }
      auto now = clock::now();
      while (!timers_.empty() && timers_.top().first <= now) {
        auto id = timers_.top().second;
        timers_.pop();
        if (auto found = connections_.find(id); found != connections_.end()) {
          found->second.timer_set = false;
          advance(id, found->second);
        }
      }
    }
  }

  /// True: stop.
  bool woken() {
    std::uint64_t count = 0;
    [[maybe_unused]] auto n = ::read(wake_, &count, sizeof count);
    {
      std::lock_guard guard{mutex_};
      if (stopping_)
        return true;
      let_go_ = released_;
    }
    std::vector<std::uint64_t> ids;
    for (auto& [id, c] : connections_)
      if (c.answering)
        ids.push_back(id);
    for (auto id : ids)
      if (auto found = connections_.find(id); found != connections_.end())
        advance(id, found->second);
    return false;
  }

  void accept_all() {
    for (;;) {
      int fd = accept4(listen_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0)
        return;
      int one = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      auto id = ++last_;
      connections_[id].fd = fd;
      watch(fd, EPOLLIN, id);
      std::lock_guard guard{mutex_};
      ++counts_.connections;
    }
  }

  void serve(std::uint64_t id, connection& c, std::uint32_t events) {
    if (events & EPOLLIN) {
      char buffer[65536];
      for (;;) {
        auto n = ::read(c.fd, buffer, sizeof buffer);
        if (n > 0) {
          c.in.append(buffer, static_cast<std::size_t>(n));
          continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
          return drop(id, c, false);
        break;
      }
      if (!c.answering)
        take_request(id, c);
      return;
    }
    if (events & (EPOLLERR | EPOLLHUP))
      return drop(id, c, false);
    if (events & EPOLLOUT)
      advance(id, c);
  }

  void take_request(std::uint64_t id, connection& c) {
    auto end = c.in.find("\r\n\r\n");
    if (end == std::string::npos)
      return;
    fake_request request;
    std::size_t at = 0;
    auto line = [&] {
      auto stop = c.in.find("\r\n", at);
      auto text = c.in.substr(at, stop - at);
      at = stop + 2;
      return text;
    };
    auto first = line();
    auto space = first.find(' ');
    request.method = first.substr(0, space);
    request.path = first.substr(space + 1, first.rfind(' ') - space - 1);
    while (at < end + 2) {
      auto text = line();
      auto colon = text.find(':');
      if (colon == std::string::npos)
        continue;
      auto name = text.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char ch) { return static_cast<char>(std::tolower(ch)); });
      request.headers[name] = text.substr(std::min(text.find_first_not_of(' ', colon + 1), text.size()));
    }
    std::size_t length =
        request.headers.count("content-length") ? std::stoul(request.headers["content-length"]) : 0;
    if (c.in.size() < end + 4 + length)
      return;
    request.body = c.in.substr(end + 4, length);
    c.in = c.in.substr(end + 4 + length);
    c.in.shrink_to_fit();
    bool counted = request.path != "/stats" && request.path != "/bill";
    if (counted) {
      std::lock_guard guard{mutex_};
      request.number = ++counts_.requests;
      counts_.bills.push_back({request.tokens(), 0, request.most_tokens()});
      counts_.peak = std::max(counts_.peak, ++counts_.in_flight);
    }
    more_.notify_all();
    c.reply = play_(request);
    c.number = request.number;
    c.given.clear();
    c.step = 0;
    c.done_of_step = 0;
    c.answering = true;
    if (!counted)
      c.reply.status = 0;
    begin_step(c);
    advance(id, c);
  }

  void begin_step(connection& c) {
    c.due = c.step < c.reply.steps.size() ? clock::now() + c.reply.steps[c.step].wait : clock::now();
  }

  /// Sends what is due; returns when the socket is full, a wait begins or the reply is done.
  void advance(std::uint64_t id, connection& c) {
    while (c.answering) {
      if (!flush(id, c))
        return;
      if (c.step >= c.reply.steps.size())
        return end_reply(id, c);
      const auto& step = c.reply.steps[c.step];
      if (step.held && !let_go_)
        return put_on_bill(c);
      if (clock::now() < c.due) {
        put_on_bill(c);
        if (!std::exchange(c.timer_set, true))
          timers_.push({c.due, id});
        return;
      }
      c.out = step.bytes;
      c.sent = 0;
      if (step.repeat != fake_step::forever && ++c.done_of_step >= step.repeat) {
        ++c.step;
        c.done_of_step = 0;
      }
      begin_step(c);
    }
  }

  /// False: the socket is full or gone.
  bool flush(std::uint64_t id, connection& c) {
    while (c.sent < c.out.size()) {
      auto n = ::send(c.fd, c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL);
      if (n < 0) {
        if (errno == EAGAIN)
          want_write(id, c, true);
        else
          drop(id, c, false);
        return false;
      }
      if (constexpr std::size_t enough = 4u << 20; c.given.size() < enough)
        c.given.append(c.out, c.sent, static_cast<std::size_t>(n));
      c.sent += static_cast<std::size_t>(n);
    }
    c.out.clear();
    c.sent = 0;
    if (c.wants_write)
      want_write(id, c, false);
    return true;
  }

  void want_write(std::uint64_t id, connection& c, bool on) {
    c.wants_write = on;
    epoll_event e{};
    e.events = on ? EPOLLIN | EPOLLOUT : EPOLLIN;
    e.data.u64 = id;
    epoll_ctl(epoll_, EPOLL_CTL_MOD, c.fd, &e);
  }

  /// A status that refuses costs nothing; else the prompt is paid for, and whatever was sent of an answer.
  void put_on_bill(const connection& c) {
    if (c.number == 0)
      return;
    auto output = c.reply.said ? fake_tokens(*c.reply.said) : fake_tokens(text_sent(c.given));
    std::lock_guard guard{mutex_};
    auto& bill = counts_.bills.at(c.number - 1);
    output = std::min(output, bill.most_output);
    bill.status = c.reply.status;
    bill.billed = c.reply.status == 200;
    bill.output = output;
  }

  void count_end(connection& c) {
    if (!c.answering || c.reply.status == 0)
      return;
    put_on_bill(c);
    std::lock_guard guard{mutex_};
    --counts_.in_flight;
    ++counts_.statuses[std::to_string(c.reply.status)];
  }

  void end_reply(std::uint64_t id, connection& c) {
    if (c.reply.end != fake_reply::ending::keep)
      return drop(id, c, c.reply.end == fake_reply::ending::reset);
    count_end(c);
    c.answering = false;
    c.reply = {};
    c.out.shrink_to_fit();
    if (!c.in.empty())
      take_request(id, c);
  }

  void drop(std::uint64_t id, connection& c, bool reset) {
    count_end(c);
    if (reset) {
      linger now{1, 0};
      setsockopt(c.fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    close(c.fd);
    connections_.erase(id);
  }

  handler play_;
  int listen_ = -1, epoll_ = -1, wake_ = -1;
  std::uint16_t port_ = 0;
  std::unordered_map<std::uint64_t, connection> connections_;
  using due = std::pair<clock::time_point, std::uint64_t>;
  std::priority_queue<due, std::vector<due>, std::greater<>> timers_;
  std::uint64_t last_ = 16;
  bool let_go_ = false;

  mutable std::mutex mutex_; ///< guards the three below
  mutable std::condition_variable more_;
  counts counts_;
  bool released_ = false;
  bool stopping_ = false;

  std::thread thread_;
};

fake_llm::fake_llm(handler play, std::uint16_t port)
    : server_{std::make_unique<server>(std::move(play), port)} {}
fake_llm::~fake_llm() = default;
std::uint16_t fake_llm::port() const {
  return server_->port();
}
std::string fake_llm::url(std::string_view path) const {
  return "http://127.0.0.1:" + std::to_string(port()) + std::string{path};
}
void fake_llm::release() {
  server_->release();
}
std::uint64_t fake_llm::requests() const {
  return server_->seen().requests;
}
std::uint64_t fake_llm::connections() const {
  return server_->seen().connections;
}
std::uint64_t fake_llm::peak_in_flight() const {
  return server_->seen().peak;
}
bool fake_llm::wait_for_requests(std::uint64_t count) const {
  return server_->wait_for_requests(count);
}

std::string fake_llm::stats_json() const {
  auto c = server_->seen();
  return json{{"requests", c.requests},
              {"connections", c.connections},
              {"in_flight", c.in_flight},
              {"peak_in_flight", c.peak},
              {"statuses", c.statuses}}
      .dump();
}

std::string fake_llm::bill_json() const {
  auto c = server_->seen();
  json all = json::array();
  std::uint64_t input = 0, output = 0;
  for (const auto& b : c.bills) {
    all.push_back(
        {{"status", b.status}, {"billed", b.billed}, {"input_tokens", b.input}, {"output_tokens", b.output}});
    input += b.billed ? b.input : 0;
    output += b.billed ? b.output : 0;
  }
  return json{{"requests", all}, {"input_tokens", input}, {"output_tokens", output}}.dump();
}

} // namespace ke::test
