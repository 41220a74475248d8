"""A bundle under test: where it is unpacked, and other systems' root folders to run it in.

KE_BUNDLE names the archive. Python 3 standard library only; every wait is bounded and ends with what it waits for.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ARCHIVE = Path(os.environ.get("KE_BUNDLE", "none"))
PATIENCE = 300.0  # seconds: far beyond what anything here takes
SOFTMAX = "share/ke-runtime/config/problems/softmax"
ORDINARY = 1234  # a user's number that no system here knows by name


def unpack(into):
    """The archive's one folder, in a folder of this name; all may read it, as programs of an installation."""
    Path(into).mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "--zstd", "-xf", str(ARCHIVE), "-C", str(into)], check=True)
    (folder,) = Path(into).glob("ke-runtime-*")
    return folder


def lines_of(text):
    """`doctor --json` as {(part, name): (state, text)}."""
    return {(line["part"], line["name"]): (line["state"], line["text"]) for line in json.loads(text)}


class Place:
    """Where a bundle lies and how its programs are started there; here: on this very system."""

    def __init__(self, folder, env):
        self.folder = folder  # as the program sees it
        self.env = env

    def argv(self, *words, user=None):
        become = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", "--"] if user else []
        return [*become, f"{self.folder}/bin/ke-runtime", *map(str, words)]

    def run(self, *words, user=None, env=None, timeout=PATIENCE):
        return subprocess.run(self.argv(*words, user=user), env={**self.env, **(env or {})}, cwd="/", stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=timeout)


class Root(Place):
    """Another system's root folder, entered with bwrap: its files, this machine's kernel, devices and network."""

    def __init__(self, root, within="opt/a folder"):
        self.root = Path(root)
        place = self.root / within
        shutil.rmtree(place, ignore_errors=True)
        unpack(place)
        os.chmod(place, 0o755)
        (name,) = [p.name for p in place.glob("ke-runtime-*")]
        super().__init__(f"/{within}/{name}", {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "TMPDIR": "/tmp",
                                              "LANG": "C.UTF-8"})

    def enter(self, argv, shown=()):
        """All of /proc, or a sandbox in there could not mount its own. shown: (folder here, folder inside)."""
        bound = [word for here, there in shown for word in ("--bind", str(here), there)]
        return ["bwrap", "--bind", str(self.root), "/", "--dev-bind", "/dev", "/dev", "--bind", "/proc", "/proc", "--ro-bind-try", "/sys", "/sys", "--perms", "1777",
                "--tmpfs", "/tmp", *bound, "--cap-add", "ALL", "--chdir", "/", "--die-with-parent", *argv]

    def argv(self, *words, user=None, shown=()):
        return self.enter(super().argv(*words, user=user), shown)


@unittest.skipUnless(ARCHIVE.is_file(), "KE_BUNDLE names no archive: scripts/bundle.sh makes one")
class BundleTest(unittest.TestCase):
    """What holds wherever a bundle lies."""

    maxDiff = None

    def assert_doctor(self, place, user=None, **expected):
        """The states of `part_name` in `doctor --json` are as expected. The lines."""
        done = place.run("doctor", "--json", user=user)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        lines = lines_of(done.stdout)
        for key, state in expected.items():
            part, _, name = key.partition("_")
            found = {n.replace("-", "_"): v for (p, n), v in lines.items() if p == part}
            self.assertIn(name, found, done.stdout)
            self.assertEqual(found[name][0], state, (key, found[name]))
        for program in ("ke-judge", "ke-driver", "ke-profiler", "ke-runner", "ke-device-runner"):
            self.assertEqual(lines["program", program][0], "ok")
        return lines

    def assert_told(self, place, lines):
        """`doctor` in words has the same lines as in JSON."""
        words = place.run("doctor")
        self.assertIn(words.returncode, (0, 3), words.stderr)
        self.assertEqual(len(words.stdout.splitlines()), len(lines), words.stdout)
        for (part, name), (state, _) in lines.items():
            self.assertRegex(words.stdout, rf"(?m)^{'.*' if part == 'peak' else state}\s+{part}\s+{re.escape(name[:40])}")

    def assert_judges(self, place, *words, candidate=None, states=("correct",), **more):
        """The reference of softmax, or a candidate, in the full sandbox: right. A timed one may be `noisy` (exit code 1) on a machine that others use."""
        problem = f"{place.folder}/{SOFTMAX}"
        done = place.run("eval", problem, candidate or f"{problem}/reference.cpp", "--backend", "cpu-cpp", "--sandbox", "full", "--json", *words, **more)
        self.assertIn(done.returncode, (0, 1), f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        verdict = json.loads(done.stdout)
        self.assertIn(verdict["state"], states, verdict)
        self.assertEqual(done.returncode, 0 if verdict["state"] == "correct" else 1)
        self.assertEqual(verdict["correctness"]["failed"], 0)
        self.assertEqual(verdict["provenance"]["sandbox"], "full")
        return verdict


def scratch(test, name):
    """A folder of this test that other users may read, with a blank in its name; gone at its end."""
    folder = Path(tempfile.mkdtemp(prefix=f"ke bundle {name} "))
    os.chmod(folder, 0o755)
    test.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
    return folder
