"""Device code with a declared launch on a machine without an NVIDIA device: it is compiled, and nobody says more."""

import json
import shutil
import unittest

from program import ROOT, Scenario

CUDA = ROOT / "backends/cuda"
LAUNCH = '/*\n[launch]\ngrid = "ceildiv(N, 256)"\nblock = 256\n*/\n'
HEAD = 'extern "C" __global__ void kernel(const float* x, float* y, int64_t N) {\n'
BODY = "  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;\n  if (i < N)\n    y[i] = sinf(x[i]) * 1.5f + 1.0f;\n}\n"
RIGHT = LAUNCH + HEAD + BODY
BROKEN = LAUNCH + HEAD + "  no_such_name(x, y);\n}\n"
TWO = RIGHT.replace("[launch]", "[[launch]]").replace("*/", '[[launch]]\nentry = "more"\ngrid = 1\nblock = [32, 2]\n*/') + \
    HEAD.replace("kernel", "more") + "  __shared__ float s[64];\n  s[threadIdx.x] = x[0];\n  __syncthreads();\n  y[0] = s[1];\n}\n"
# Two to the power of 40 instantiations.
ENDLESS = LAUNCH + "template <int D, long long M> struct f { static constexpr int v = f<D - 1, 2 * M>::v + f<D - 1, 2 * M + 1>::v; };\n" \
    "template <long long M> struct f<0, M> { static constexpr int v = 1; };\n" + HEAD + "  y[0] = f<40, 0>::v;\n}\n"


def fenced(source):
    return f"What I would try:\n\n```cuda\n{source}```\n"


class Cuda(Scenario):
    def setUp(self):
        super().setUp()
        done = self.judge(RIGHT, "probe.cu", code=None)
        if done.returncode == 3 and "not on this machine" in done.stderr:
            self.skipTest(f"left out: {done.stderr.strip()}")
        self.probed = json.loads(done.stdout)
        if not self.probed["device"].startswith("nvidia-sm_"):
            self.skipTest(f"left out: this machine has a device ({self.probed['device']})")

    def judge(self, source, name="candidate.cu", code=1, more=()):
        self.write(name, source)
        return self.call("eval", "problem", name, "--backend", "cuda", "--json", *more, code=code)

    def verdict(self, source, **keys):
        v = json.loads(self.judge(source, **keys).stdout)
        self.assertIsNone(v["timing"])
        self.assertNotEqual(v["state"], "correct")
        return v

    def refused(self, source, *words, **keys):
        v = self.verdict(source, **keys)
        self.assertEqual((v["state"], v["score"]), ("build_failed", 0), v)
        for word in words:
            self.assertIn(word, v["reason"])
        return v

    def test_compiled(self):
        """A69: without a device a candidate is compiled for each architecture, its static figures are told, and nothing of it is called right."""
        v = self.probed
        self.assertEqual((v["state"], v["decision"], v["score"], v["device"], v["backend"]), ("compiled", None, None, "nvidia-sm_90", "cuda"))
        self.assertTrue(v["reason"].startswith("compiled, not executed"), v["reason"])
        self.assertRegex(v["reason"], r"; kernel: \d+ registers, no spills")
        self.assertEqual(v["correctness"]["cases"], 0)
        self.assertGreater(v["metrics"]["sm_90.kernel.registers"], 0)
        self.assertEqual(v["metrics"]["sm_90.kernel.spill_bytes"], 0)
        two = self.verdict(TWO, more=("--device", "*sm_100"))
        self.assertEqual(two["device"], "nvidia-sm_100")
        self.assertEqual(two["metrics"]["sm_100.more.shared_bytes"], 256)
        self.assertGreater(two["metrics"]["sm_100.kernel.registers"], 0)
        self.assertFalse([m for m in two["metrics"] if not m.startswith("sm_100.")])
        people = self.call("eval", "problem", "candidate.cu", "--backend", "cuda", code=1).stdout
        self.assertIn("compiled\n  reason: compiled, not executed", people)
        self.assertNotIn("checked:", people)
        self.assertIn("no device of backend cuda is called like nvidia-h300",
                      self.judge(RIGHT, code=3, more=("--device", "nvidia-h300")).stderr)
        self.assert_nothing_left()

    def test_listings(self):
        """PTX and machine code of what was compiled lie in the folder of profile."""
        self.write("candidate.cu", RIGHT)
        self.call("profile", "problem", "candidate.cu", "--backend", "cuda", "-o", "out", code=1)
        self.assertIn(".visible .entry kernel(", (self.folder / "out/kernel.ptx").read_text())
        self.assertIn("Function : kernel\n", (self.folder / "out/kernel.sass").read_text())

    def test_refused(self):
        """A69: what does not compile, or is no launch, is told with its line."""
        self.refused(BROKEN, 'candidate.cu(7): error: identifier "no_such_name" is undefined')
        self.refused(HEAD + BODY, "candidate.cu(1): error: no launch is declared")
        self.refused(RIGHT.replace("blo", "bol"), "candidate.cu(2): error: launch.block: required, but missing")
        self.refused(RIGHT.replace('"ceildiv(N, 256)"', '"ceildiv(K, 256)"'), 'candidate.cu(3): error: launch.grid: ', 'unknown name "K"')
        self.refused(RIGHT.replace("block =", 'entry = "other"\nblock ='),
                     'candidate.cu(2): error: launch.entry: no extern "C" __global__ function is called "other"')
        self.refused(RIGHT.replace('extern "C" ', ""), "launch.entry: no extern", "the compiled code has _Z6kernel")
        self.refused(RIGHT.replace("float* y, ", "").replace("y[i]", "float z"),
                     "kernel must take these 3 arguments: const float* x, float* y, int64_t N")

    def test_hostile(self):
        """A69: a source can't read the host's files through the compiler, nor hold it for longer than its limit."""
        v = self.refused(LAUNCH + '#include "/etc/passwd"\n' + HEAD + BODY, "/etc/passwd")
        self.assertNotIn("root", v["log"])
        self.assertNotIn("root", v["reason"])
        shutil.copytree(CUDA, self.folder / "cuda")
        manifest = self.folder / "cuda/backend.toml"
        manifest.write_text(manifest.read_text().replace("build_s = 60", "build_s = 2"))
        v = self.refused(ENDLESS, more=("--backend-path", "cuda"))
        self.assertRegex(v["reason"], "the compiler (did not end within|exceeded)")
        self.assert_nothing_left()

    def test_missing(self):
        """A69: without NVRTC the backend is absent, in one sentence with the remedy; one that can't be loaded is the machine's fault, too."""
        done = self.call("eval", "problem", "probe.cu", "--backend", "cuda", code=3, env={"KE_NVRTC": "/nowhere/libnvrtc.so"})
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn("nvrtc is not on this machine: run scripts/venv.sh", done.stderr)
        rubbish = self.write("libnvrtc.so", "no library")
        done = self.call("eval", "problem", "probe.cu", "--backend", "cuda", code=3, env={"KE_NVRTC": str(rubbish)})
        self.assertIn("the toolchain of backend cuda does not answer", done.stderr)

    def test_lint(self):
        """A69: a problem is linted where its reference runs; that is said, and nothing else happens."""
        done = self.call("problem", "lint", "problem", "--backend", "cuda", code=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("compiled, not executed", done.stdout + done.stderr)

    def test_campaign(self):
        """A69: a campaign of device code compiles its candidates: launches count as code, and neither status nor report claims anything."""
        other = RIGHT.replace("256", "128").replace("128)", "128 )")
        commented = RIGHT.replace("extern", "// the same\nextern", 1)
        answers = [RIGHT, BROKEN, other, commented, TWO]
        server = self.fake([{"answer": fenced(a)} for a in answers])
        text = self.config(server.model(), candidates=4, parallel=1, drafts=4, timed=True).read_text()
        self.write("campaign.toml", text.replace('backend = "cpu-cpp"', 'backend = "cuda"').replace('device = "*"', 'device = "nvidia-sm_90"'))
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        nodes = {n: (node["state"], node["score"], node["duplicate_of"]) for n, node in self.tree().items() if n}
        states = [s for s, _, _ in nodes.values()]
        self.assertEqual(set(states), {"compiled", "build_failed"}, nodes)
        self.assertGreaterEqual(states.count("compiled"), 3)
        self.assertTrue(all(score is None for state, score, _ in nodes.values() if state == "compiled"), nodes)
        self.assertIsNone(nodes[3][2], "another launch is another candidate")
        self.assertEqual(nodes[4][2], 1, "another comment is none")
        node = self.json("show", 1)
        prompt = node["prompt_text"]
        self.assertIn('```cuda\nextern "C" __global__ void kernel(const float* x, float* y, int64_t N);\n```', prompt)
        self.assertIn("- candidates are: compiled, not executed", prompt)
        self.assertIn("[launch]\nentry = \"kernel\"", prompt)
        status = self.call("status", "--config", "campaign.toml").stdout
        self.assertRegex(status, r"best +none: \d compiled, not executed")
        self.assertEqual(self.json("best", code=1), [])
        self.assertIn("compiled, not executed", self.call("report", "--config", "campaign.toml", "-o", "r.html").stdout)
        self.assertIn("compiled, not executed: nothing is known of their results or times", (self.folder / "r.html").read_text())
        self.assert_sound()
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
