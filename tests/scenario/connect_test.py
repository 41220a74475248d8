"""An owner's door: what comes over --connect, with which key, and what is refused."""

import json
import socket
import unittest

from program import FolderWatch, Scenario, campaign_text, fenced, playbook, wrong


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Connect(Scenario):
    def listening(self, model, keys=True, **more):
        """A campaign whose owner listens on loopback; the options with which a client reaches it."""
        address = f"tcp://127.0.0.1:{free_port()}"
        path = self.config(model, **more)
        cluster = f'\n[cluster]\nlisten = "{address}"\n'
        far = ["--connect", address]
        if keys:
            self.call("keygen", "-o", "keys/coordinator")
            self.call("keygen", "-o", "keys/clients/laptop")
            cluster += 'key = "keys/coordinator.key"\nclient_keys = "keys/clients"\n'
            far += ["--server-key", "keys/coordinator.pub", "--key", "keys/clients/laptop.key"]
        path.write_text(path.read_text() + cluster)
        return far

    def endless(self):
        return self.fake([{"answer": fenced(wrong(n)), "latency_ms": 100} for n in range(400)]).model()

    def told_in_one_line(self, done, *texts):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_reading(self):
        """Every reading command says over the wire what it says beside the store, and writes its files where the client is."""
        far = self.listening(self.endless(), candidates=200, parallel=1)
        run = self.start()
        run.wait("node")
        run.wait("node")
        self.call("pause", "--config", "campaign.toml")
        run.wait("progress", where=lambda e: e["state"] == "paused" and e["in_flight"] == 0)
        here = ["--config", "campaign.toml"]
        for words in (["tree", "--json"], ["tree"], ["show", "1"], ["show", "1", "--json"], ["show", "1", "--artifact", "--json"], ["diff", "0", "1"], ["export", "csv"]):
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
        self.call("tree", "--campaign=--store=/", *far, code=2)
        self.call("stop", *far)
        self.assertEqual(run.end(), 1, run.told())
        self.assert_nothing_left()

    def test_keyless_loopback(self):
        """Bug: a loopback address without keys let every user of the machine submit and steer. It admits workers, and tells a client what to do."""
        far = self.listening(self.endless(), keys=False, candidates=200, parallel=1)
        self.write("theirs.toml", campaign_text('[[model]]\nname = "main"\nprovider = "command"\ncommand = ["/bin/sh", "-c", "id > canary"]\n', name="theirs"))
        run = self.start()
        run.wait("node")
        for words in (["status"], ["stop"], ["tree"], ["submit", "--config", "theirs.toml"]):
            with self.subTest(words[0]):
                self.told_in_one_line(self.call(*words, *far, code=None), "admits workers and no clients", "client_keys", "--store or --config")
        self.assertEqual(len(self.json("status")["campaigns"]), 1)  # by the store's own socket
        self.call("stop", "--config", "campaign.toml")
        self.assertEqual(run.end(), 1, run.told())
        self.assertFalse((self.folder / "canary").exists())
        self.assert_nothing_left()

    def test_trust(self):
        """A client's key may submit, but not what runs programs, opens folders or sends keys of the owner's machine, unless it lies in `trusted`."""
        far = self.listening(self.endless(), candidates=400, parallel=1)
        canary = self.folder / "canary"
        models = {
            "runs": f'provider = "command"\ncommand = ["/bin/sh", "-c", "echo ran > {canary}"]\n',
            "spools": f'provider = "spool"\ndir = "{self.folder}/spool"\n',
            "replays": f'provider = "replay"\ndir = "{self.folder}"\n',
            "sends": 'provider = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "KE_TEST_KEY"\n',
        }
        run = self.start()
        run.wait("node")
        for name, model in models.items():
            with self.subTest(name):
                self.write(f"{name}.toml", campaign_text(f'[[model]]\nname = "main"\n{model}', name=name))
                self.told_in_one_line(self.call("submit", "--config", f"{name}.toml", *far, code=None), "model.main.", "trusted")
        self.assertFalse((self.folder / "spool").exists())
        self.write("plain.toml", campaign_text(playbook(), name="plain", candidates=2))
        self.assertEqual(json.loads(self.call("submit", "--config", "plain.toml", *far).stdout)["campaign"], "plain")
        self.assertEqual({c["name"] for c in json.loads(self.call("status", "--json", *far).stdout)["campaigns"]}, {"tiny", "plain"})

        (self.folder / "keys/clients/trusted").mkdir()
        (self.folder / "keys/clients/laptop.pub").rename(self.folder / "keys/clients/trusted/laptop.pub")
        watch = FolderWatch(self.folder)
        self.addCleanup(watch.close)
        self.call("submit", "--config", "runs.toml", *far)
        self.assertTrue(watch.wait_until(canary.exists), "the trusted client's program did not run")
        self.call("stop", "--campaign", "tiny", *far)
        self.assertEqual(run.end(), 1, run.told())
        self.assert_nothing_left()

    def test_stale_runtime_folder(self):
        """Bug: XDG_RUNTIME_DIR of a session that is gone, or of another user, ended the start; the next place for the socket is taken."""
        for number, folder in enumerate((str(self.folder / "gone"), "/proc/1", str(self.folder / "file"))):
            (self.folder / "file").write_text("no folder")
            with self.subTest(folder):
                self.config(self.endless(), name=f"tiny{number}", candidates=200, parallel=1)
                run = self.start(env={"XDG_RUNTIME_DIR": folder})
                run.wait("node")
                self.call("stop", "--config", "campaign.toml")  # finds the owner by its record
                self.assertEqual(run.end(), 1, run.told())
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
