"""The crash loop: the owner of a campaign is killed at random moments and started again, many times.

usage: crash_loop.py [KILLS] [SEED]

After every kill the local worker must be gone within 3 s; every start must show its first event within 5 s. At the end nothing that
was acknowledged is lost or changed, every request is in the books exactly once, the store is sound, the journal replays to the same tree, and
nothing of the run is left.
"""

import random
import sys
import time
import unittest

from program import HEAD, PROBLEM, SLACK, Scenario, broken, children_of, command_of, fenced, wait_for_end, wait_for_no_orphans, wrong

PRICE = {"input": 3.0, "output": 15.0}

# The reference does its work twenty times over: a right candidate that does it once is faster on any machine.
SLOW = HEAD + "  for (int pass = 0; pass < 20; ++pass)\n    for (int64_t i = 0; i < n; ++i)\n      y[i] = std::sin(x[i]) * 1.5f + 1.0f;\n}\n"


def quick(number):
    """A right candidate; no two are alike."""
    return HEAD + f"  const float more[] = {{1.0f, {number}.0f}};\n  for (int64_t i = 0; i < n; ++i)\n    y[i] = std::sin(x[i]) * 1.5f + more[0];\n}}\n"


def answers(random_):
    """An endless campaign's answers in random order: wrong ones, broken ones, no code, a busy server. None is right, so nothing ends it."""
    number = 0
    while True:
        number += 1
        kind = random_.random()
        if kind < 0.40:
            yield {"answer": fenced(wrong(number)), "latency_ms": random_.randrange(200)}
        elif kind < 0.75:
            yield {"answer": fenced(broken(number)), "latency_ms": random_.randrange(200)}
        elif kind < 0.90:
            yield {"answer": f"I have no idea ({number}).", "latency_ms": random_.randrange(50)}
        else:
            yield {"status": 500, "body": {"error": {"message": "busy"}}}


class CrashLoop(Scenario):
    kills = 5
    seed = None

    def test_crash_loop(self):
        """The owner is killed at random moments, N times: nothing acknowledged is lost, nothing is counted twice, nothing is left."""
        seed = self.seed if self.seed is not None else random.SystemRandom().randrange(1 << 32)
        print(f"seed {seed}, {self.kills} kills", flush=True)
        chance = random.Random(seed)
        script = answers(chance)
        server = self.fake([next(script) for _ in range(self.kills * 30 + 100)], answer="Nothing more comes to mind.")
        self.config(server.model(), candidates=100000, parallel=4, drafts=1000, budget="fruitless = 0")
        groups, first_events, worker_ends, last_nodes = [], [], [], 0
        for kill in range(self.kills):
            run = self.start()
            begun = run.wait("campaign", where=lambda e: e["state"] == "running")
            first_events.append(begun["at"])
            self.assertLess(begun["at"], 5 * SLACK, run.told())
            # From "barely started" to "a few verdicts later": the moment is a number of events and a few milliseconds more.
            for _ in range(chance.randrange(4)):
                run.wait("node")
            moment = chance.random() * 0.4
            try:
                run.wait("never", timeout=moment)
            except AssertionError as e:
                self.assertIn("no event never", str(e).splitlines()[0] + "no event never" * ("nothing was said" in str(e)))
            left = [p for p in children_of(run.pid)]
            workers = run.workers()
            run.kill()
            died = time.monotonic()
            stubborn = wait_for_end(left, 3 * SLACK)
            self.assertEqual([command_of(p) for p in stubborn], [], f"kill {kill}: left 3 s after the owner was killed")
            if workers:
                worker_ends.append(time.monotonic() - died)
            groups.append(run.acks())
        self.assertEqual(wait_for_no_orphans(3 * SLACK), [])

        self.check_end(server, groups, self.kills)
        print(f"first event at most {max(first_events):.2f} s, worker gone after at most {max(worker_ends, default=0):.2f} s", flush=True)

    def test_named_points(self):
        """The owner or its worker dies at a named point: before a commit, after it, before it is told, with an answer in hand."""
        seed = self.seed if self.seed is not None else random.SystemRandom().randrange(1 << 32)
        print(f"seed {seed}", flush=True)
        chance = random.Random(seed)
        script = answers(chance)
        server = self.fake([next(script) for _ in range(self.kills * 60 + 200)], answer="Nothing more comes to mind.")
        self.config(server.model(), candidates=100000, parallel=4, drafts=1000, budget="fruitless = 0")
        groups = []
        for point in ("store.before_commit", "store.after_commit", "store.before_callback", "llm.answered") * max(1, self.kills // 5):
            run = self.start(env={"KE_FAILPOINT": f"{point}:{chance.randrange(1, 40)}"})
            self.assertEqual(run.end(), 137, f"{point}\n{run.told()}")
            self.assertEqual(wait_for_no_orphans(3 * SLACK), [], point)
            groups.append(run.acks())
        for point in ("worker.after_accept", "worker.before_result"):
            run = self.start(env={"KE_FAILPOINT_WORKER": f"{point}:{chance.randrange(2, 6)}"})
            for _ in range(60):  # of one worker after the other; nodes without an answer never reach one
                run.wait("node")
                if "137" in run.errors():
                    break
            run.kill()
            self.assertEqual(wait_for_no_orphans(3 * SLACK), [], point)
            self.assertIn("137", run.errors(), "no worker died at its point")
            groups.append(run.acks())
        self.check_end(server, groups, len(groups))

    def check_requests(self, server, campaign, kills, parallel):
        """Every request that the provider has seen is in the books exactly once: as answered, as failed, or as one whose end nobody heard; and
        only those that were out at a kill are unheard. So what is heard was seen, and what was seen is heard or unheard. The books are not below
        the bill either."""
        bill = server.bill()
        seen, booked, unheard = len(bill["requests"]), campaign["spend"]["requests"], campaign["estimated"]["unheard_requests"]
        told = f"{booked} requests in the books, {unheard} of them unheard, {seen} at the provider, {kills} kills"
        self.assertLessEqual(booked - unheard, seen, told)
        self.assertGreaterEqual(booked, seen, told)
        self.assertLessEqual(unheard, kills * parallel, told)
        for name in ("input_tokens", "output_tokens"):
            self.assertGreaterEqual(campaign["spend"][name], bill[name], f"{told}; bill {bill}; books {campaign}")

    def test_right_candidates(self):
        """A timed campaign whose candidates are right is killed on its way through claim and skill, and ends as one that was not: its winner is
        confirmed by one claim, its skill is kept once, and the next campaign of the store begins with what it left."""
        seed = self.seed if self.seed is not None else random.SystemRandom().randrange(1 << 32)
        print(f"seed {seed}", flush=True)
        chance = random.Random(seed)
        (self.folder / "problem/reference.cpp").write_text(SLOW)
        script = [{"answer": fenced(wrong(1))}, {"answer": fenced(quick(1))}, {"answer": fenced(broken(1))}, *({"answer": fenced(quick(n))} for n in range(2, 40))]
        server = self.fake(script)
        self.config(server.model(), candidates=5, parallel=2, drafts=2, timed=True)
        groups, kills = [], 0
        moments = [("node", lambda e: True), ("claim", lambda e: e["state"] == "measuring"), ("claim", lambda e: e["state"] != "measuring")]
        for kind, where in moments:
            run = self.start()
            try:
                run.wait(kind, where=where)
                run.wait("never", timeout=chance.random() * 0.3)
            except AssertionError as e:
                first = str(e).splitlines()[0]
                self.assertTrue("no event never" in first or "nothing was said" in first or "the program ended" in first, run.told())
            run.kill()
            kills += 1
            self.assertEqual(wait_for_no_orphans(3 * SLACK), [], kind)
            groups.append(run.acks())
        last = self.start()
        self.assertIn(last.end(), (0, 1), last.told())
        groups.append(last.acks())
        self.assert_acks_kept(*groups)
        _, campaign = self.status()
        self.assertEqual((campaign["state"], campaign["in_flight"]), ("finished", 0))
        self.check_requests(server, campaign, kills, 2)
        self.assert_sound()
        best = self.json("best")
        self.assertEqual(len(best), 1)
        skills = self.call("knowledge", "skills", "--store", "store").stdout
        # The same again, in the same store: nobody is asked before what is known was tried.
        (self.folder / "problem/problem.toml").write_text(PROBLEM.replace("N = 4096", "N = 6000"))
        again = self.fake([{"answer": fenced(wrong(n))} for n in range(50, 60)])
        self.config(again.model(), name="second", candidates=1, parallel=1, timed=True)
        second = self.start()
        self.assertIn(second.end(), (0, 1), second.told())
        self.assertEqual(again.requests(), 0, "it asked before it tried what is known")
        seeded = self.json("show", "1", "--campaign", "second")
        self.assertEqual(seeded["operation"], "seed")
        print(f"best {best[0]['node']}, skills: {skills.count(chr(10))} lines, {campaign['spend']['requests']} requests", flush=True)

    def check_end(self, server, groups, kills):
        """The last session ends the campaign for good; then everything must add up."""
        run = self.start()
        run.wait("campaign")
        run.wait("node")
        self.call("stop", "--config", "campaign.toml")
        self.assertEqual(run.end(), 1, run.told())
        groups.append(run.acks())
        self.assertGreater(sum(map(len, groups)), 0)
        self.assert_acks_kept(*groups)
        live, campaign = self.status()
        self.assertFalse(live)
        self.assertEqual((campaign["state"], campaign["stop_reason"], campaign["in_flight"]), ("finished", "stopped", 0))
        tree = self.tree()
        self.assertEqual(sum(campaign["nodes"].values()), len(tree) - 1)

        self.check_requests(server, campaign, kills, 4)
        asked, spent = server.requests(), campaign["spend"]["requests"]
        hash_ = self.assert_sound()
        self.assertEqual(self.json("replay")["hash"], hash_)
        self.assert_nothing_left()
        print(f"{sum(map(len, groups))} acknowledged, {len(tree) - 1} nodes, {campaign['nodes']}, requests {spent} of {asked}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        CrashLoop.kills = int(sys.argv[1])
    if len(sys.argv) > 2:
        CrashLoop.seed = int(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
