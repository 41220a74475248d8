"""`eval` leaves nothing behind, however it ends."""

import json
import os
import shutil
import signal
import subprocess
import unittest

from program import HEAD, ROOT, RUNTIME, RIGHT, SLACK, Scenario, command_of, descendants_of, wait_for_end

ENDLESS = HEAD + "  for (;;)\n    asm volatile(\"\");\n}\n"


class Eval(Scenario):
    def at_work(self):
        """An eval whose candidate runs, and all its processes."""
        self.write("endless.cpp", ENDLESS)
        run = subprocess.Popen([RUNTIME, "eval", "problem", "endless.cpp", "--untimed"], cwd=self.folder, env=self.env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: run.poll() is None and run.kill())
        while not any("ke-judge" in command_of(p) for p in descendants_of(run.pid)):
            self.assertIsNone(run.poll(), "it ended before its judge began")
            os.sched_yield()
        return run, descendants_of(run.pid)

    def test_interrupted(self):
        """Ctrl-C: 130, one sentence, no process and no folder left."""
        run, below = self.at_work()
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130, said)
        self.assertIn("interrupted", said)
        self.assertFalse(wait_for_end(below, 3 * SLACK), "processes outlive it")
        self.assert_nothing_left()

    def test_samples(self):
        """What each pair took goes to the file that is named, a line a candidate, launch and workload; a place where none can be written is told."""
        self.write("a.cpp", RIGHT)
        self.write("wrong.cpp", HEAD + "  for (int64_t i = 0; i < n; ++i)\n    y[i] = 0;\n}\n")
        done = self.call("eval", "problem", "a.cpp", "wrong.cpp", "--plan", "rank", "--json", "--samples", "s.jsonl", code=1)
        timing = json.loads(done.stdout.splitlines()[0])["timing"]
        lines = [json.loads(line) for line in (self.folder / "s.jsonl").read_text().splitlines()]
        self.assertEqual({line["candidate"] for line in lines}, {"a.cpp"}, "who is wrong is not timed")
        of_first = [line for line in lines if line["workload"] == timing["workloads"][0]["name"]]
        self.assertEqual([line["launch"] for line in of_first], list(range(timing["launches"])))
        self.assertEqual(sum(len(line["candidate_ns"]) for line in lines), timing["pairs"])
        for line in lines:
            self.assertEqual(len(line["candidate_ns"]), len(line["reference_ns"]))
        said = self.call("eval", "problem", "a.cpp", "--plan", "rank", "--samples", "nowhere/s.jsonl", code=2)
        self.assertIn("nowhere/s.jsonl", said.stderr)
        self.assertEqual(said.stdout, "", "it was judged first")

    def test_several(self):
        """Each is judged in its turn, a JSON line each; one that can't be read stops all before anything is judged; a trace is of one alone."""
        self.write("right.cpp", RIGHT)
        self.write("wrong.cpp", HEAD + "  for (int64_t i = 0; i < n; ++i)\n    y[i] = 0;\n}\n")
        self.write("broken.cpp", "int")

        def judged(*more):
            done = subprocess.run([RUNTIME, "eval", "problem", *more, "--untimed"], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120 * SLACK)
            return done.returncode, done.stdout, done.stderr

        code, out, said = judged("wrong.cpp", "right.cpp", "broken.cpp", "right.cpp", "--json")
        self.assertEqual(code, 1, said)
        verdicts = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([v["state"] for v in verdicts], ["incorrect", "correct", "build_failed", "correct"])
        self.assertEqual(verdicts[1]["candidate"], verdicts[3]["candidate"])
        code, out, said = judged("right.cpp", "right.cpp")
        self.assertEqual(code, 0, said)
        self.assertEqual(out.count("right.cpp: correct"), 2)
        code, out, said = judged("right.cpp", "missing.cpp")
        self.assertNotEqual(code, 0)
        self.assertEqual(out, "")
        self.assertIn("missing.cpp", said)
        code, out, said = judged("right.cpp", "wrong.cpp", "--trace", "t.json")
        self.assertIn("--trace", said)
        self.assertEqual(code, 2)
        self.assert_nothing_left()

    def test_what_the_machine_did(self):
        """Every timed verdict stands between two readings of fixed kernels, and says what others' work did to it."""
        self.write("right.cpp", RIGHT)
        done = self.call("eval", "problem", "right.cpp", "--plan", "rank", "--json", code=None)
        machine = json.loads(done.stdout)["machine"]
        for kernel in ("arithmetic.1", "memory.1"):
            before, after = machine["sentinel"][kernel]
            self.assertGreater(min(before, after), 1000, "ns")
        for reading in ("held_s", "repeated", "beside_others", "loud"):
            self.assertGreaterEqual(machine[reading], 0)

    def test_killed(self):
        """kill -9: its processes and its folder go with it, at whatever moment of its sandbox's start."""
        run, below = self.at_work()
        run.kill()
        run.communicate()
        self.assertFalse(wait_for_end(below, 3 * SLACK), "processes outlive it")
        self.assert_nothing_left()

    def test_killed_with_its_guard(self):
        """kill -9 of each of its processes that has its name: the folder goes with the next start."""
        run, below = self.at_work()
        while not any("ke-driver" in command_of(p) and "bwrap" not in command_of(p) for p in descendants_of(run.pid)):
            os.sched_yield()  # a bwrap that is killed while it starts would stay, and nobody of ours is left to see it
        below = {*below, *descendants_of(run.pid)}
        for pid in [run.pid, *(p for p in below if command_of(p).split()[:2] == [RUNTIME, "eval"])]:
            os.kill(pid, signal.SIGKILL)
        run.communicate()
        self.assertFalse(wait_for_end(below, 3 * SLACK), "processes outlive it")
        self.assertEqual(len(list((self.folder / "tmp").glob("ke-eval-*"))), 1)
        self.write("right.cpp", RIGHT)
        self.call("eval", "problem", "right.cpp", "--untimed")
        self.assert_nothing_left()

    def profiled(self, *words, code=0):
        done = subprocess.run([RUNTIME, "profile", "problem", *words], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120 * SLACK)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_profile(self):
        """Without a candidate the reference: times, bottleneck, and a folder with what the profilers wrote, as they did."""
        out, _ = self.profiled()
        self.assertIn("the reference", out)
        self.assertIn("us a call", out)
        self.assertIn("bottleneck: ", out)
        [folder] = self.folder.glob("*.profile")
        names = {p.name for p in folder.iterdir()}
        self.assertLessEqual({"profile.json", "source.cpp", "candidate.object", "samples.txt", "kernel.asm", "trace.json"}, names)
        self.assertIn("<kernel>:", (folder / "samples.txt").read_text())
        for name in names:
            self.assertIn(name, out)
        before = (folder / "profile.json").read_text()
        said = json.loads(self.profiled("--json")[0])  # into the same folder, once more
        self.assertNotEqual((folder / "profile.json").read_text(), before)
        self.assertIn(said["state"], ("correct", "noisy"))  # beside other tests
        there = {p.name for p in folder.iterdir()}  # which loop is hot, and is told of, is found by samples: beside other tests not each time
        self.assertEqual((said["profiled"], set(said["files"])), ("the reference", there))
        self.assertEqual(there - {"llvm-mca.txt"}, names - {"llvm-mca.txt"})
        self.assertTrue(said["diagnosis"]["bottleneck"])
        self.assertIn("peak.clock", said["counters"])
        self.assert_nothing_left()

    def test_profile_of_what_is_wrong(self):
        """A wrong kernel has its verdict and no bottleneck; a folder with other things is left alone."""
        self.write("wrong.cpp", HEAD + "  for (int64_t i = 0; i < n; ++i)\n    y[i] = 0;\n}\n")
        out, _ = self.profiled("wrong.cpp", "-o", "p", code=1)
        self.assertIn("incorrect", out)
        self.assertNotIn("bottleneck", out)
        (self.folder / "mine").mkdir()
        self.write("mine/notes.txt", "keep")
        _, said = self.profiled("-o", "mine", code=2)
        self.assertIn("-o mine", said)
        self.assertEqual([p.name for p in (self.folder / "mine").iterdir()], ["notes.txt"])
        _, said = self.profiled("missing.cpp", "-o", "q", code=2)
        self.assertIn("missing.cpp", said)
        self.assertFalse((self.folder / "q").exists())
        self.assert_nothing_left()

    def test_a_vendors_tool_needs_no_code(self):
        """A manifest's job prints a chip's own counters, [metrics] says what they mean, and the verdict names the bottleneck by them."""
        own = self.folder / "backends/chip"
        shutil.copytree(ROOT / "backends/cpu-cpp", own)
        text = (own / "backend.toml").read_text().replace('name = "cpu-cpp"', 'name = "chip"', 1)
        job = """[[job]]
name = "insight"
kind = "profile"
needs = ["measure"]
command = ["printf", "pe.busy 0.04\\nnoc.stall_pct: 91\\nhbm.util_pct=12\\nfirmware 7\\n", "{object}"]
reads = "name-value"
"""
        (own / "backend.toml").write_text(text.replace("[capabilities]", job + """[metrics]
"pe.busy" = "compute"
"noc.stall_pct" = "latency percent"
"hbm.util_pct" = "memory percent"
[capabilities]""", 1))
        said = json.loads(self.profiled("--backend", "chip", "--backend-path", "backends", "-o", "p", "--json")[0])
        self.assertEqual(said["diagnosis"]["bottleneck"], "latency", said["diagnosis"])
        self.assertIn("latency: 91% (noc.stall_pct)", said["diagnosis"]["evidence"]["units"])
        self.assertEqual((said["counters"]["pe.busy"], said["counters"]["role.memory"]), (0.04, 0.12))
        self.assertIn("noc.stall_pct", (self.folder / "p/insight.txt").read_text())


if __name__ == "__main__":
    unittest.main()
