"""One owner per store: a second start joins the first, and an owner that does not answer is named."""

import signal
import time
import unittest

from program import SLACK, Scenario, fenced, wrong


class Owners(Scenario):
    def test_second_attaches(self):
        """A second start of the same campaign attaches to the owner, shows its events and ends with its code."""
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 300} for n in range(8)])
        self.config(server.model(), candidates=8, parallel=1)
        owner = self.start()
        owner.wait("node")
        second = self.start()
        seen = second.wait("node")
        self.assertEqual(owner.end(), 1, owner.told())
        self.assertEqual(second.end(), 1, second.told())
        acks = owner.acks()
        self.assertEqual(len(acks), 8)
        self.assertEqual(acks[seen["node"]], (seen["state"], seen["score"]))
        for node, said in second.acks().items():
            self.assertEqual(acks[node], said)
        self.assertEqual(server.requests(), 8)
        self.assert_nothing_left()

    def test_leaving_does_not_stop(self):
        """Ctrl-C of an attached display detaches it; the campaign runs on."""
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 300} for n in range(6)])
        self.config(server.model(), candidates=6, parallel=1)
        owner = self.start()
        owner.wait("node")
        second = self.start()
        second.wait("progress")
        second.signal(signal.SIGINT)
        self.assertEqual(second.end(), 130, second.told())
        self.assertEqual(owner.end(), 1, owner.told())
        self.assertEqual(len(owner.acks()), 6)

    def test_submitted_again(self):
        """A campaign that ended in a living owner goes on there when it is submitted again with more to do."""
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 100} for n in range(60)], latency_ms=300)
        self.config(server.model(), candidates=1000, parallel=1, drafts=1000)
        owner = self.start()
        owner.wait("node")
        seen = {}
        for candidates in (2, 4):
            self.config(server.model(), file="b.toml", name="b", candidates=candidates, parallel=1)
            guest = self.start(config="b.toml")
            self.assertEqual(guest.end(), 1, guest.told())
            seen.update(guest.acks())
        self.assertEqual(len(seen), 4)
        owner.signal(signal.SIGINT)
        owner.signal(signal.SIGTERM)
        self.assertEqual(owner.end(), 130, owner.told())
        self.assert_nothing_left()

    def test_frozen_owner(self):
        """An owner that is frozen does not answer: the second start ends with 6 in about a second and names its pid; thawed, it goes on."""
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 200} for n in range(6)])
        self.config(server.model(), candidates=6, parallel=1)
        owner = self.start()
        owner.wait("node")
        owner.signal(signal.SIGSTOP)
        begun = time.monotonic()
        done = self.call("--config", "campaign.toml", "--ui", "json", code=6)
        self.assertLess(time.monotonic() - begun, 3 * SLACK)
        self.assertIn(str(owner.pid), done.stderr)
        self.assertEqual(self.call("pause", "--config", "campaign.toml", code=6).stdout, "")
        self.call("tree", "--config", "campaign.toml", "--json")  # what needs the store only still answers
        owner.signal(signal.SIGCONT)
        self.assertEqual(owner.end(), 1, owner.told())
        self.assertEqual(len(owner.acks()), 6)
        self.assert_acks_kept(owner.acks())
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
