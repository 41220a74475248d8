"""Before anybody is paid: can candidates be judged at all, and is there a device to judge them on?"""

import shutil
import signal
import unittest

from program import HEAD, RIGHT, ROOT, Scenario, fenced, wrong

BROKEN = HEAD + "  no_such_function(x, y, n);\n}\n"
TEMPLATE = "// ke-param: STEP = 1 | 2 | 4\n" + HEAD + (
    "  for (int64_t b = 0; b < n; b += STEP)\n    for (int64_t i = b; i < b + STEP && i < n; ++i)\n"
    "      y[i] = 1.0f + 1.5f * std::sin(x[i]);\n}\n")


class Admission(Scenario):
    def refused(self, *words, **keys):
        """The campaign ends as failed with exit code 2, names file and reason, and no request was made."""
        server = self.fake(answer=fenced(wrong(1)))
        self.config(server.model(), **keys)
        run = self.start()
        self.assertEqual(run.end(), 2, run.told())
        self.assertEqual(server.requests(), 0)
        for word in ("problem/problem.toml", *words):
            self.assertIn(word, run.errors())
        live, campaign = self.status()
        self.assertEqual((live, campaign["state"], campaign["spend"]["requests"]), (False, "failed", 0))
        self.assertEqual(campaign["nodes"], {})
        self.assert_nothing_left()

    def test_reference_that_does_not_compile(self):
        """A reference that does not compile costs no request, whatever the policy, and the end shows the compiler's message and the file."""
        (self.folder / "problem/reference.cpp").write_text(BROKEN)
        for policy in ("mcts", "best-of-n"):
            with self.subTest(policy):
                self.refused("reference.cpp", "no_such_function", name=policy, candidates=40, parallel=40, more=f'policy = "{policy}"')
                shutil.rmtree(self.folder / "store")

    def test_check_that_accepts_zeros(self):
        """A problem whose own check accepts zeros is refused before any request."""
        path = self.folder / "problem/problem.toml"
        path.write_text(path.read_text() + "\n[tolerance]\nf32 = { rtol = 0.0, atol = 1e9 }\n")
        self.refused("accepts zeros")

    def test_admitted_once(self):
        """A good problem is admitted once: a second start, and the next campaign on it, ask the store."""
        server = self.fake(answer=fenced(wrong(1)))
        self.config(server.model(), candidates=2, parallel=1)
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        told = [e["state"] for e in run.events if e["event"] == "admission"]
        self.assertEqual(told, ["measuring", "admitted"])
        first_node = next(i for i, e in enumerate(run.events) if e["event"] == "node")
        self.assertTrue(any(e.get("state") == "admitted" for e in run.events[:first_node]))
        self.config(server.model(), candidates=3, parallel=1)  # goes on
        again = self.start()
        self.assertEqual(again.end(), 1, again.told())
        self.config(server.model(), name="next", candidates=2, parallel=1)
        following = self.start()
        self.assertEqual(following.end(), 1, following.told())
        for later in (again, following):
            self.assertEqual([e for e in later.events if e["event"] == "admission"], [])
            self.assertTrue(later.acks())
        self.assert_nothing_left()
        self.assert_sound_store()

    def assert_sound_store(self):
        self.call("store", "check", "--store", "store")

    def far_backend(self):
        """A backend of the same kind under another name, which this machine's worker offers with this machine's device."""
        folder = self.folder / "more/far-cpp"
        shutil.copytree(ROOT / "backends/cpu-cpp", folder)
        manifest = folder / "backend.toml"
        manifest.write_text(manifest.read_text().replace('name = "cpu-cpp"', 'name = "far-cpp"'))
        return "--backend-path", "more"

    def test_waiting_for_a_device(self):
        """A target whose device has not attached delays its own tree only; status says what it waits for."""
        more = self.far_backend()
        server = self.fake(answer=fenced(wrong(1)))
        text = self.config(server.model(), candidates=100_000, parallel=1).read_text()
        self.write("campaign.toml", text + '\n[[target]]\nbackend = "far-cpp"\ndevice = "nvidia-h200"\n')
        run = self.start(*more)
        run.wait("node")
        live, campaign = self.status()
        self.assertTrue(live)
        self.assertEqual(campaign["state"], "running")
        self.assertEqual(campaign["waiting"], [{"backend": "far-cpp", "device": "nvidia-h200", "text": "waiting for nvidia-h200"}])
        self.assertIn("waiting for nvidia-h200", self.call("status", "--store", "store").stdout)
        self.assertGreater(server.requests(), 0)
        self.assertTrue(all(n % 2 == 0 for n in run.acks()), "nodes of the other tree have ended")
        run.signal(signal.SIGINT)
        self.assertEqual(run.end(), 130, run.told())
        self.assert_nothing_left()

    def test_nothing_but_waiting(self):
        """A campaign whose only target has no device runs and waits: no request, no error, no end."""
        more = self.far_backend()
        server = self.fake(answer=fenced(wrong(1)))
        text = self.config(server.model()).read_text()
        self.write("campaign.toml", text.replace('backend = "cpu-cpp"\ndevice = "*"', 'backend = "far-cpp"\ndevice = "nvidia-h200"'))
        run = self.start(*more)
        waits = run.wait("waiting")
        self.assertIn("waiting for nvidia-h200", waits["text"])
        _, campaign = self.status()
        self.assertEqual((campaign["state"], campaign["waiting"][0]["text"]), ("running", "waiting for nvidia-h200"))
        self.assertIsNone(run.process.poll())
        self.assertEqual(server.requests(), 0)
        run.signal(signal.SIGINT)
        self.assertEqual(run.end(), 5, run.told())
        self.assert_nothing_left()

    def test_points_of_templates(self):
        """Points of templates have a budget of their own: one candidate, and as many points as they may be."""
        for cap, points in ((400, 2), (1, 1), (0, 0)):
            with self.subTest(cap):
                server = self.fake(answer=fenced(TEMPLATE))
                self.config(server.model(), name=f"tune-{cap}", candidates=1, parallel=1, timed=True, budget=f"tune_candidates = {cap}")
                run = self.start("--set", "search.warm_start=0")
                self.assertIn(run.end(), (0, 1), run.told())
                campaign = next(c for c in self.json("status")["campaigns"] if c["name"] == f"tune-{cap}")
                self.assertEqual(campaign["stop_reason"], "budget.candidates", campaign)
                self.assertEqual(campaign["tuned"], points, campaign)
                self.assertEqual(sum(campaign["nodes"].values()), 1 + points, campaign)
                self.assertEqual(campaign["budget"]["tune_candidates"], cap)
                self.assertEqual(server.requests(), 1)
        self.assert_nothing_left()

    def test_dry_run(self):
        """--dry-run looks at the problem, too, and says where it could not."""
        more = self.far_backend()
        server = self.fake(answer=fenced(RIGHT))
        text = self.config(server.model()).read_text()
        self.write("campaign.toml", text + '\n[[target]]\nbackend = "far-cpp"\ndevice = "nvidia-h200"\n')
        said = self.call("--config", "campaign.toml", "--dry-run", *more).stdout
        self.assertIn("the reference as a candidate: correct", said)
        self.assertIn("far-cpp, nvidia-h200: not tried here: no such device", said)
        (self.folder / "problem/reference.cpp").write_text(BROKEN)
        done = self.call("--config", "campaign.toml", "--dry-run", *more, code=2)
        self.assertIn("no_such_function", done.stderr)
        self.assertIn("problem/problem.toml", done.stderr)
        self.assertFalse((self.folder / "store").exists())
        self.assertEqual(server.requests(), 0)

    def test_keys_of_later(self):
        """What this version does not have is refused as that, with its place, and not as a typo."""
        server = self.fake(answer=fenced(RIGHT))
        text = self.config(server.model()).read_text()
        self.write("campaign.toml", text + '\n[ui]\nlisten = "127.0.0.1:7780"\n')
        line = text.count("\n") + 2
        done = self.call("--config", "campaign.toml", code=2)
        self.assertIn(f"campaign.toml:{line}:2: ui: not part of this version", done.stderr)
        self.config(server.model())
        done = self.call("run", "--config", "campaign.toml", "--ui-listen", "127.0.0.1:7780", code=2)
        self.assertIn("not part of this version", done.stderr)
        self.assertEqual(server.requests(), 0)


if __name__ == "__main__":
    unittest.main()
