"""A bundle on other systems: root folders without any package of ours, entered with bwrap.

KE_ROOTS names a folder with one folder a system, as scripts/bundle_check.sh makes them: `NAME` has what its distribution calls minimal, `NAME-compiler`
a g++ besides, and `glibc` nothing but glibc.
"""

import json
import os
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "scenario"))
import fleet_peers
import program
from bundle import ORDINARY, SOFTMAX, BundleTest, Root, scratch, unpack

ROOTS = Path(os.environ.get("KE_ROOTS", "none"))
WITHOUT = "KE_ROOTS names no folder: scripts/bundle_check.sh --roots DIR makes it"

# Everything of libstdc++ that is newest: the compiler's own, whatever came with ke-runtime.
STREAMS = "#include <iostream>\n#include <string>\n#include <stdexcept>\n"


def systems(compiler):
    names = sorted(p.name for p in ROOTS.iterdir() if p.is_dir() and p.name != "glibc") if ROOTS.is_dir() else []
    return [name for name in names if name.endswith("-compiler") == compiler]


@unittest.skipUnless(ROOTS.is_dir(), WITHOUT)
class Roots(BundleTest):
    def test_minimal(self):
        """Without any of our packages: version, doctor, the whole sandbox by the bundle's bwrap, and one sentence about the compiler that lacks."""
        for name in systems(False):
            root = Root(ROOTS / name)
            for user in (None, ORDINARY):
                with self.subTest(name, user=user):
                    done = root.run("--version", user=user)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    lines = self.assert_doctor(root, user, sandbox_user="ok", sandbox_seccomp="ok", backend_cpu_cpp="missing")
                    if user is None:
                        self.assert_told(root, lines)
                    self.assertIn("apt-get install", lines["backend", "cpu-cpp"][1])
                    problem = f"{root.folder}/{SOFTMAX}"
                    done = root.run("eval", problem, f"{problem}/reference.cpp", user=user)
                    self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                    self.assertIn("g++", done.stderr)

    def test_compiler(self):
        """With a g++: a whole timed verdict, for root and for an ordinary user; and a candidate that needs the compiler's own libstdc++."""
        for name in systems(True):
            root = Root(ROOTS / name)
            reference = (root.root / root.folder[1:] / SOFTMAX / "reference.cpp").read_text()
            streams = root.root / "opt/streams.cpp"
            streams.write_text(STREAMS + "static std::string kept = std::to_string(std::cout.good());\n" + reference)
            with self.subTest(name):
                verdict = self.assert_judges(root, "--plan", "rank", states=("correct", "noisy"))
                self.assertGreater(verdict["timing"]["pairs"], 0)
                self.assertTrue(verdict["diagnosis"]["bottleneck"])
                self.assert_judges(root, "--untimed", user=ORDINARY)
                self.assert_judges(root, "--untimed", candidate="/opt/streams.cpp")

    def test_nothing_but_glibc(self):
        """A system with glibc alone, without a shell: doctor says line by line what lacks, and nothing crashes."""
        root = Root(ROOTS / "glibc")
        lines = self.assert_doctor(root, backend_cpu_cpp="missing")
        self.assertTrue(all(text for _, text in lines.values()))
        self.assert_told(root, lines)
        problem = f"{root.folder}/{SOFTMAX}"
        done = root.run("eval", problem, f"{problem}/reference.cpp")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)

    def test_knowledge_and_campaign(self):
        """A campaign with the playbook finds documents, backends and problem of the bundle: its plan is told."""
        for name in systems(True):
            root = Root(ROOTS / name)
            with self.subTest(name):
                done = root.run("knowledge", "search", "--signal", "bottleneck=memory", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(json.loads(done.stdout))
                done = root.run("--config", f"{root.folder}/share/ke-runtime/config/quickstart/softmax.toml", "--dry-run", "--set", 'campaign.store="/tmp/store"')
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class WorkerInRoot(fleet_peers.Worker):
    """A worker that this test sees through the bwrap around its system."""

    def named(self, name):
        return [p for p in program.descendants_of(self.pid) if Path(f"/proc/{p}/comm").read_text(errors="replace").strip() == name]

    def judges(self):
        try:
            return self.named("ke-judge")
        except OSError:  # one has ended meanwhile
            return []

    def drain(self):
        os.kill(self.named("ke-runtime")[0], signal.SIGTERM)

    def kill(self):
        """SIGKILL to the worker itself."""
        if self.process.poll() is None:
            for pid in self.named("ke-runtime")[:1] or [self.pid]:
                os.kill(pid, signal.SIGKILL)
        self.end(30)


@unittest.skipUnless(ROOTS.is_dir(), WITHOUT)
class Attached(fleet_peers.Fleet):
    """A coordinator here, and a worker in another system, of two copies of the bundle."""

    @classmethod
    def setUpClass(cls):
        folder = unpack(scratch(cls, "coordinator") / "somewhere else")
        for module in (program, fleet_peers):  # the scenarios' own program is that of a build folder
            module.RUNTIME = str(folder / "bin/ke-runtime")

    def attached(self, root, answers):
        argv = root.argv("worker", "--connect", self.endpoint(), "--name", "far", "--server-key", "/keys/coordinator.pub", "--key", "/keys/workers/far.key",
                         "--cache", "/cache", "--sandbox", "full", shown=[(self.folder / "keys", "/keys"), (self.folder / "cache", "/cache")])
        worker = WorkerInRoot(argv, self.folder, {**os.environ, **root.env}, lambda: answers.taken() > 0)
        self.workers.append(worker)
        return worker

    def judge_and_kill(self, root):
        for key in ("coordinator", "workers/far"):
            self.call("keygen", "-o", f"keys/{key}")
        (self.folder / "cache").mkdir()
        answers = self.answers(program.wrong(1))  # a right one would end an untimed campaign
        keys = 'key = "keys/coordinator.key"\nauthorized_keys = "keys/workers"\n'
        self.campaign(answers.model(), keys=keys, candidates=2, parallel=1, drafts=2)
        run = self.start()
        worker = self.attached(root, answers)
        self.until_nodes(run, "incorrect", timeout=180)
        answers.give(fleet_peers.slow_right(20))
        before = set(worker.ran)
        self.until(lambda: set(worker.judges()) - before, "the worker judges the second candidate", 180)
        worker.kill()
        again = self.attached(root, answers)
        self.assertEqual(run.end(300), 0, run.told())
        self.assert_told(run, ["incorrect", "correct"])
        self.assert_leaves(again)
        self.assert_sound_store()
        self.assert_nothing_left()

    def test_debian_12(self):
        """A worker with its CURVE key judges a candidate over tcp, is killed while it judges the next, comes again, and nothing is judged twice."""
        self.judge_and_kill(Root(ROOTS / "bookworm-compiler"))

    def test_debian_13(self):
        """The same from Debian 13."""
        self.judge_and_kill(Root(ROOTS / "trixie-compiler"))

    @unittest.skipUnless((ROOTS / "noble-compiler").is_dir(), "no root of Ubuntu 24.04")
    def test_ubuntu_24_04(self):
        """The same from Ubuntu 24.04."""
        self.judge_and_kill(Root(ROOTS / "noble-compiler"))


if __name__ == "__main__":
    unittest.main()
