#include "runtime/fleet/warrant.hpp"
#include "tests/golden.hpp"

using namespace ke;

TEST_CASE("the bytes of a warrant are those of the golden file") {
  test::golden_bytes all;
  all.add<warrant>("warrant");
  warrant w;
  w.store = "store";
  w.job = 7;
  w.worker = "worker";
  all.line("sealed " + to_hex(seal_warrant(w, std::string(32, 'k'))));
  test::check_golden("fleet/golden/warrants.txt", all.text());
}
