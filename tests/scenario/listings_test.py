"""The complete candidates of the knowledge base: those for CPUs are right, those for Hopper compile, where no device is. That the latter are
right: listings_run_test.py and, on a device, scripts/gpu/listings.py."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from listings import listings
from program import ROOT, Scenario

BACKEND = {"python": "triton", "cuda": "cuda"}


class Listings(Scenario):
    def verdict(self, listing):
        problem, file = listing.write(self.folder)
        device = ["--device", "nvidia-sm_90"] if listing.language == "cuda" else []
        done = self.call("eval", str(problem), str(file), "--backend", BACKEND[listing.language], *device, "--json", code=None)
        if done.returncode == 3:
            return None, done.stderr.strip()
        return json.loads(done.stdout), done.stderr

    def test_every_one_compiles(self):
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("left out: this machine has a device, where they run")
        all_of_them = [x for x in listings() if x.language in BACKEND]
        self.assertEqual({x.language for x in all_of_them}, set(BACKEND))
        with ThreadPoolExecutor(os.cpu_count()) as several:
            said = list(several.map(self.verdict, all_of_them))
        absent = {words for v, words in said if v is None}
        for listing, (v, words) in zip(all_of_them, said):
            with self.subTest(page=listing.page):
                if v is None:
                    continue
                self.assertEqual(v["state"], "compiled", f"{v['reason']}\n{words}")
                self.assertTrue(any(name.startswith("sm_90.") for name in v["metrics"]), v["metrics"])
                if "nvidia.hopper" in listing.source:  # Bug: what Blackwell has not was refused on Hopper, too
                    self.assertFalse(any(name.startswith("sm_100.") for name in v["metrics"]), v["metrics"])
        if absent:
            self.skipTest(f"left out: {'; '.join(sorted(absent))}")

    def test_those_for_this_cpu_are_right(self):
        if "avx512f" not in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
            self.skipTest("left out: this CPU has no AVX-512")
        for listing in (x for x in listings() if x.language == "c++"):
            with self.subTest(page=listing.page):
                problem, file = listing.write(self.folder)
                done = self.call("eval", str(problem), str(file), "--backend", "cpu-cpp", "--plan", "rank", "--json", code=None)
                v = json.loads(done.stdout)
                self.assertIn(v["state"], {"correct", "noisy"}, v["reason"])

    def test_errors_of_functions_are_those_told(self):
        if "avx512f" not in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
            self.skipTest("left out: this CPU has no AVX-512")
        [gelu] = (x for x in listings() if x.page.endswith("complete-gelu-avx512.md"))
        _, file = gelu.write(self.folder)
        program = str(Path(self.folder) / "ulp")
        subprocess.run(["g++", "-O2", "-march=native", f'-DKERNEL="{file}"', str(ROOT / "tests/listings/ulp.cpp"), "-o", program], check=True)
        worst = dict(line.split() for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines())
        self.assertLess(float(worst["erf"]), 1.025)  # ulp; the page says 1.02 and 0.99
        self.assertLess(float(worst["exp"]), 0.995)

    def test_every_problem_has_one(self):
        used = {x.problem for x in listings()}
        for file in sorted((ROOT / "tests/listings").glob("*/problem.toml")):
            self.assertIn(file.parent, used)
