"""Sub-agents beside a campaign: what they are asked, what it costs, and that nothing depends on them."""

import json
import sys
import unittest

from program import Scenario, fenced, wrong

HELPER = """
import sys
prompt = sys.stdin.read()
open("asked.log", "a").write(prompt.splitlines()[0] + "\\n")
answer = sys.argv[1]
if answer == "choose":
    print("SEARCH memory bandwidth\\nREAD guidance/no-such" if "SEARCH `memory" not in prompt else "CHOOSE " + sys.argv[2])
elif answer == "fail":
    sys.exit(3)
"""


class SubAgents(Scenario):
    def campaign(self, answer, candidates=4, share=1, name="tiny"):
        (self.folder / "helper.py").write_text(HELPER)
        answers = self.fake([{"answer": fenced(wrong(n))} for n in range(2 * candidates)])
        found = self.call("knowledge", "search", "--target", "x86-64-avx2", "--family", "elementwise", "--level", "3", "--json").stdout
        page = next(d["id"] for d in reversed(json.loads(found)) if d["kind"] == "guidance")
        helper = (f'\n[[model]]\nname = "helper"\nprovider = "command"\nweight = 0\nmax_tokens = 200\n'
                  f'command = {json.dumps([sys.executable, str(self.folder / "helper.py"), answer, page])}\n'
                  f'\n[agents]\nresearch = "helper"\nmemory = "helper"\nshare = {share}\n')
        self.config(answers.model() + helper, candidates=candidates, parallel=1, drafts=1, name=name)
        run = self.start()
        run.end()
        campaign = next(c for c in self.json("status")["campaigns"] if c["name"] == name)
        self.assertEqual(sum(campaign["nodes"].values()), candidates, campaign)
        self.assert_nothing_left()
        return page, [c for n in range(1, candidates + 1) for c in self.json("show", str(n), "--campaign", name)["calls"] if "agent_call" in c]

    def test_research(self):
        """A helper that looks up and chooses: its document is in the prompt, its calls are listed, and a second campaign asks nothing."""
        page, calls = self.campaign("choose")
        self.assertGreaterEqual(len(calls), 2)
        self.assertEqual([c["agent_call"] for c in calls], list(range(1, len(calls) + 1)))
        self.assertTrue(all(c["reply"] and not c["open"] for c in calls), calls)
        shown = [self.json("show", str(n), "--campaign", "tiny")["documents"] for n in range(1, 5)]
        self.assertIn(page, [documents[0] for documents in shown if documents], shown)
        self.call("report", "--config", "campaign.toml", "-o", "r.html")
        self.assertIn("Sub-agents made", (self.folder / "r.html").read_text())
        self.assert_sound()
        self.assertEqual(self.campaign("choose", name="second")[1], [])

    def test_helper_that_fails(self):
        """A helper whose program fails: the campaign goes by rules, and ends as ever."""
        self.campaign("fail", candidates=2)

    def test_no_room(self):
        """No share of the tokens: nobody is asked."""
        self.assertEqual(self.campaign("choose", share=0)[1], [])
        self.assertFalse((self.folder / "asked.log").exists())


if __name__ == "__main__":
    unittest.main()
