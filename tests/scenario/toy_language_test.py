"""A language that the program does not know: all of it is data of the backend.toml in tests/fixtures/toy."""

import json
import shutil
import sys
import unittest

from program import ROOT, Scenario, fenced, wrong

TOY = ROOT / "tests/fixtures/toy"
RIGHT = "-- the sine first\nkernel x y n\nlet s = sin(x)\ny = 1.5 * s + 1\n"
WRONG = "kernel x y n\ny = 1.5 * x + 1\n"
SAME = "-- another plan\nkernel x y n\n\ny = 1.5 * x + 1   -- of the element\n"
BROKEN = "kernel x y n\nwobble x into y\n"
# A model that has never heard of the language: it uses what its prompt names, else it guesses, another way each time.
NOVICE = """import pathlib, sys
said = pathlib.Path("asked")
n = len(said.read_text()) if said.exists() else 0
said.write_text("x" * (n + 1))
knows = "`let NAME = EXPRESSION` gives a value" in sys.stdin.read()
body = f"let s{n} = sin(x)\\ny = 1.5 * s{n} + 1" if knows else f"s{n} := sin(x)\\ny := 1.5 * s{n} + 1"
print(f"```toy\\nkernel x y n\\n{body}\\n```")
"""


def in_toy(source, fence="toy"):
    return f"What I would try:\n\n```{fence}\n{source}```\n"


class ToyLanguage(Scenario):
    def campaign(self, documented, answers, **keys):
        """Runs a campaign of these answers as `play` does, to a right one."""
        self.server = self.fake([{"answer": a} for a in answers])
        return self.play(documented, self.server.model(), code=0, **{"candidates": len(answers), "drafts": len(answers), **keys})

    def play(self, documented, model, code, store="store", **keys):
        """Runs a campaign on a copy of the toy backend to its end, whose folder of documents is left out unless it is `documented`."""
        self.backend = self.folder / "toy"
        shutil.rmtree(self.backend, ignore_errors=True)
        shutil.copytree(TOY, self.backend, ignore=None if documented else shutil.ignore_patterns("knowledge"))
        text = self.config(model, **{"parallel": 1, **keys}).read_text()
        self.write("campaign.toml", text.replace('backend = "cpu-cpp"', 'backend = "toy"').replace('store = "store"', f'store = "{store}"'))
        run = self.start("--backend-path", "toy")
        self.assertEqual(run.end(), code, run.told())
        return run

    def node(self, number):
        return self.json("show", number)

    def judged(self, documented):
        """Answers get their verdicts, two that differ in comments alone are one candidate, C++ is asked again in the language, and the best is
        a file of it. Gives the first prompt."""
        self.campaign(documented, [in_toy(BROKEN), in_toy(WRONG, "toylang"), in_toy(SAME), fenced(wrong(1)), in_toy(RIGHT)], candidates=4)
        nodes = {n: (node["state"], node["duplicate_of"]) for n, node in self.tree().items() if n}
        self.assertEqual(nodes, {1: ("build_failed", None), 2: ("incorrect", None), 3: ("incorrect", 2), 4: ("correct", None)})
        self.assertEqual(self.server.requests(), 5)
        self.assertIn("candidate.toy:2: error: no such statement: wobble", json.dumps(self.node(1)))
        self.assertIn("the answer holds no toy code block (only blocks in other languages)", self.node(4)["prompt_text"])
        best = self.json("best")
        self.assertEqual((best[0]["node"], best[0]["verdict"]["state"]), (4, "correct"))
        self.assertTrue(best[0]["source_path"].endswith(".toy"), best[0]["source_path"])
        with open(best[0]["source_path"]) as source:
            self.assertEqual(source.read(), RIGHT)
        self.call("export", "best", "--config", "campaign.toml", "-o", "winner")
        self.assertEqual((self.folder / "winner/kernel.toy").read_text(), RIGHT)
        self.assertFalse((self.folder / "winner/build.sh").exists(), "no recipe of another language")
        prompt = self.node(1)["prompt_text"]
        self.assertTrue(prompt.startswith("```ke-task\n"))
        task = json.loads(prompt.split("\n", 2)[1])
        self.assertEqual((task["target"]["backend"], task["target"]["language"]), ("toy", "toy"))
        self.assertIn("Write it in the language toy, in which it must define the kernel that is this function of the C ABI:\n```c\n"
                      'extern "C" void kernel(const float* x, float* y, int64_t N);\n```\nThe first line names the arguments in that order.', prompt)
        self.assertIn("The complete source in exactly one fenced ```toy block.", prompt)
        self.assertIn("-- ke-param: NAME = 4 | 8 | 16\n   each of which becomes `set NAME = 8`", prompt)
        self.assertIn("A source may have at most 4 KiB.", prompt)
        self.assertIn("## Reference\n```c++\n", prompt)
        self.assertNotIn("includes too", prompt)
        self.assertNotIn("```cpp", prompt[:prompt.index("\n## Knowledge")])
        self.assertNotIn("does not compile in wider arithmetic", json.dumps(self.node(4)), "the truth is built by the reference's command, too")
        self.assert_sound()
        self.assert_nothing_left()
        return prompt

    def test_with_its_document(self):
        """A10, A44, A45: a campaign in a toy language with a document beside its backend.toml ends with a correct kernel; prompts hold the document."""
        prompt = self.judged(documented=True)
        self.assertIn("## Knowledge: The statements of the toy language", prompt)
        self.assertIn("`let NAME = EXPRESSION` gives a value", prompt)
        found = json.loads(self.call("knowledge", "search", "--target", "toy-1", "--backend-path", "toy", "--json").stdout)
        self.assertIn("The statements of the toy language", [d["title"] for d in found])

    def test_without_its_document(self):
        """A10, A44, A45: the same campaign without the document ends with a correct kernel, too; prompts do not know what it said."""
        prompt = self.judged(documented=False)
        self.assertNotIn("The statements of the toy language", prompt)
        self.assertNotIn("let NAME", prompt)

    def test_a_model_that_knows_only_its_prompt(self):
        """A45: with the document every answer of a model that knows nothing else is right; without it none compiles."""
        for documented, code, state in ((True, 0, "correct"), (False, 1, "build_failed")):
            with self.subTest(documented=documented):
                (self.folder / "asked").unlink(missing_ok=True)
                script = self.write("novice.py", NOVICE)
                name = "told" if documented else "untold"
                model = f'[[model]]\nname = "main"\nprovider = "command"\ncommand = ["{sys.executable}", "{script}"]\n'
                self.play(documented, model, code, store=name, name=name, candidates=3, drafts=3)
                self.assertEqual({node["state"] for n, node in self.tree().items() if n}, {state})  # the first right one reaches the target

    def test_templates(self):
        """A10: a template in the toy language is judged at its first point, set by the manifest's own line."""
        template = "-- ke-param: HALF = 1.5 | 0.5 | 0.75\nkernel x y n\ny = HALF * sin(x) + 1\n"
        self.campaign(False, [in_toy(template)], name="tuned")
        best = self.json("best")
        with open(best[0]["source_path"]) as source:
            self.assertEqual(source.read(), template.replace("\nkernel", '\nset HALF = 1.5\n-- ke-point: {"HALF": "1.5"}\nkernel'))
        self.assert_nothing_left()

    def test_size(self):
        """A10: a source above the size that the manifest allows is refused by its limit."""
        self.campaign(False, [in_toy("-- " + "x" * 5000 + "\n" + RIGHT), in_toy(RIGHT)])
        self.assertIn("over the limit of 4096 bytes", json.dumps(self.node(1)))

    def test_misspelt_backend(self):
        """A10: a backend that there is not is one error in campaign.toml's line, with the nearest name; so is a key of backend.toml."""
        shutil.copytree(TOY, self.folder / "toy")
        model = '[[model]]\nname = "main"\nprovider = "playbook"\n'
        text = self.config(model).read_text()
        path = self.write("campaign.toml", text.replace('backend = "cpu-cpp"', 'backend = "toyy"'))
        line = path.read_text().splitlines().index('backend = "toyy"') + 1
        done = self.call("--config", "campaign.toml", "--backend-path", "toy", "--ui", "none", code=2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(f"campaign.toml:{line}:"), done.stderr)
        self.assertIn('no backend is called "toyy" (did you mean "toy"?); there are: ', done.stderr)
        manifest = self.folder / "toy/backend.toml"
        lines = manifest.read_text().replace("fences =", "fence =").splitlines()
        manifest.write_text("\n".join(lines))
        line = next(n for n, l in enumerate(lines, 1) if l.startswith("fence ="))
        done = self.call("--config", "campaign.toml", "--backend-path", "toy", "--ui", "none", code=2)
        self.assertIn(f'toy/backend.toml:{line}:', done.stderr)
        self.assertIn('language.fence: unknown key (did you mean "fences"?)', done.stderr)
        self.assertFalse((self.folder / "store").exists())


if __name__ == "__main__":
    unittest.main()
