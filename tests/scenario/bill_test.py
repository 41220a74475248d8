"""The books against the provider's own bill, after every kind of fault: never below it, at most a tenth above.

The provider counts tokens by words and marks, the program knows bytes: what it has to estimate it learns from the usage of other answers.
"""

import json
import signal
import time
import unittest

from program import PATIENCE, Scenario, broken, fenced

PRICE_IN, PRICE_OUT = 3e-6, 15e-6
LINE = "Pass {}: the loop walks over the rows, keeps one sum in a register and stores it once at the end.\n"


def long(number):
    """An answer whose text is much alike everywhere, with a candidate that does not compile; no two are alike."""
    return "".join(LINE.format(n) for n in range(40)) + fenced(broken(number))


def usd_of(request):
    return request["input_tokens"] * PRICE_IN + request["output_tokens"] * PRICE_OUT if request["billed"] else 0.0


TEXT = long(99)
HALF = TEXT[:len(TEXT) // 2]
FAULTS = {
    # name: (entry of the script, lines of the model, kind that is counted)
    "429": ({"status": 429, "headers": {"Retry-After": "0"}, "body": {"error": {"type": "rate_limit_error", "message": "slow"}}}, "", "rate_limited"),
    "500": ({"status": 500, "body": {"error": {"message": "oops"}}}, "", "server_error"),
    "reset before a byte": ({"raw": "", "reset": True}, "", "connection"),
    "reset in the stream": ({"answer": TEXT, "part": 0.5, "reset": True}, "", "connection"),
    "reset after usage": ({"answer": TEXT, "part": 0.5, "usage": True, "reset": True}, "", "connection"),
    "end without an end mark": ({"answer": TEXT, "part": 0.5, "cut": True}, "", "truncated"),
    "stall": ({"answer": TEXT, "part": 0.7, "stall": True}, "stall_timeout_s = 1\n", "timeout"),
    "no first byte": ({"answer": TEXT, "latency_ms": 3600000}, "first_byte_timeout_s = 1\n", "timeout"),
    "total timeout": ({"answer": TEXT, "part": 0.3, "stall": True}, "timeout_s = 2\n", "timeout"),
    "cut JSON": ({"status": 200, "said": HALF, "body": '{"choices":[{"message":{"content":' + json.dumps(HALF)[:-1]}, "", "malformed"),
    "HTML": ({"status": 200, "type": "text/html", "body": "<html>sign in</html>"}, "", "malformed"),
    "empty": ({"answer": ""}, "", "empty"),
    "too large": ({"answer": TEXT * 30}, "max_answer_bytes = 20_000\nmax_tokens = 2000\n", "too_large"),
}
# In the form of one of the two only.
REFUSAL = LINE.format(0) * 5
OPENAI = {"refusal": ({"status": 200, "said": REFUSAL, "body": {"choices": [{"message": {"content": None, "refusal": REFUSAL},
                                                                          "finish_reason": "stop"}]}}, "", "refused")}


class Bill(Scenario):
    def check(self, server, campaign, faults, most=1.1):
        """All of the books, and what they estimate, against the bill of the requests that the provider has told nothing of."""
        bill, spend, guess = server.bill(), campaign["spend"], campaign["estimated"]
        self.assertEqual(spend["requests"], len(bill["requests"]), "every request is in the books once")
        told = f"bill {bill['input_tokens']} + {bill['output_tokens']}, books {spend}, estimated {guess}, faults {faults(bill['requests'])}"
        for name in ("input_tokens", "output_tokens"):
            self.assertGreaterEqual(spend[name], bill[name], told)
            self.assertLessEqual(spend[name], most * bill[name] + 2, told)
        untold = sum(usd_of(r) for r in faults(bill["requests"]))
        self.assertGreaterEqual(guess["usd"], untold - 1e-9, told)
        self.assertLessEqual(guess["usd"], most * untold + 3 * PRICE_OUT, told)

    def fault(self, provider, name, entry, model, kind):
        server = self.fake([{"answer": long(1)}, {"answer": long(2)}, {"answer": long(3)}, entry, *({"answer": long(n)} for n in range(4, 8))])
        self.config(server.model(provider, model), name=f"{provider}-{name.replace(' ', '-')}", candidates=5, parallel=1, drafts=9)
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        campaign = next(c for c in self.json("status")["campaigns"] if c["name"] == f"{provider}-{name.replace(' ', '-')}")
        self.assertEqual(campaign["failures"].get(kind), 1, campaign)
        # Of a whole stream, and of one that ended after its usage, the provider has told all.
        told = entry.get("usage") or entry.get("answer") == ""
        self.check(server, campaign, lambda requests: [] if told else [self.untold(provider, requests[3], entry)])

    @staticmethod
    def untold(provider, request, entry):
        """anthropic says at the beginning of a stream how long the prompt was, and that one token has been said."""
        streamed = provider == "anthropic" and "answer" in entry and "latency_ms" not in entry
        return {**request, "input_tokens": 0, "output_tokens": request["output_tokens"] - 1} if streamed else request

    def test_openai(self):
        """openai: every fault, the books are at least the bill and at most 1.1 times of it, in whole and for what was estimated alone."""
        for name, fault in {**FAULTS, **OPENAI}.items():
            with self.subTest(name):
                self.fault("openai", name, *fault)

    def test_anthropic(self):
        """anthropic: the same."""
        for name, fault in FAULTS.items():
            if name != "cut JSON":
                with self.subTest(name):
                    self.fault("anthropic", name, *fault)

    def test_refused_connection(self):
        """A provider that is not there is asked again and again, and costs nothing."""
        server = self.fake([])
        self.config(server.model(), candidates=2, parallel=1)
        server.process.terminate()
        server.process.wait()
        run = self.start()
        run.wait("progress", where=lambda e: e["failures"].get("connection", 0) >= 2)
        run.signal(signal.SIGINT)
        run.signal(signal.SIGTERM)
        run.end()
        _, campaign = self.status()
        self.assertEqual((campaign["spend"]["input_tokens"], campaign["spend"]["usd"]), (0, 0))

    def test_interrupt(self):
        """Calls that two interrupts cut off are charged what had come of them: the bill is met, though nobody told usage."""
        server = self.fake([*({"answer": long(n)} for n in range(1, 4)), {"answer": TEXT, "part": 0.5, "stall": True}, *({"answer": long(n)} for n in range(4, 9))])
        self.config(server.model(), candidates=6, parallel=1, drafts=9)
        run = self.start()
        for _ in range(3):
            run.wait("node")
        self.wait_for(server, lambda requests: len(requests) == 4 and requests[3]["output_tokens"] > 0)
        run.wait("progress")
        run.signal(signal.SIGINT)
        run.signal(signal.SIGTERM)
        self.assertEqual(run.end(), 130, run.told())
        again = self.start()
        self.assertEqual(again.end(), 1, again.told())
        _, campaign = self.status()
        self.assertEqual(campaign["estimated"]["unheard_requests"], 0)
        self.check(server, campaign, lambda requests: [requests[3]])

    def wait_for(self, server, condition):
        """Until the provider's bill is so; each look is a request of its own."""
        deadline = time.monotonic() + PATIENCE
        while not condition(server.bill()["requests"]):
            self.assertLess(time.monotonic(), deadline, server.bill())

    def test_kill(self):
        """Of calls that were out at a kill -9 nobody heard: the books are never below the bill, and say so."""
        server = self.fake([*({"answer": long(n)} for n in range(1, 4)), {"answer": TEXT, "part": 0.5, "stall": True, "times": 2},
                            *({"answer": long(n)} for n in range(4, 9))])
        self.config(server.model(), candidates=6, parallel=2, drafts=9)
        run = self.start()
        for _ in range(3):
            run.wait("node")
        self.wait_for(server, lambda requests: len(requests) == 5 and all(r["output_tokens"] for r in requests))
        run.kill()
        again = self.start()
        self.assertEqual(again.end(), 1, again.told())
        _, campaign = self.status()
        bill, spend = server.bill(), campaign["spend"]
        self.assertEqual(spend["requests"], len(bill["requests"]))
        self.assertEqual(campaign["estimated"]["unheard_requests"], 2)
        for name in ("input_tokens", "output_tokens"):
            self.assertGreaterEqual(spend[name], bill[name], f"bill {bill}, books {spend}")
        self.assertLess(spend["output_tokens"], bill["output_tokens"] + 2 * 2000, "not at their reservations")
        self.assertIn("of which estimated", self.call("status", "--config", "campaign.toml").stdout)

    def test_budget_of_requests(self):
        """[budget] requests ends the campaign at exactly so many calls, retries included, and can be raised while it runs."""
        busy = {"status": 500, "body": {"error": {"message": "busy"}}}
        server = self.fake([busy, {"answer": long(1)}, busy, *({"answer": long(n)} for n in range(2, 20))])
        self.config(server.model(), candidates=60, parallel=2, budget="requests = 6")
        self.assertIn("at most 6 requests", self.call("--config", "campaign.toml", "--dry-run").stdout)
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        _, campaign = self.status()
        self.assertEqual(campaign["stop_reason"], "budget.requests")
        self.assertEqual((campaign["spend"]["requests"], server.requests()), (6, 6))

    def test_no_code_in_a_row(self):
        """A model that answers without code eight times in a row pauses the campaign, which says why and what to do, and goes on when it is
        started again."""
        server = self.fake([{"answer": f"I would rather not ({n})."} for n in range(30)])
        self.config(server.model(), candidates=60, parallel=1)
        run = self.start()
        self.assertEqual(run.end(), 5, run.told())
        self.assertEqual(server.requests(), 8)
        self.assertIn("model main was paid for 8 answers in a row", run.errors())
        _, campaign = self.status()
        self.assertEqual(campaign["state"], "paused")
        self.assertIn("[[model]] main", campaign["pause_reason"])
        self.assertIn("fruitless", campaign["pause_reason"])
        self.assertEqual(self.start().end(), 5)
        self.assertEqual(server.requests(), 16)
        self.assert_sound()


if __name__ == "__main__":
    unittest.main()
