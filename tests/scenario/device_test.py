"""Candidates on a device, as the judge has it: here the device is host memory (tests/fake_cuda), so what is shown is that judge, driver, sandbox
and verdicts fit together, and nothing about a device."""

import json
import os
import re
import shutil
import sys
import unittest
from pathlib import Path

from program import FAKE_CUDA, ROOT, Scenario, campaign_text

PROBLEM = """[problem]
name = "twice"
dims = ["N"]
reference = "reference.cpp"
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["N"]
init = "normal"
[[tensor]]
name = "y"
role = "out"
dtype = "f32"
shape = ["N"]
[[workload]]
name = "w"
dims = { N = 5000 }
"""
REFERENCE = """#include <cstdint>
extern "C" void kernel(const float* x, float* y, int64_t N) {
  for (int64_t i = 0; i < N; ++i)
    y[i] = 2 * x[i] + 1;
}
"""


class OnADevice(Scenario):
    def setUp(self):
        super().setUp()
        self.write("problem.toml", PROBLEM)
        self.write("reference.cpp", REFERENCE)
        self.env["KE_LIBCUDA"] = FAKE_CUDA

    def judged(self, kernel, *flags, problem="problem.toml", launch=""):
        self.write("candidate.cu", f"kernel {kernel}\n{launch}")
        return json.loads(self.eval(problem, "--json", *flags).stdout)

    def eval(self, problem, *flags, devices=True, code=None):
        return self.call("eval", problem, "candidate.cu", "--backend", "fake-cuda", "--backend-path", ROOT / "tests/fake_cuda", *flags, code=code,
                         env={} if devices else {"CUDA_VISIBLE_DEVICES": ""})


class Device(OnADevice):
    def test_verdicts(self):
        states = {
            "twice": ("correct", ""),
            "eight_times": ("correct", ""),
            "once": ("incorrect", "wrong value at y[4999] of workload w"),
            "twice_beside": ("incorrect", "writes outside of tensor y"),
            "twice_in_input": ("cheating_suspected", "inputs_changed"),
            "illegal": ("crashed", "the kernel failed on the device: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"),
            "never_ends": ("timeout", "a call did not end within 3.000 s"),
            "unknown": ("build_failed", 'there is no kernel "unknown" in it'),
        }
        for kernel, (state, reason) in states.items():
            verdict = self.judged(kernel, "--untimed")
            self.assertEqual(verdict["state"], state, (kernel, verdict["reason"]))
            self.assertIn(reason, verdict["reason"], kernel)
            self.assertEqual(verdict["device"], "nvidia-f100")

    def test_a_launch_of_too_few_threads_is_wrong(self):
        verdict = self.judged("twice", "--untimed", launch="grid N / 256\n")
        self.assertEqual(verdict["state"], "incorrect", verdict["reason"])

    def test_a_launch_that_no_device_takes_is_told(self):
        verdict = self.judged("twice", "--untimed", launch="block 2048\n")
        self.assertEqual(verdict["state"], "crashed")
        self.assertIn('launch of twice: block = "2048" is 2048 here; a device takes 0 to 1024', verdict["reason"])

    def test_every_timed_call_is_checked_and_graphs_are_replayed(self):
        self.write("graph.toml", PROBLEM + '[policy]\nlaunch = "graph"\n')
        for problem in ("problem.toml", "graph.toml"):
            verdict = self.judged("twice", "--plan", "rank", problem=problem)
            self.assertIn(verdict["state"], ("correct", "noisy"), verdict["reason"])
            self.assertEqual(verdict["correctness"]["failed"], 0)
            self.assertGreater(verdict["correctness"]["timed_calls"], 0)
            self.assertEqual(verdict["correctness"]["timed_calls"], verdict["correctness"]["timed_calls_checked"])

    def test_what_the_device_says_of_itself_is_in_the_record(self):
        verdict = self.judged("twice", "--plan", "rank")
        self.assertEqual(verdict["provenance"]["device_state"], "1980 MHz, memory 2619 MHz, 41 C, 121 W")

    def profiled(self, kernel, code=0, **env):
        self.write("candidate.cu", f"kernel {kernel}\n")
        said = self.call("profile", "problem.toml", "candidate.cu", "--backend", "fake-cuda", "--backend-path", ROOT / "tests/fake_cuda", "-o", "out", "--json",
                         code=code, env=env)
        return json.loads(said.stdout)

    def test_a_tool_looks_at_the_kernels_of_one_call(self):
        """What it prints is another kernel's: this shows the way, not the numbers."""
        seen = self.profiled("twice", KE_NCU=str(ROOT / "tests/fake_cuda/ncu"))
        self.assertEqual(seen["counters"]["kernels.count"], 2)
        self.assertEqual(seen["counters"]["role.memory"], 0.843)  # by the time that each took
        self.assertIn("90% 18.00 us kernel(const float *, float *, long) grid (132, 1, 1)", seen["diagnosis"]["evidence"]["device_kernels"])
        self.assertIn("ncu.txt", seen["files"])

    def test_a_tool_that_is_not_there_or_sees_nothing_is_told(self):
        self.assertIn("ncu is not on this machine: set KE_NCU", self.profiled("twice")["findings"]["no_ncu"])
        self.write("blind", "#!/bin/sh\necho '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'\n")
        os.chmod(self.folder, 0o755)
        os.chmod(self.folder / "blind", 0o755)
        seen = self.profiled("twice", KE_NCU=str(self.folder / "blind"))
        self.assertIn("NVreg_RestrictProfilingToAdminUsers=0", seen["findings"]["no_ncu"])
        self.assertIn(seen["state"], ("correct", "noisy"))

    def test_a_crash_is_looked_at_again(self):
        """On the case that it crashed on."""
        self.write("candidate.cu", "kernel illegal\n")
        verdict = json.loads(self.call("eval", "problem.toml", "candidate.cu", "--backend", "fake-cuda", "--backend-path", ROOT / "tests/fake_cuda", "--json",
                                       code=1, env={"KE_COMPUTE_SANITIZER": str(ROOT / "tests/fake_cuda/compute-sanitizer")}).stdout)
        self.assertEqual(verdict["state"], "crashed")
        self.assertIn("Invalid __global__ write of size 4, at line 9, thread (255,0,0) of block (65535,0,0), 5 bytes behind an allocation of 512",
                      verdict["reason"])

    def test_no_device_is_told_in_one_sentence(self):
        self.write("candidate.cu", "kernel twice\n")
        said = self.eval("problem.toml", devices=False, code=3)
        self.assertIn("backend fake-cuda has no device: the driver library finds no device", said.stderr)


class Surroundings(OnADevice):
    """What NVIDIA's management library says of a device, by files beside a copy of the fake one."""

    def setUp(self):
        super().setUp()
        for library in Path(FAKE_CUDA).parent.glob("*.so.1"):
            shutil.copy(library, self.folder)
        self.env["KE_LIBCUDA"] = str(self.folder / "libcuda.so.1")

    def test_heat_is_told(self):
        self.write("hot", "")
        verdict = self.judged("twice", "--plan", "rank")
        self.assertIn("held back by its power cap, heat, by the hardware", verdict["provenance"]["device_state"])
        self.assertIn(verdict["state"], ("correct", "noisy"))

    def test_memory_that_errs_is_the_machine_s_fault(self):
        self.write("bad-memory", "")
        self.write("candidate.cu", "kernel once\n")  # wrong, or made so by the memory: nobody can tell
        said = self.eval("problem.toml", "--json")
        self.assertIn("the device's memory erred and could not correct it (1 times", said.stdout + said.stderr)
        self.assertNotIn('"state":"incorrect"', said.stdout)

    def test_another_program_on_the_device_is_told_with_the_remedy(self):
        self.write("stranger", str(os.getpid()))
        said = self.call("doctor", code=None).stdout
        self.assertIn(f"(pid {os.getpid()}, 300 MiB); measure where they don't, or end them", said)


class TwoDevices(Scenario):
    """Of one kind in one machine."""

    def setUp(self):
        super().setUp()
        self.write("problem/problem.toml", PROBLEM)
        self.write("problem/reference.cpp", REFERENCE)
        self.write("model.py", "import os, sys\nsys.stdin.read()\nprint(f'```text\\nkernel once\\nturn {os.getpid()}\\n```')\n")
        command = json.dumps([sys.executable, str(self.folder / "model.py")])
        self.write("campaign.toml", campaign_text(f'[[model]]\nname = "main"\nprovider = "command"\ncommand = {command}\n', candidates=8)
                   .replace('"cpu-cpp"\ndevice = "*"', '"fake-cuda"\ndevice = "nvidia-f100"'))
        shutil.copy(FAKE_CUDA, self.folder / "libcuda.so.1")
        self.env.update(KE_LIBCUDA=str(self.folder / "libcuda.so.1"), CUDA_VISIBLE_DEVICES="0,1")

    def test_one_fails_and_the_other_works_on(self):
        self.write("broken-0", "")
        run = self.call("--config", "campaign.toml", "--ui", "plain", "--backend-path", ROOT / "tests/fake_cuda", code=None, timeout=120)
        self.assertEqual(run.returncode, 1, run.stderr[-3000:] + run.stdout[-2000:])
        tree = json.loads(self.call("tree", "--config", "campaign.toml", "--json").stdout)
        self.assertEqual([n["state"] for n in tree["nodes"] if n["model"]], ["incorrect"] * 8, run.stderr[-3000:])
        failed = run.stderr.count("evaluation failed, tried again")  # two in a row, and what was on its way: no more is given to it
        self.assertIn(failed, (2, 3), run.stderr)

    def test_a_claim_is_looked_at_on_the_other_one(self):
        model = self.folder / "model.py"
        model.write_text(model.read_text().replace("kernel once", "kernel twice"))
        run = self.call("--config", "campaign.toml", "--ui", "plain", "--backend-path", ROOT / "tests/fake_cuda", timeout=120)
        self.assertIn("the claim holds on a second device, too", run.stdout)
        [best] = json.loads(self.call("best", "--config", "campaign.toml", "--json").stdout)
        self.assertEqual({d["device"] for d in best["devices"]}, {"nvidia-f100", "nvidia-f100#2"})
        self.assertEqual([d["claim"] for d in best["devices"]], [True, False])

    def test_a_driver_that_is_too_old_is_told_with_the_remedy(self):
        self.write("old-driver", "")
        said = self.call("--config", "campaign.toml", "--ui", "plain", "--backend-path", ROOT / "tests/fake_cuda", code=3)
        self.assertIn("NVIDIA's driver is one for CUDA 11.2, and the judge needs CUDA 11.4 or later; install a newer driver", said.stderr)

    def test_both_are_told(self):
        said = self.call("doctor", code=None).stdout
        self.assertIn("nvidia-f100#2", said)

    def test_doctor_tells_how_many_forged_orders_are_found(self):
        """On host memory no process waits for another one's work, so those found are no more than a busy host's chance."""
        said = self.call("doctor", code=None).stdout
        for name in ("nvidia-f100", "nvidia-f100#2"):
            [line] = [row for row in said.splitlines() if row.split()[1:3] == ["bands", name]]
            self.assertEqual(line.split()[0], "degraded")
            found = {int(us): int(times) for times, us in re.findall(r"(\d+) of 100 that left (\d+) us", line)}
            self.assertEqual(sorted(found), [5, 10, 13, 20, 50])
            self.assertLess(max(found.values()), 50, line)
            [suspected] = re.findall(r"of honest ones (\d+) of 400 were suspected", line)
            self.assertLess(int(suspected), 200, line)


if __name__ == "__main__":
    unittest.main()
