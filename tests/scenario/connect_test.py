"""Reading a campaign from another machine: --connect."""

import json
import socket
import unittest

from program import Scenario, fenced, wrong


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Connect(Scenario):
    def test_reading(self):
        """Every reading command says over the wire what it says beside the store, and writes its files where the client is."""
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 100} for n in range(200)])
        port = free_port()
        path = self.config(server.model(), candidates=200, parallel=1)
        path.write_text(path.read_text() + f'\n[cluster]\nlisten = "tcp://127.0.0.1:{port}"\n')
        run = self.start()
        run.wait("node")
        run.wait("node")
        self.call("pause", "--config", "campaign.toml")
        run.wait("progress", where=lambda e: e["state"] == "paused" and e["in_flight"] == 0)
        far = ["--connect", f"tcp://127.0.0.1:{port}"]
        here = ["--config", "campaign.toml"]
        for words in (["tree", "--json"], ["tree"], ["show", "1"], ["show", "1", "--json"], ["diff", "0", "1"], ["export", "csv"]):
            with self.subTest(" ".join(words)):
                self.assertEqual(self.call(*words, *far).stdout, self.call(*words, *here).stdout)
        self.assertEqual(json.loads(self.call("best", "--json", *far, code=1).stdout), [])
        self.call("report", "-o", "far.html", *far)
        self.assertIn("</html>", (self.folder / "far.html").read_text())
        self.call("export", "tree", "-o", "far.json", *far)
        self.assertIn("nodes", json.loads((self.folder / "far.json").read_text()))
        self.assertIn("has no node 99", self.call("show", "99", *far, code=None).stderr)
        refused = self.call("export", "best", "-o", "kernel", *far, code=1)
        self.assertIn("no kernel that is proven", refused.stderr)
        self.call("tree", "--store", "store", *far, code=2)
        self.call("stop", *far)
        self.assertEqual(run.end(), 1, run.told())
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
