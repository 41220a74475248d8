"""The network stalls in one direction for seconds: no connection ends, nothing arrives. The campaign ends as if nothing had happened."""

import os
import random
import unittest

from fleet_peers import NIGHTLY, Fleet, padded, slow_to_build
from program import SLACK, wrong

LARGE = 240_000  # bytes of a source: fetched as content, in pieces


class Stalls(Fleet):
    def behind_proxy(self, count, **more):
        self.line = self.proxy()
        self.campaign(self.model.model(), candidates=count, parallel=2, drafts=count, **more)
        run = self.start()
        far = self.worker(endpoint=self.endpoint("127.0.0.2"))
        return run, far

    def ends_right(self, run, far, count, timeout):
        self.assertEqual(run.end(timeout=timeout * SLACK), 1, run.told())
        self.assert_told(run, ["incorrect"] * count)
        _, campaign = self.status()
        self.assertEqual((campaign["nodes"], campaign["spend"]["requests"], campaign["in_flight"]), ({"incorrect": count}, count, 0))
        self.assert_sound_store()

    def stalled_in_content(self, way, seconds):
        self.model = self.answers(*(padded(wrong(n), LARGE) for n in range(2)))
        run, far = self.behind_proxy(2)
        self.line.stall_when("down", 1, 70_000, way, seconds)
        self.ends_right(run, far, 2, 90)
        self.assert_leaves(far)
        self.assert_nothing_left()

    def test_content_does_not_arrive(self):
        """8 s of silence from the coordinator while a worker fetches content: the content is asked for again."""
        self.stalled_in_content("down", 8)

    @unittest.skipUnless(NIGHTLY, "the random ones stall that way, too: KE_NIGHTLY=1")
    def test_worker_not_heard_in_content(self):
        """8 s of silence from the worker while it fetches content: the same."""
        self.stalled_in_content("up", 8)

    def test_leaves_while_stalled(self):
        """A worker that is told to leave after such a silence hands its jobs back or ends them, and is gone; another one ends the campaign."""
        self.model = self.answers(*(padded(wrong(n), LARGE) for n in range(2)))
        run, far = self.behind_proxy(2)
        self.line.stall_when("down", 1, 70_000, "down", 8)
        self.until(lambda: not self.line.open["down"].is_set(), "the stall")
        self.until(lambda: self.line.open["down"].is_set(), "its end")
        self.assert_leaves(far, within=40)
        self.worker("other")
        self.ends_right(run, far, 2, 60)

    def test_stalls_at_random(self):
        """One-way stalls of 3 to 12 s at random moments in both directions."""
        seed = int(os.environ.get("KE_SEED", random.SystemRandom().randrange(1 << 32)))
        count = 24 if NIGHTLY else 4
        chance = random.Random(seed)
        self.model = self.answers(*(padded(slow_to_build(wrong(n), 1), chance.choice((0, 120_000, LARGE))) for n in range(count)))
        run, far = self.behind_proxy(count)
        print(f"seed {seed}", flush=True)
        for _ in range(count // 2):
            way, seconds = chance.choice(("up", "down")), chance.uniform(3, 12)
            port = chance.randrange(2)
            more = chance.randrange(3_000) if port == 0 else chance.randrange(LARGE)
            self.line.stall_when("down", port, more, way, seconds)
            self.until(lambda: not self.line.open[way].is_set() or run.process.poll() is not None, "the stall")
            self.until(lambda: self.line.open[way].is_set() or run.process.poll() is not None, "its end")
            if run.process.poll() is not None:
                break
        self.ends_right(run, far, count, 60 + 30 * count)
        self.assert_leaves(far)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
