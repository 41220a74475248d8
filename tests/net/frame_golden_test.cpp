#include "runtime/core/job_result.hpp"
#include "runtime/net/wire.hpp"
#include "tests/golden.hpp"

using namespace ke;

TEST_CASE("the bytes of every frame are those of the golden file") {
  test::golden_bytes all;
  all.names<frame_kind>("frame_kind");
  all.add<wire::header>("header");
  all.add<wire::hello_body>("hello");
  all.add<wire::welcome_body>("welcome");
  all.add<wire::refuse_body>("refuse");
  all.add<wire::ready_body>("ready");
  all.add<wire::grant_body>("grant");
  all.add<wire::decline_body>("decline");
  all.add<wire::worker_beat>("beat of a worker");
  all.add<wire::coordinator_beat>("beat of a coordinator");
  all.add<job_result>("result");
  all.add<wire::ack_body>("ack");
  all.add<wire::revoke_body>("revoke");
  all.add<wire::want_body>("want");
  all.add<wire::blob_chunk>("blob");
  all.add<wire::blob_ack>("ack of a blob");
  all.add<wire::command_body>("command");
  all.add<wire::answer_body>("answer");
  all.add<wire::event_body>("event");
  for (auto kind : {frame_kind::hello, frame_kind::bye})
    all.line("header of a " + std::string{to_text(kind)} + " " +
             to_hex(wire::encode_header(frame{"", kind, 3, 4, 5, ""})));
  test::check_golden("net/golden/frames.txt", all.text());
}
