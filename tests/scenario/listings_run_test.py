"""Each complete candidate of the knowledge base that is Triton's is right, by its interpreter, at every edge and on secret shapes. Gluon has none."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

from listings import listings
from program import Scenario


class ListingsRun(Scenario):
    def verdict(self, listing):
        problem, file = listing.write(self.folder)
        return json.loads(self.call("eval", str(problem), str(file), "--backend", "triton-interpret", "--json", code=None).stdout)

    def test_every_one_is_right(self):
        interpreted = [x for x in listings() if x.language == "python" and "@triton.jit" in x.source]
        self.assertGreater(len(interpreted), 8)
        with ThreadPoolExecutor(os.cpu_count()) as several:
            for listing, v in zip(interpreted, several.map(self.verdict, interpreted)):
                with self.subTest(page=listing.page):
                    self.assertEqual(v["state"], "correct", v["reason"])
