#include "runtime/llm/http_service.hpp"

#include "runtime/llm/http_call.hpp"
#include "runtime/llm/resolve_gate.hpp"
#include "runtime/observe/counters.hpp"

#include <curl/curl.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <mutex>
#include <optional>
#include <queue>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>

namespace ke {
namespace {

using namespace http;

/// libcurl looks through all connections of a multi handle's host for each new request, so one handle holds
/// at most this many requests; full ones are joined by another on the same epoll.
constexpr std::size_t shard_size = 512;
constexpr std::size_t header_limit = 64u << 10;

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

} // namespace

class http_service::loop {
public:
  loop() {
    static const auto global = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (global != CURLE_OK)
      throw std::runtime_error("libcurl does not start");
    raise_descriptor_limit();
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    epoll_event e{};
    e.events = EPOLLIN;
    e.data.u64 = wake_mark;
    if (epoll_ < 0 || wake_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &e) != 0)
      throw std::runtime_error("the HTTP service gets no epoll or eventfd descriptor");
    share_ = curl_share_init();
    curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    thread_ = std::thread{[this] { run(); }};
  }

  ~loop() {
    {
      std::lock_guard guard{mutex_};
      stopping_ = true;
    }
    wake();
    thread_.join();
    for (auto& s : shards_)
      curl_multi_cleanup(s->multi);
    curl_share_cleanup(share_);
    close(wake_);
    close(epoll_);
  }

  std::uint64_t send(http_request request, std::function<void(http_response)> done) {
    auto c = std::make_unique<call>();
    c->request = std::move(request);
    c->done = std::move(done);
    c->start = clock::now();
    c->notes = &notes_;
    std::uint64_t id = 0;
    {
      std::lock_guard guard{mutex_};
      id = c->id = ++last_id_;
      arrivals_.push_back(std::move(c));
    }
    wake();
    return id;
  }

  void cancel(std::uint64_t id) {
    {
      std::lock_guard guard{mutex_};
      cancels_.push_back(id);
    }
    wake();
  }

private:
  static constexpr std::uint64_t wake_mark = ~0ull;

  void wake() {
    std::uint64_t one = 1;
    [[maybe_unused]] auto n = ::write(wake_, &one, sizeof one);
  }

  void run() {
    while (take_commands()) {
      poll();
      fire_timers();
      reap();
      free_waiting();
      expire();
    }
    while (!calls_.empty())
      finish(*calls_.begin()->second, {failure_kind::cancelled, "the HTTP service stops", false});
  }

  bool take_commands() {
    std::vector<std::unique_ptr<call>> arrivals;
    std::vector<std::uint64_t> cancels;
    bool stopping = false;
    {
      std::lock_guard guard{mutex_};
      arrivals.swap(arrivals_);
      cancels.swap(cancels_);
      stopping = stopping_;
    }
    for (auto& c : arrivals) {
      auto& known = *c;
      calls_.emplace(c->id, std::move(c));
      ++in_flight_;
      arrive(known);
    }
    for (auto id : cancels)
      if (auto found = calls_.find(id); found != calls_.end())
        finish(*found->second, {failure_kind::cancelled, "the request was cancelled", false});
    return !stopping;
  }

  void arrive(call& c) {
    deadlines_.emplace(c.deadline().first, c.id);
    c.host = host_of(c.request.url);
    if (c.host.empty())
      return finish(c,
                    {failure_kind::invalid,
                     "base_url does not give a valid URL: http:// or https:// and a host is needed", false});
    if (resolve_gate::needs_resolver(c.host)) {
      auto place = gate_.enter(c.host, c.id, clock::now());
      if (place == resolve_gate::place::wait)
        return;
      c.leads = place == resolve_gate::place::lead;
    }
    start(c);
  }

  void start(call& c) {
    c.easy = curl_easy_init();
    if (!c.easy)
      return finish(c, {failure_kind::connection, "libcurl gives no handle (out of memory)", true});
    for (const auto& h : c.request.headers)
      c.headers = curl_slist_append(c.headers, h.c_str());
    c.headers = curl_slist_append(c.headers, "Expect:"); // else libcurl holds large prompts back for a second
    set_request(c);
    set_connection(c);
    set_callbacks(c);
    c.home = &shard_with_room();
    ++c.home->active;
    curl_multi_add_handle(c.home->multi, c.easy);
  }

  void set_request(call& c) {
    auto set = [&](CURLoption option, auto value) { curl_easy_setopt(c.easy, option, value); };
    set(CURLOPT_URL, c.request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_HTTPHEADER, c.headers);
    set(CURLOPT_USERAGENT, "ke-runtime/" KE_VERSION);
    if (!c.request.body.empty()) {
      // Read through a callback that can't go back: libcurl would else send a request again by itself when a
      // reused connection breaks, and the provider might be paid for both.
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(c.request.body.size()));
      set(CURLOPT_READFUNCTION, &loop::give_body);
      set(CURLOPT_READDATA, &c);
    }
  }

  void set_connection(call& c) {
    auto set = [&](CURLoption option, auto value) { curl_easy_setopt(c.easy, option, value); };
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    // Over TLS the handshake tells at once whether streams can share a connection; over plain HTTP it would
    // take the first answer.
    set(CURLOPT_PIPEWAIT, c.request.url.starts_with("https:") ? 1L : 0L);
    set(CURLOPT_BUFFERSIZE, 8192L);
    set(CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT,
        1L); // a name server that hangs must not hold up the thread when its request is cut
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_DNS_CACHE_TIMEOUT, 60L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(c.request.total.count())); // the four deadlines are ours
    set(CURLOPT_SHARE, share_);
  }

  void set_callbacks(call& c) {
    auto set = [&](CURLoption option, auto value) { curl_easy_setopt(c.easy, option, value); };
    set(CURLOPT_ERRORBUFFER, c.error);
    set(CURLOPT_PRIVATE, &c);
    set(CURLOPT_WRITEFUNCTION, &loop::on_body);
    set(CURLOPT_WRITEDATA, &c);
    set(CURLOPT_HEADERFUNCTION, &loop::on_header);
    set(CURLOPT_HEADERDATA, &c);
    set(CURLOPT_OPENSOCKETFUNCTION, &loop::on_open_socket);
    set(CURLOPT_OPENSOCKETDATA, &c);
    set(CURLOPT_PREREQFUNCTION, &loop::on_connected);
    set(CURLOPT_PREREQDATA, &c);
  }

  shard& shard_with_room() {
    for (auto& s : shards_)
      if (s->active < shard_size)
        return *s;
    auto s = std::make_unique<shard>();
    s->multi = curl_multi_init();
    s->index = shards_.size();
    s->epoll = epoll_;
    curl_multi_setopt(s->multi, CURLMOPT_SOCKETFUNCTION, &loop::on_socket);
    curl_multi_setopt(s->multi, CURLMOPT_SOCKETDATA, s.get());
    curl_multi_setopt(s->multi, CURLMOPT_TIMERFUNCTION, &loop::on_timer);
    curl_multi_setopt(s->multi, CURLMOPT_TIMERDATA, s.get());
    curl_multi_setopt(s->multi, CURLMOPT_MAXCONNECTS, static_cast<long>(shard_size));
    curl_multi_setopt(s->multi, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
    shards_.push_back(std::move(s));
    return *shards_.back();
  }

  int wait_ms() const {
    std::optional<time_point> next;
    auto sooner = [&](time_point t) { next = next ? std::min(*next, t) : t; };
    for (const auto& s : shards_)
      if (s->timer)
        sooner(*s->timer);
    if (!deadlines_.empty())
      sooner(deadlines_.top().first);
    if (!next)
      return -1;
    auto ms = std::chrono::ceil<std::chrono::milliseconds>(*next - clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(ms, 0, 60'000));
  }

  void poll() {
    epoll_event events[256];
    int n = epoll_wait(epoll_, events, 256, wait_ms());
    for (int i = 0; i < n; ++i) {
      if (events[i].data.u64 == wake_mark) {
        std::uint64_t count = 0;
        [[maybe_unused]] auto r = ::read(wake_, &count, sizeof count);
        continue;
      }
      auto& s = *shards_[events[i].data.u64 >> 32];
      auto fd = static_cast<curl_socket_t>(events[i].data.u64 & 0xffffffffu);
      auto flags = events[i].events;
      int what = (flags & EPOLLIN ? CURL_CSELECT_IN : 0) | (flags & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                 (flags & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
      int running = 0;
      curl_multi_socket_action(s.multi, fd, what, &running);
    }
  }

  void fire_timers() {
    auto now = clock::now();
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      auto& s = *shards_[i];
      if (s.timer && *s.timer <= now) {
        s.timer.reset();
        int running = 0;
        curl_multi_socket_action(s.multi, CURL_SOCKET_TIMEOUT, 0, &running);
      }
    }
  }

  /// Takes finished transfers from libcurl.
  void reap() {
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      int left = 0;
      while (auto* message = curl_multi_info_read(shards_[i]->multi, &left)) {
        if (message->msg != CURLMSG_DONE)
          continue;
        call* c = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &c);
        finish(*c, why(*c, message->data.result));
      }
    }
  }

  static failure why(const call& c, CURLcode code) {
    if (c.cut.kind != failure_kind::none)
      return c.cut;
    switch (code) {
    case CURLE_OK:
      return {};
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return {failure_kind::invalid,
              "base_url does not give a valid URL: http:// or https:// and a host is needed", false};
    case CURLE_OPERATION_TIMEDOUT:
      return {failure_kind::timeout,
              "total: no whole answer from " + c.host + " within " + in_seconds(c.request.total), true};
    default:
      break;
    }
    bool final = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
    std::string reason = c.error[0] ? c.error : curl_easy_strerror(code);
    return {failure_kind::connection, "the connection to " + c.host + " failed: " + reason, !final};
  }

  void expire() {
    auto now = clock::now();
    while (!deadlines_.empty() && deadlines_.top().first <= now) {
      auto id = deadlines_.top().second;
      deadlines_.pop();
      auto found = calls_.find(id);
      if (found == calls_.end())
        continue;
      auto& c = *found->second;
      auto [when, name] = c.deadline();
      if (when > now) {
        deadlines_.emplace(when, id);
        continue;
      }
      finish(c,
             {failure_kind::timeout,
              std::string{name} + ": " + c.host + " took longer than " + in_seconds(c.limit_of(name)), true});
    }
    for (auto id : std::exchange(notes_.sooner, {}))
      if (auto found = calls_.find(id); found != calls_.end())
        deadlines_.emplace(found->second->deadline().first, id);
  }

  void finish(call& c, failure reason) {
    if (resolve_gate::needs_resolver(c.host)) {
      if (c.leads)
        for (auto id : gate_.failed(c.host))
          promoted_.push_back(id);
      else if (!c.easy)
        gate_.leave(c.host, c.id);
    }
    if (c.easy) {
      long status = 0;
      curl_easy_getinfo(c.easy, CURLINFO_RESPONSE_CODE, &status);
      c.response.status = status;
    }
    if (c.home) {
      curl_multi_remove_handle(c.home->multi, c.easy);
      --c.home->active;
    }
    auto found = calls_.find(c.id);
    auto owned = std::move(found->second);
    calls_.erase(found);
    --in_flight_;
    auto& r = owned->response;
    r.id = owned->id;
    r.why = std::move(reason);
    r.seconds = std::chrono::duration<double>(clock::now() - owned->start).count();
    if (auto type = r.headers.find("content-type"); type != r.headers.end())
      r.content_type = type->second;
    if (owned->done)
      owned->done(std::move(r));
  }

  /// Starts what waited for a name.
  void free_waiting() {
    for (const auto& host : std::exchange(notes_.known, {}))
      for (auto id : gate_.known(host, clock::now()))
        if (auto found = calls_.find(id); found != calls_.end())
          start(*found->second);
    for (auto id : std::exchange(promoted_, {}))
      if (auto found = calls_.find(id); found != calls_.end()) {
        found->second->leads = true;
        start(*found->second);
      }
  }

  // -- libcurl's callbacks, all on the http thread

  static void past_name(call& c) {
    if (std::exchange(c.leads, false))
      c.notes->known.push_back(c.host);
  }

  static void piece(call& c) {
    c.last_piece = clock::now();
    if (!std::exchange(c.first_byte, true))
      c.notes->sooner.push_back(c.id);
  }

  static std::size_t give_body(char* to, std::size_t, std::size_t room, void* user) {
    auto& c = *static_cast<call*>(user);
    auto size = std::min(room, c.request.body.size() - c.given);
    std::copy_n(c.request.body.data() + c.given, size, to);
    c.given += size;
    if (c.given == c.request.body.size()) { // it is never sent again, and the answer may take minutes
      c.response.sent = true;
      c.request.body = {};
      c.given = 0;
    }
    return size;
  }

  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* user) {
    auto& c = *static_cast<call*>(user);
    piece(c);
    auto room =
        c.request.limit_bytes - std::min<std::uint64_t>(c.request.limit_bytes, c.response.body.size());
    c.response.body.append(data, std::min<std::size_t>(size, room));
    if (size > room) {
      c.cut = {failure_kind::too_large,
               "the answer of " + c.host + " is over the limit of " + std::to_string(c.request.limit_bytes) +
                   " bytes",
               false};
      return CURL_WRITEFUNC_ERROR;
    }
    return size;
  }

  static std::size_t on_header(char* data, std::size_t, std::size_t size, void* user) {
    auto& c = *static_cast<call*>(user);
    piece(c);
    c.header_bytes += size;
    if (c.header_bytes > header_limit) {
      c.cut = {failure_kind::too_large,
               "the headers of " + c.host + " are over " + std::to_string(header_limit) + " bytes", false};
      return CURL_WRITEFUNC_ERROR;
    }
    std::string_view line{data, size};
    if (line.starts_with("HTTP/")) {
      c.response.headers.clear(); // an interim status line came before
      return size;
    }
    auto colon = line.find(':');
    if (colon == std::string_view::npos)
      return size;
    std::string name{line.substr(0, colon)};
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char ch) { return static_cast<char>(std::tolower(ch)); });
    auto value = line.substr(colon + 1);
    auto begin = value.find_first_not_of(" \t");
    auto end = value.find_last_not_of(" \t\r\n");
    c.response.headers[name] =
        begin == std::string_view::npos ? "" : std::string{value.substr(begin, end - begin + 1)};
    return size;
  }

  static curl_socket_t on_open_socket(void* user, curlsocktype, curl_sockaddr* address) {
    past_name(*static_cast<call*>(user));
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  static int on_connected(void* user, char*, char*, int, int) {
    auto& c = *static_cast<call*>(user);
    past_name(c);
    c.connected = true;
    return CURL_PREREQFUNC_OK;
  }

  static int on_socket(CURL*, curl_socket_t fd, int what, void* user, void* known) {
    auto& s = *static_cast<shard*>(user);
    epoll_event e{};
    e.data.u64 = (static_cast<std::uint64_t>(s.index) << 32) | static_cast<std::uint32_t>(fd);
    if (what == CURL_POLL_REMOVE) {
      epoll_ctl(s.epoll, EPOLL_CTL_DEL, fd, &e);
      return 0;
    }
    e.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
    if (epoll_ctl(s.epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e) != 0)
      epoll_ctl(s.epoll, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &e);
    curl_multi_assign(s.multi, fd, &s);
    return 0;
  }

  static int on_timer(CURLM*, long ms, void* user) {
    auto& s = *static_cast<shard*>(user);
    if (ms < 0)
      s.timer.reset();
    else
      s.timer = clock::now() + std::chrono::milliseconds{ms};
    return 0;
  }

  int epoll_ = -1;
  int wake_ = -1;
  CURLSH* share_ = nullptr;
  std::vector<std::unique_ptr<shard>> shards_;
  std::unordered_map<std::uint64_t, std::unique_ptr<call>> calls_;
  using due = std::pair<time_point, std::uint64_t>;
  /// May be early; checked against the call when due.
  std::priority_queue<due, std::vector<due>, std::greater<>> deadlines_;
  callback_notes notes_;
  std::vector<std::uint64_t> promoted_; ///< waited, lead now
  resolve_gate gate_;
  std::atomic<std::int64_t>& in_flight_ = counters::get("llm.http_in_flight");

  std::mutex mutex_; ///< guards the four below
  std::vector<std::unique_ptr<call>> arrivals_;
  std::vector<std::uint64_t> cancels_;
  std::uint64_t last_id_ = 0;
  bool stopping_ = false;

  std::thread thread_;
};

http_service::http_service() : loop_{std::make_unique<loop>()} {}
http_service::~http_service() = default;
std::uint64_t http_service::send(http_request request, std::function<void(http_response)> done) {
  return loop_->send(std::move(request), std::move(done));
}
void http_service::cancel(std::uint64_t id) {
  loop_->cancel(id);
}

} // namespace ke
