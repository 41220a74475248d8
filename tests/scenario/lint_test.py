"""`problem lint`: whether a problem's own check is worth anything, said before any candidate is paid for."""

import json
import unittest

from program import Scenario


class Lint(Scenario):
    def lint(self, code, *args):
        return self.call("problem", "lint", "problem", *args, code=code)

    def loosen(self):
        path = self.folder / "problem/problem.toml"
        path.write_text(path.read_text() + "\n[tolerance]\nf32 = { rtol = 0.0, atol = 1e9 }\n")

    def test_fit(self):
        """A sound problem: 0, every wrong answer rejected, tolerances and edges told, nothing left behind."""
        said = json.loads(self.lint(0, "--json").stdout)
        self.assertTrue(said["fit"])
        self.assertEqual(said["reasons"], [])
        self.assertTrue(said["deterministic"])
        self.assertGreaterEqual(len({f["fake"] for f in said["fakes"]}), 8)
        for fake in said["fakes"]:
            self.assertTrue(fake["rejected"], fake)
        for tolerance in said["tolerances"]:
            self.assertEqual(tolerance["rule"], "scaled")
            self.assertGreaterEqual(tolerance["reduction"], 1)
            self.assertTrue(0 < tolerance["rtol"] < 1e-4, tolerance)
        self.assertIn("nan", [e["name"] for e in said["edges"] if e["survives"]])
        text = self.lint(0).stdout
        self.assertRegex(text, r"^[\w-]+: fit\n")
        self.assertIn("secret shapes", text)

    def test_unfit(self):
        """A tolerance above all values: 1, and which rubbish would pass."""
        self.loosen()
        said = json.loads(self.lint(1, "--json").stdout)
        self.assertFalse(said["fit"])
        self.assertTrue(any("accepts zeros" in why for why in said["reasons"]), said["reasons"])
        self.assertIn("ACCEPTED", self.lint(1).stdout)

    def test_bad_file(self):
        """A problem file with mistakes: 2, all of them with their lines, nothing on stdout."""
        path = self.folder / "problem/problem.toml"
        path.write_text(path.read_text().replace('dtype = "f32"', 'dtype = "float"', 1).replace("dims = [", "dimms = [", 1))
        done = self.lint(2, "--json")
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"problem\.toml:\d+:\d+: .*dimms")
        self.assertRegex(done.stderr, r"problem\.toml:\d+:\d+: .*dtype")


if __name__ == "__main__":
    unittest.main()
