"""The local worker dies: it comes back, what it did is done again, and a candidate that costs three workers is given up."""

import os
import signal
import unittest

from program import HEAD, RIGHT, Scenario, command_of, descendants_of, fenced, wrong

ENDLESS = HEAD + "  for (;;)\n    asm volatile(\"\");\n}\n"
# Right, and so slow that its measurement is seen.
SLOW = RIGHT.replace("  for (", "  for (volatile int wait = 0; wait < 3000000; wait = wait + 1)\n    ;\n  for (", 1)


class WorkerLoss(Scenario):
    def kill_worker_at_work(self, run, program):
        """Waits until the worker runs `program` and kills the worker."""
        killed = getattr(run, "killed", set())

        def at_work(_event):
            for worker in run.workers():
                if worker not in killed and any(program in command_of(p) for p in descendants_of(worker)):
                    self.at_work = worker
                    return True
            return False

        run.wait("progress", where=at_work)
        os.kill(self.at_work, signal.SIGKILL)
        run.killed = killed | {self.at_work}

    def test_comes_back(self):
        """kill -9 of the worker in a measurement: a new one comes, and the campaign ends as if nothing had happened."""
        server = self.fake([{"answer": fenced(SLOW)}, {"answer": fenced(wrong(1))}, {"answer": fenced(wrong(2))}])
        self.config(server.model(), candidates=3, parallel=1, timed=True)
        run = self.start()
        run.wait("admission", where=lambda e: e["state"] == "admitted")
        self.kill_worker_at_work(run, "ke-judge")
        # Timing on a busy machine may be undecided, so the state of the first is one of two; the others are wrong for certain.
        self.assertIn(run.end(timeout=200), (0, 1), run.told())
        states = [state for state, _ in run.acks().values()]
        self.assertEqual(len(states), 3)
        self.assertIn(states[0], ("correct", "noisy"))
        self.assertEqual(states[1:], ["incorrect", "incorrect"])
        self.assertEqual(server.requests(), 3)
        self.assert_sound()
        self.assert_nothing_left()

    def test_poisoned(self):
        """A candidate that costs three workers is poisoned, and the campaign goes on with the next."""
        server = self.fake([{"answer": fenced(ENDLESS)}, {"answer": fenced(wrong(1))}])
        self.config(server.model(), candidates=2, parallel=1, timed=True)
        run = self.start()
        run.wait("admission", where=lambda e: e["state"] == "admitted")
        for _ in range(3):
            self.kill_worker_at_work(run, "ke-judge")
        self.assertEqual(run.end(timeout=200), 1, run.told())
        self.assertEqual([state for state, _ in run.acks().values()], ["poisoned", "incorrect"])
        _, campaign = self.status()
        self.assertEqual(campaign["nodes"], {"poisoned": 1, "incorrect": 1})
        self.assert_sound()
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
