"""Trajectories as a Hugging Face dataset: what the manual's example says, with the library itself, offline."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from program import RIGHT, Scenario, broken, fenced, wrong

LOAD = """
import json, sys
from datasets import load_dataset
data = load_dataset("json", data_files=dict(train=sys.argv[1], test=sys.argv[2]))
print(json.dumps({"rows": {k: len(v) for k, v in data.items()}, "columns": data["train"].column_names,
                  "same": data["train"].features == data["test"].features, "first": data["train"][0]}))
"""


class Datasets(Scenario):
    def load(self, train, test):
        python = os.environ.get("KE_PYTHON", Path(__file__).resolve().parents[2] / ".venv/bin/python")
        env = {**self.env, "HF_HOME": str(self.folder / "hf"), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run([python, "-c", LOAD, train, test], cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def test_steps_and_chains(self):
        """Steps and chains load in one pass, each column with one type that the lines of another campaign have as well, every row as json reads it."""
        for name, answers in (("first", [wrong(1), broken(2), "No code today.", "No code today.", RIGHT]), ("second", [broken(3)])):
            server = self.fake([{"answer": a if a.startswith("No") else fenced(a)} for a in answers])
            self.config(server.model(), candidates=4 if name == "first" else 1, parallel=1, name=name)
            self.start().end()
        for form in ("steps", "chains"):
            for name in ("first", "second"):
                self.call("export", "trajectories", "--config", "campaign.toml", "--campaign", name, "--form", form, "-o", name + ".jsonl")
            lines = {name: [json.loads(line) for line in (self.folder / f"{name}.jsonl").read_text().splitlines()] for name in ("first", "second")}
            loaded = self.load("first.jsonl", "second.jsonl")
            self.assertEqual(loaded["rows"], {"train": len(lines["first"]), "test": len(lines["second"])})
            self.assertEqual(loaded["columns"], list(lines["first"][0]))
            self.assertTrue(loaded["same"], "the types of a column differ between two campaigns")
            self.assertEqual(loaded["first"], lines["first"][0])


if __name__ == "__main__":
    unittest.main()
