"""Keys end to end: an owner, a worker and a client with CURVE keys, and those who have the wrong ones."""

import json
import unittest

from fleet_peers import Fleet
from program import SLACK, wait_for_end, wrong


class Keys(Fleet):
    def setUp(self):
        super().setUp()
        self.call("keygen", "-o", "keys/coordinator")
        for name in ("workers/node7", "clients/me", "elsewhere/stranger", "elsewhere/impostor"):
            self.call("keygen", "-o", f"keys/{name}")

    def keyed(self, *sources, **more):
        keys = 'key = "keys/coordinator.key"\nauthorized_keys = "keys/workers"\nclient_keys = "keys/clients"\n'
        return self.campaign(self.answers(*sources).model(), keys=keys, **more)

    def with_key(self, key, server="keys/coordinator.pub"):
        return ["--server-key", server, "--key", f"keys/{key}.key"]

    def client(self, command, key="clients/me", code=0, **more):
        return self.call(command, "--connect", self.endpoint(), *self.with_key(key, **more), code=code, timeout=40)

    def attached(self):
        return [w["name"] for w in self.status()[1].get("workers") or []]

    def test_right_keys(self):
        """A worker with its key does the work under the name of its key, a client with its key reads and steers, and no key opens the other's door."""
        self.keyed(wrong(1), candidates=2, parallel=1, drafts=2)
        run = self.start()
        run.wait("progress")

        strangers = [self.worker("strange", *self.with_key("elsewhere/stranger")),                       # not in the folder
                     self.worker("misled", *self.with_key("workers/node7", server="keys/elsewhere/impostor.pub")),  # not this coordinator
                     self.worker("open")]                                                                # no key at all
        client = self.worker("client", *self.with_key("clients/me"))  # a key, but not a worker's
        self.assertEqual(wait_for_end([client.pid], 30 * SLACK), set(), "a client's key was not refused")
        self.assertEqual(client.end(), 2, client.errors())
        self.assertIn("authorized_keys", client.errors())

        self.assertIn("client_keys", self.client("status", "workers/node7", code=2).stderr)
        self.assertIn("client_keys", self.client("stop", "workers/node7", code=2).stderr)
        for command, key, server in (("stop", "elsewhere/stranger", "keys/coordinator.pub"), ("stop", "clients/me", "keys/elsewhere/impostor.pub")):
            self.assertNotEqual(self.client(command, key, code=None, server=server).returncode, 0)
        self.assertNotEqual(self.call("stop", "--connect", self.endpoint(), code=None, timeout=40).returncode, 0)

        self.assertEqual(self.attached(), [])
        self.assertNotIn(self.status()[1]["state"], ("finished", "failed"))

        far = self.worker("another name", *self.with_key("workers/node7"))
        self.assertEqual(run.wait("node")["state"], "incorrect")
        self.assertEqual(self.attached(), ["node7"])
        seen = json.loads(self.call("status", "--json", "--connect", self.endpoint(), *self.with_key("clients/me")).stdout)
        self.assertEqual(seen["campaigns"][0]["nodes"].get("incorrect"), 1)
        self.client("stop")
        self.assertEqual(run.end(), 1, run.told())
        self.assertEqual(self.status()[1]["stop_reason"], "stopped")
        for stranger in strangers:
            self.assertIsNone(stranger.process.poll(), stranger.errors())  # it tries again and again
            self.assert_leaves(stranger)
        self.assert_leaves(far)
        self.assert_sound_store()
        self.assert_nothing_left()

    def test_key_taken_away(self):
        """A key that is put into the folder while the owner runs opens, and one that was taken out is refused when it comes again."""
        self.keyed(wrong(1), candidates=2, parallel=1, drafts=2)
        run = self.start()
        far = self.worker("new", *self.with_key("elsewhere/stranger"))
        folder = self.folder / "keys"
        (folder / "elsewhere/stranger.pub").rename(folder / "workers/stranger.pub")
        self.assertEqual(run.wait("node")["state"], "incorrect")
        self.assertEqual(self.attached(), ["stranger"])
        self.assert_leaves(far)
        (folder / "workers/stranger.pub").unlink()
        again = self.worker("again", *self.with_key("elsewhere/stranger"))
        self.client("stop")
        self.assertEqual(run.end(), 1, run.told())
        self.assertEqual(self.status()[1]["nodes"].get("incorrect"), 1)
        again.kill()


if __name__ == "__main__":
    unittest.main()
