"""An embeddings server beside a campaign: what it is asked, and that nothing depends on it."""

import unittest

from program import Scenario, fenced, wrong

CANDIDATES = 3


class Embeddings(Scenario):
    def run_with(self, url, code=1, name="tiny", key=""):
        answers = self.fake([{"answer": fenced(wrong(n))} for n in range(CANDIDATES)])
        embeddings = f'[knowledge]\nembeddings = {{ base_url = "{url}", model = "words"{key} }}\n'
        self.config(answers.model() + embeddings, candidates=CANDIDATES, parallel=1, drafts=1, name=name)
        run = self.start()
        self.assertEqual(run.end(), code, run.told())
        campaign = next(c for c in self.json("status")["campaigns"] if c["name"] == name)
        self.assertEqual(sum(campaign["nodes"].values()), CANDIDATES, campaign)
        self.assert_nothing_left()
        return run

    def test_once(self):
        """Documents are embedded once: a second campaign on the store asks for its queries alone."""
        server = self.fake()
        first = self.run_with(server.url)
        self.assertNotIn("embeddings server", first.errors())
        documents = server.requests()
        self.assertGreaterEqual(documents, 8, "more than a hundred documents in batches of 16")
        self.run_with(server.url, name="second")
        self.assertLessEqual(server.requests() - documents, CANDIDATES)

    def test_silent(self):
        """A server that takes an hour for each answer, though the documents' vectors are there: the campaign ends in time, and it is told once."""
        server = self.fake()
        self.run_with(server.url)
        slow = self.fake(latency_ms=3_600_000)
        run = self.run_with(slow.url, name="slow")
        self.assertLessEqual(run.errors().count("embeddings server does not help"), 1)

    def test_away(self):
        """Nothing listens at the address: one warning, and the campaign is as ever."""
        server = self.fake()
        url = server.url
        server.close()
        run = self.run_with(url)
        self.assertEqual(run.errors().count("embeddings server does not help"), 1, run.errors())


if __name__ == "__main__":
    unittest.main()
