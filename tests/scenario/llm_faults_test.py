"""A provider that misbehaves: every fault is counted under its name, and no budget is overrun."""

import json
import os
import re
import unittest
from pathlib import Path

from program import RIGHT, Scenario, command_of, descendants_of, fenced, wrong


def status_of(pid):
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return ""


def error(status, kind, message, **more):
    return {"status": status, "body": {"error": {"type": kind, "code": kind, "message": message}}, **more}


class Faults(Scenario):
    def run_script(self, script, provider="openai", more="", code=1, **keys):
        server = self.fake(script)
        self.config(server.model(provider, more), **{"parallel": 1, "drafts": 4, **keys})
        run = self.start()
        self.assertEqual(run.end(), code, run.told())
        self.assert_nothing_left()
        return server, run

    def assert_books_are_the_bill(self, server, campaign):
        """Where the provider has told all usage, the books are its bill to the token."""
        bill, spend = server.bill(), campaign["spend"]
        self.assertEqual(spend["requests"], len(bill["requests"]), "every request that left is in the books")
        self.assertEqual((spend["input_tokens"], spend["output_tokens"]), (bill["input_tokens"], bill["output_tokens"]))
        self.assertAlmostEqual(spend["usd"], (3.0 * bill["input_tokens"] + 15.0 * bill["output_tokens"]) / 1e6, 6)
        self.assertEqual(campaign["estimated"]["usd"], 0)

    def faults_of(self, provider):
        answer = {"answer": fenced(wrong(1))}
        again = {"answer": fenced(wrong(2))}
        server, run = self.run_script([error(429, "rate_limit_error", "slow down", headers={"Retry-After": "0"}), answer,
                                       error(500, "server_error", "oops"), again,
                                       {"answer": "I would rather not write code."},
                                       {"answer": ""}, {"answer": fenced(wrong(3))}, {"answer": fenced(wrong(4))}], provider, candidates=4)
        _, campaign = self.status()
        # The empty answer is asked for again, the one without code gets a repair round.
        self.assertEqual(campaign["nodes"], {"incorrect": 4}, campaign)
        failures = campaign["failures"]
        self.assertEqual(failures.get("rate_limited"), 1, failures)
        self.assertEqual(failures.get("server_error"), 1, failures)
        self.assertEqual(failures.get("no_code"), 1, failures)
        self.assertEqual(failures.get("empty"), 1, failures)
        self.assert_books_are_the_bill(server, campaign)

    def test_openai(self):
        """openai: 429, 500, an answer without code and an empty one are asked for again, each counted once under its kind."""
        self.faults_of("openai")

    def test_anthropic(self):
        """anthropic: the same."""
        self.faults_of("anthropic")

    def test_cut_and_garbage(self):
        """A page of HTML, a reset connection and a truncated answer are counted, and the campaign goes on."""
        self.run_script([{"status": 200, "type": "text/html", "body": "<html>sign in</html>"},
                         {"answer": fenced(wrong(1)), "reset": True},
                         {"status": 200, "body": {"choices": [{"index": 0, "finish_reason": "length",
                                                               "message": {"role": "assistant", "content": "```cpp\nextern"}}],
                                                  "usage": {"prompt_tokens": 10, "completion_tokens": 10}}},
                         {"answer": fenced(wrong(2))}, {"answer": fenced(wrong(3))}, {"answer": fenced(wrong(4))}], candidates=3)
        _, campaign = self.status()
        self.assertGreaterEqual(campaign["nodes"].get("incorrect", 0), 1, campaign)
        self.assertGreaterEqual(sum(campaign["failures"].values()), 2, campaign)
        self.assertEqual(sum(campaign["nodes"].values()), 3)

    def test_nested_json(self):
        """Four megabytes of brackets as an answer are counted as malformed, and the owner grows by less than 32 MB."""
        def peak(run):
            owners = [p for p in [run.pid, *descendants_of(run.pid)] if "ke-runtime" in command_of(p) and " worker " not in command_of(p)]
            return max(int(line.split()[1]) for pid in owners for line in status_of(pid).splitlines() if line.startswith("VmHWM:"))

        huge = {"status": 200, "body": "[" * (4_000_000)}
        server = self.fake([{"answer": fenced(wrong(1))}, huge, huge, {"answer": fenced(wrong(2))}, {"answer": fenced(wrong(3)), "latency_ms": 3000}])
        self.config(server.model(), parallel=1, drafts=4, candidates=3)
        run = self.start()
        run.wait("node", where=lambda e: e["state"] == "incorrect")
        before = peak(run)
        run.wait("node", where=lambda e: e["state"] == "incorrect")
        grown = peak(run) - before
        self.assertEqual(run.end(), 1, run.told())
        if not os.environ.get("KE_SANITIZED"):  # a sanitizer holds freed memory back
            self.assertLess(grown, 32 * 1024, f"{grown} KiB")
        _, campaign = self.status()
        self.assertEqual(campaign["nodes"], {"incorrect": 2, "unanswered": 1}, campaign)  # asked twice in vain
        self.assertEqual(campaign["failures"].get("malformed", 0), 2, campaign)

    def test_auth(self):
        """A refused key pauses the campaign: exit code 5 after at most three calls, and the next start goes on."""
        server, run = self.run_script([error(401, "invalid_api_key", "no such key", times=8)], candidates=3, parallel=3, code=5)
        self.assertLessEqual(server.requests(), 3)
        self.assertIn("KE_TEST_KEY", run.errors().replace("api_key_env", "KE_TEST_KEY"))
        _, campaign = self.status()
        self.assertEqual(campaign["state"], "paused")
        self.assertGreaterEqual(campaign["failures"].get("auth", 0), 1)
        better = self.fake([{"answer": fenced(wrong(n))} for n in range(3)])
        self.config(better.model(), parallel=3, drafts=4, candidates=3)
        again = self.start()
        self.assertEqual(again.end(), 1, again.told())
        self.assertEqual(self.status()[1]["nodes"], {"incorrect": 3})

    def test_quoted_key(self):
        """A server that quotes the key in its refusal does not bring it onto the terminal, into events or into the store."""
        canary = self.env["KE_TEST_KEY"]
        for name, status, code in (("auth", 401, 5), ("other", 404, 5)):
            with self.subTest(name):
                _, run = self.run_script([error(status, "invalid", f"Incorrect API key provided: {canary}", times=8)],
                                         candidates=2, code=code, name=name)
                self.assertNotIn(canary, run.errors() + json.dumps(run.events))
                self.assertIn("***", run.errors() + json.dumps(run.events))
                shown = self.call("show", "1", "--store", "store", "--campaign", name, "--json").stdout
                self.assertNotIn(canary, shown)

    def test_credit(self):
        """Out of credit is the same, under its own name."""
        for provider, fault in (("openai", error(429, "insufficient_quota", "You exceeded your current quota", times=8)),
                                ("anthropic", error(400, "invalid_request_error", "Your credit balance is too low", times=8))):
            with self.subTest(provider):
                server, _ = self.run_script([fault], provider, candidates=3, code=5, name=provider)
                self.assertLessEqual(server.requests(), 3)
                all_ = self.json("status")["campaigns"]
                campaign = next(c for c in all_ if c["name"] == provider)
                self.assertGreaterEqual(campaign["failures"].get("credit", 0), 1)

    def test_budget_usd(self):
        """budget.usd is never overrun, not even by what is in flight."""
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 50} for n in range(60)])
        self.config(server.model(more="max_parallel = 4\nmax_tokens = 1000\n"), candidates=60, parallel=4, budget="usd = 0.10")
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        _, campaign = self.status()
        self.assertEqual(campaign["stop_reason"], "budget.usd")
        self.assertLessEqual(campaign["spend"]["usd"], 0.10)
        self.assertGreater(campaign["spend"]["usd"], 0)
        self.assert_books_are_the_bill(server, campaign)

    def test_budget_tokens(self):
        """budget.tokens is never overrun."""
        server = self.fake([{"answer": fenced(wrong(n))} for n in range(60)])
        self.config(server.model(more="max_parallel = 4\nmax_tokens = 1000\n"), candidates=60, parallel=4, budget="tokens = 20_000")
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        _, campaign = self.status()
        self.assertEqual(campaign["stop_reason"], "budget.tokens")
        spend = campaign["spend"]
        self.assertLessEqual(spend["input_tokens"] + spend["output_tokens"], 20_000)
        self.assert_books_are_the_bill(server, campaign)

    def test_dry_run(self):
        """--dry-run prints the plan, the first prompt and the worst-case cost, asks nobody and writes nothing."""
        server = self.fake([])
        self.config(server.model(), candidates=10, budget="usd = 3.0")
        done = self.call("--config", "campaign.toml", "--dry-run")
        self.assertIn("```ke-task", done.stdout)
        self.assertIn("10 candidates: at most 3.00 USD", done.stdout)  # the budget is less than what they could cost
        one = int(re.search(r"model main: (\d+) tokens", done.stdout)[1])
        self.assertIn(f" and {10 * 2 * one} tokens", done.stdout)  # an answer may have to be repaired
        self.assertFalse((self.folder / "store").exists())
        self.assertEqual(server.requests(), 0)

    def test_secret_stays_secret(self):
        """The API key is in no file of the store, no log, no event and no command line of a child."""
        server, run = self.run_script([{"answer": fenced(RIGHT)}], candidates=1, code=0)
        canary = self.env["KE_TEST_KEY"].encode()
        for path in self.folder.rglob("*"):
            if path.is_file():
                self.assertNotIn(canary, path.read_bytes(), path)
        self.assertNotIn(canary.decode(), json.dumps(run.events) + run.errors())


if __name__ == "__main__":
    unittest.main()
