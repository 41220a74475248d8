#include "runtime/llm/http_provider.hpp"

#include "runtime/observe/log.hpp"

#include <ctime>
#include <utility>

namespace ke {

http_provider::http_provider(http_port& http, model_settings model, std::string key, answer_recorder record)
    : http_{http}, model_{std::move(model)}, key_{std::move(key)}, record_{std::move(record)} {}

http_provider::~http_provider() {
  for (auto id : open_.all())
    http_.cancel(id);
  open_.wait();
}

std::uint64_t http_provider::ask(ask_request request, std::function<void(raw_answer)> done) {
  auto id = open_.begin();
  auto http = encode(model_, key_, request.prompt);
  if (request.deadline.count() > 0)
    http.total = request.deadline;
  auto finished = [this, id, call = std::move(request.call), bytes = bytes_of(request.prompt),
                   done = std::move(done)](http_response response) {
    raw_answer answer;
    answer.id = id;
    answer.call = call;
    answer.provider = model_.provider;
    answer.why = response.why;
    answer.status = response.status;
    answer.sent = response.sent;
    answer.seconds = response.seconds;
    answer.body = log::masked(response.body); // a server may quote the key that it refuses
    if (record_)
      record_(answer);
    response.body = std::move(answer.body);
    answer.reply = decode(model_, bytes, response, std::time(nullptr));
    answer.why = answer.reply.why;
    answer.body = std::move(response.body);
    done(std::move(answer));
    open_.end(id);
  };
  open_.bind(id, http_.send(std::move(http), std::move(finished)));
  return id;
}

void http_provider::cancel(std::uint64_t id) {
  if (auto below = open_.below(id))
    http_.cancel(*below);
}

} // namespace ke
