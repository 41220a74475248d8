"""Ctrl-C and SIGTERM: once drains and saves, twice stops at once; nothing acknowledged is lost, and the next start resumes."""

import signal
import time
import unittest

from program import RIGHT, SLACK, Scenario, fenced, wrong

GRACE = 10.0  # seconds that what runs may take to end after the first signal


class Interrupt(Scenario):
    def interrupted_once(self, number):
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 100} for n in range(6)])
        self.config(server.model(), candidates=6, parallel=2)
        run = self.start()
        run.wait("node")
        sent = time.monotonic()
        run.signal(number)
        self.assertEqual(run.end(), 130, run.told())
        self.assertLess(time.monotonic() - sent, (GRACE + 1) * SLACK)
        self.assert_nothing_left()
        stop = run.events[-1]
        self.assertEqual((stop["event"], stop["state"], stop["reason"]), ("stop", "paused", "interrupted"), run.told())
        live, campaign = self.status()
        self.assertFalse(live)
        self.assertEqual(campaign["in_flight"], 0)  # of a dead owner, whatever waits to be taken up
        self.assertEqual((campaign["state"], campaign["stop_reason"]), ("paused", "interrupted"))
        self.assert_acks_kept(run.acks())

        again = self.start()
        self.assertLess(again.wait("campaign")["at"], 5 * SLACK)
        self.assertEqual(again.end(), 1, again.told())
        self.assert_acks_kept(run.acks(), again.acks())
        _, campaign = self.status()
        self.assertEqual((campaign["state"], campaign["stop_reason"]), ("finished", "budget.candidates"))
        self.assertFalse(set(run.acks()) & set(again.acks()), "a verdict was told twice")
        self.assert_sound()
        self.assert_nothing_left()

    def test_once_int(self):
        """Ctrl-C once ends with 130 within the grace, and the next start resumes and ends the campaign."""
        self.interrupted_once(signal.SIGINT)

    def test_once_term(self):
        """SIGTERM does what Ctrl-C does."""
        self.interrupted_once(signal.SIGTERM)

    def test_twice(self):
        """A second signal stops at once, in the middle of a measurement; the next start takes the same node up again."""
        server = self.fake([{"answer": fenced(wrong(1))}, {"answer": fenced(RIGHT)}], answer="No idea.")
        self.config(server.model(), candidates=2, parallel=1, timed=True)
        run = self.start()
        run.wait("node")
        run.wait("progress", where=lambda e: e["nodes"].get("measuring"))
        run.signal(signal.SIGINT)
        sent = time.monotonic()
        run.signal(signal.SIGTERM)  # another one, as two equal signals that wait are one
        self.assertEqual(run.end(), 130, run.told())
        self.assertLess(time.monotonic() - sent, 4 * SLACK)
        self.assert_nothing_left()
        self.assert_acks_kept(run.acks())
        again = self.start()
        again.wait("progress", where=lambda e: e["nodes"].get("measuring"))
        self.assertEqual(server.requests(), 2, "the answer was there already")
        again.signal(signal.SIGINT)
        again.signal(signal.SIGTERM)
        self.assertEqual(again.end(), 130, again.told())
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
