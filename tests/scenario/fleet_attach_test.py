"""A device attaches while the campaign runs on another one's: over CURVE, killed with SIGKILL, started again."""

import json
import signal
import sys
import time
import unittest

from device_test import PROBLEM, REFERENCE
from fleet_peers import Fleet
from program import FAKE_CUDA, HEAD, OPEN_STATES, ROOT, SLACK

BACKENDS = ("--backend-path", str(ROOT / "tests/fake_cuda"))
FIRST_JOB_S = 2.0  # after a worker's hello

# Answers whichever target asks, each time another candidate, and writes down that it was asked.
MODEL = r"""
import os, sys
prompt, number = sys.stdin.read(), os.getpid()
with open("asked", "a") as asked:
    print(number, file=asked)
if "fake device code" in prompt:
    print("```text", "kernel twice" if number % 2 else "kernel once", f"turn {number}", "```", sep="\n")
else:
    print("```cpp", HEAD + f"  for (int64_t i = 0; i < n; ++i)", f"    y[i] = 2 * x[i] + {number}.0f;", "}", "```", sep="\n")
""".replace("HEAD", repr(HEAD))


class Attach(Fleet):
    def setUp(self):
        super().setUp()
        self.write("problem/problem.toml", PROBLEM)
        self.write("problem/reference.cpp", REFERENCE)
        self.write("model.py", MODEL)
        self.call("keygen", "-o", "keys/coordinator")
        for name in ("workers/cpu", "workers/gpu"):
            self.call("keygen", "-o", f"keys/{name}")

    def keyed_worker(self, name, env):
        return self.worker(name, *BACKENDS, "--server-key", "keys/coordinator.pub", "--key", f"keys/workers/{name}.key", env=env)

    def two_targets(self):
        model = f'[[model]]\nname = "main"\nprovider = "command"\ncommand = {json.dumps([sys.executable, "-S", "-E", "model.py"])}\n'
        keys = 'key = "keys/coordinator.key"\nauthorized_keys = "keys/workers"\n'
        text = self.campaign(model, keys=keys, candidates=100_000, parallel=2, drafts=4, timed=True).read_text()
        self.write("campaign.toml", text + '\n[[target]]\nbackend = "fake-cuda"\ndevice = "nvidia-f100"\n')

    def of_device(self, run):
        """Its tree's nodes that have ended, as the run tells: the second target's, so odd."""
        return {node: state for node, (state, _) in run.acks().items() if node % 2}

    def device(self, run, before):
        """A worker with a device attaches, for the time after `before`. Seconds from the coordinator's word until it measures: it has built by then."""
        gpu = self.keyed_worker("gpu", {"KE_LIBCUDA": FAKE_CUDA})
        self.until(lambda: run.errors().count("worker attached worker=gpu") > before, "the device attached")
        begun = time.monotonic()
        self.until_judging(gpu)
        return gpu, time.monotonic() - begun

    def until_more_of_device(self, run, more):
        before = len(self.of_device(run))
        run.wait("node", where=lambda e: len(self.of_device(run)) >= before + more)

    def test_killed_and_started_again(self):
        """Until the device comes its tree waits and the CPU's runs. It has a job within 2 s of its hello, each time. Killed in the middle of a
        measurement, it costs nobody a second judgement or a second question to the model."""
        self.two_targets()
        run = self.start(*BACKENDS, env={"KE_LOG_DEBUG": "1"})
        self.keyed_worker("cpu", {"CUDA_VISIBLE_DEVICES": ""})
        run.wait("node", where=lambda e: e["node"] in run.acks())
        self.assertEqual([w["text"] for w in self.status()[1]["waiting"]], ["waiting for nvidia-f100"])
        self.assertEqual(self.of_device(run), {})

        gpu, first_s = self.device(run, 0)
        self.assertLess(first_s, FIRST_JOB_S * SLACK)
        self.until_more_of_device(run, 1)  # past the admission
        self.until_judging(gpu)
        gpu.kill()
        self.until(lambda: self.status()[1]["waiting"], "the campaign knows that the device is gone")
        gpu, again_s = self.device(run, 1)
        self.assertLess(again_s, FIRST_JOB_S * SLACK)
        self.until_more_of_device(run, 3)

        run.signal(signal.SIGINT)
        self.assertEqual(run.end(), 130, run.told())
        ended = [e["node"] for e in run.events if e.get("event") == "node" and e["state"] not in OPEN_STATES]
        self.assertEqual(len(ended), len(set(ended)), "a node was judged twice")
        self.assertLessEqual(set(self.of_device(run).values()), {"correct", "incorrect", "noisy"}, run.told())
        # a model is chosen before it is asked: one chosen as the run ended is not among the asked
        answered = [n for n in self.tree().values() if n["model"] and n["state"] not in ("planned", "asked", "cancelled")]
        self.assertTrue(answered)
        asked = (self.folder / "asked").read_text().split()
        self.assertEqual(len(asked), len(set(asked)))
        self.assertEqual(self.status()[1]["spend"]["requests"], len(asked))
        self.assertLessEqual(len(answered), len(asked))
        self.assert_sound_store()


if __name__ == "__main__":
    unittest.main()
