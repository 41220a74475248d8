"""What a campaign leaves to learn from: trajectories, what-if, and exports that unite stores. Only Python's standard library reads them."""

import hashlib
import json
import math
import unittest

from program import RIGHT, Scenario, broken, fenced, wrong


def digest(text):
    return hashlib.blake2b(text.encode(), digest_size=32).hexdigest()


def split_of(operator):
    return "test" if int(digest("ke operator: " + operator)[:8], 16) % 5 == 0 else "train"


def reward_of(verdict):
    """The formula of docs/manual/trajectories.md, from the JSON of a verdict."""
    if verdict["state"] in ("noisy", "unfit_problem", "harness_error", "compiled"):
        return None
    if verdict["state"] != "correct":
        return 0.0
    if verdict["score"] is None:
        return 0.05
    return 0.05 + 0.95 * min(1.0, max(0.0, math.log2(verdict["score"]) / math.log2(8)))


class Trajectories(Scenario):
    def campaign(self, **keys):
        # The right one comes last: without timing it is the target.
        server = self.fake([{"answer": fenced(wrong(1))}, {"answer": fenced(broken(2))}, {"answer": "No code today."}, {"answer": "No code today."},
                            {"answer": fenced("// canary-of-the-scenarios\n" + wrong(3))}, {"answer": fenced(wrong(4))}, {"answer": fenced(RIGHT)}])
        self.config(server.model(), candidates=6, parallel=1, **keys)
        run = self.start()
        run.end()
        return run

    def config_in(self, store, model, **keys):
        text = self.config(model, **keys).read_text()
        self.write("campaign.toml", text.replace('store = "store"', f'store = "{store}"'))

    def lines(self, *args):
        self.call("export", "trajectories", "--config", "campaign.toml", "-o", "out.jsonl", *args)
        return [json.loads(line) for line in (self.folder / "out.jsonl").read_text().splitlines()]

    def test_steps(self):
        """Each step loads with json, has every column in one type, the prompt behind its digest, the stored verdict and its reward, and no key."""
        run = self.campaign()
        steps = self.lines()
        tree = self.tree()
        self.assertEqual([s["node"] for s in steps], [n for n in sorted(tree) if n and tree[n]["state"] != "cancelled"], run.told())
        kinds = {key: type(value) for key, value in steps[0].items()}
        for step in steps:
            self.assertEqual({key: type(value) for key, value in step.items()}, kinds)
            prompt = "".join(s["text"] for s in step["prompt_sections"])
            if "***" not in prompt:  # a key that a parent quotes is masked
                self.assertEqual(digest(prompt), step["prompt_digest"])
            self.assertIn("ke-task", prompt)
            self.assertEqual(step["state"], tree[step["node"]]["state"])
            self.assertEqual(step["split"], split_of(step["operator"]))
            shown = self.json("show", str(step["node"]))
            if shown["verdict"]:
                self.assertEqual(step["reward"], reward_of(shown["verdict"]))
                self.assertEqual(step["reward"], shown["verdict"]["reward"])
                self.assertIn(step["source"].splitlines()[-2], step["answer"])
            else:
                self.assertEqual((step["state"], step["reward"], step["rewarded"]), ("unanswered", 0.0, True))
                self.assertEqual(step["answer"], "No code today.")
        right = next(s for s in steps if s["state"] == "correct")
        self.assertEqual((right["source"], right["rationale"]), (RIGHT, "What I would try:"))
        self.assertIn("+    y[i] = 1.0f + 1.5f * std::sin(x[i]);", right["diff"])
        text = (self.folder / "out.jsonl").read_text()
        self.assertNotIn("canary-of-the-scenarios", text, "an API key was exported")
        self.assertIn("// ***", text)

    def test_eval_is_the_reward_function(self):
        """eval gives the candidate of a step the same state and the same reward."""
        self.campaign()
        for step in self.lines():
            if not step["source"] or "***" in step["source"]:
                continue
            self.write("candidate.cpp", step["source"])
            done = self.call("eval", "problem", "candidate.cpp", "--backend", "cpu-cpp", "--untimed", "--json", code=None)
            verdict = json.loads(done.stdout)
            self.assertEqual((verdict["state"], verdict["reward"]), (step["state"], step["reward"]))

    def test_chains_and_splits(self):
        """Chains name steps that exist, from a draft on; the two splits are disjoint and complete."""
        self.campaign()
        steps = {s["step"]: s for s in self.lines()}
        chains = self.lines("--form", "chains")
        self.assertEqual({name for c in chains for name in c["steps"]}, set(steps))
        for chain in chains:
            self.assertEqual(steps[chain["steps"][0]]["parent"], "")
            for parent, child in zip(chain["steps"], chain["steps"][1:]):
                self.assertEqual(steps[child]["parent"], parent)
            self.assertEqual(chain["return"], max(steps[name]["reward"] for name in chain["steps"]))
        train, test = self.lines("--split", "train"), self.lines("--split", "test")
        self.assertEqual(len(train) + len(test), len(steps))
        self.assertTrue(not train or not test, "one operator is in both")

    def test_what_if(self):
        """The recorded policy, one at a time, covers everything; best-of-n says that it does not."""
        self.campaign()
        same = self.json("what-if", "--policy", "mcts")["trees"][0]
        self.assertEqual((same["coverage"]["share"], same["recorded"], same["coverage"]["closed"]), (1.0, same["what_if"], 0))
        other = self.json("what-if", "--policy", "best-of-n")["trees"][0]
        self.assertLess(other["coverage"]["share"], 1.0)
        self.assertIn("covered by the record", self.call("what-if", "--policy", "greedy", "--config", "campaign.toml").stdout)
        self.assert_sound()

    def test_stores_unite(self):
        """Two sites' exports merge in either order to the same content; a damaged one is refused with 6 and its place."""
        self.campaign()
        self.call("store", "export", "--store", "store", "-o", "a.kex")
        server = self.fake([{"answer": fenced(RIGHT + "// of the other site\n")}])
        self.config_in("second", server.model(), candidates=1, name="other")
        self.call("--config", "campaign.toml", "--ui", "none", code=None)
        self.call("store", "export", "--store", "second", "-o", "b.kex")
        self.call("store", "merge", "b.kex", "--store", "store")
        self.call("store", "merge", "a.kex", "--store", "second")

        def content(store):
            return json.loads(self.call("store", "export", "--store", store, "-o", "again.kex", "--json").stdout)["content"]
        self.assertEqual(content("store"), content("second"))
        again = json.loads(self.call("store", "merge", "a.kex", "b.kex", "--store", "second", "--json").stdout)
        self.assertEqual([m["added"] for m in again["merged"]], [{}, {}])
        self.call("store", "merge", "a.kex", "b.kex", "--store", "third")  # a store that is made by it
        self.assertEqual(content("third"), content("store"))
        for store in ("store", "second", "third"):
            self.call("store", "check", "--store", store)
        data = bytearray((self.folder / "a.kex").read_bytes())
        data[len(data) // 2] ^= 1
        (self.folder / "a.kex").write_bytes(data)
        self.assertRegex(self.call("store", "merge", "a.kex", "--store", "second", code=6).stderr, r"a\.kex is damaged at byte \d+")

    def test_merge_beside_an_owner(self):
        """A store whose campaign runs is merged into through its owner, and exported beside it; the campaign goes on."""
        self.campaign(name="first")
        self.call("store", "export", "--store", "store", "-o", "a.kex")
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 100} for n in range(200)])
        self.config_in("second", server.model(), candidates=200, parallel=1, name="long")
        run = self.start()
        run.wait("node")
        done = self.call("store", "merge", "a.kex", "--store", "second")
        self.assertIn("solution", done.stdout)
        self.assertIn("nothing new", self.call("store", "merge", "a.kex", "--store", "second").stdout)
        data = bytearray((self.folder / "a.kex").read_bytes())
        data[len(data) // 2] ^= 1
        (self.folder / "bad.kex").write_bytes(data)
        refused = self.call("store", "merge", "bad.kex", "--store", "second", code=6).stderr
        self.assertRegex(refused, r"bad\.kex: .* is damaged at byte \d+")
        self.assertFalse((self.folder / "second/incoming").exists())
        self.call("store", "export", "--store", "second", "-o", "live.kex")
        self.assertTrue(self.lines(), "a live campaign has no steps")
        run.wait("node")
        self.call("stop", "--config", "campaign.toml")
        self.assertEqual(run.end(), 1, run.told())
        self.call("store", "check", "--store", "second")


if __name__ == "__main__":
    unittest.main()
