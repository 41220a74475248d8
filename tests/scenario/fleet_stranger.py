"""What a worker that is not ours (wire_peer.py) may know and say; for tests of what it gets."""

import random

from fleet_peers import Fleet
from program import SLACK
from wire_peer import ROUTER, Peer, Socket, evidence, hello, unpack

LAST = (1 << 32) - 1  # of numbers of 32 bits


class Stranger(Fleet):
    def peer(self):
        peer = Peer(self.endpoint())
        self.addCleanup(peer.close)
        return peer

    def real_hello(self):
        """What a worker of this machine says of itself, so that another one can say the same."""
        listener = Socket(ROUTER)
        self.addCleanup(listener.close)
        port = self.port + 1  # nobody listens yet
        listener.bind(f"tcp://127.0.0.1:{port}")
        worker = self.worker("model", endpoint=f"tcp://127.0.0.1:{port}")
        parts = listener.receive(60 * SLACK)
        self.assertTrue(parts, worker.errors())
        worker.kill()
        listener.close()
        return unpack(parts[2])[5]

    def attach(self, peer, name="fake", slots=0, **more):
        peer.say("hello", hello(name, device_slots=slots, **more))
        kind, body = peer.wait(("welcome", "refuse"))
        self.assertEqual(kind, "welcome", body)
        peer.say("ready", [slots, slots])

    def learn(self, run, answers, *sources, devices):
        """The worker that is not ours is granted jobs as any worker would be, and gives them back: it knows their numbers now, and has no right to
        them."""
        self.admitted(run)
        answers.give(*sources)
        peer, count = self.peer(), len(sources)
        self.attach(peer, devices=devices, slots=count)
        while len(peer.grants) < count:
            peer.wait(("grant",))
            peer.say("accept", [peer.grants[-1].job["id"], peer.grants[-1].job["attempt"]])
        peer.say("bye", [0, 0])
        return peer.grants[:count]

    def praise(self, grant, device, timed=False, times=99.9):
        """Evidence that the job's candidate is right, and so many times as fast as the reference; nobody has looked at it."""
        chance = random.Random(7)
        launches = [[0, [100_000.0 * times + chance.uniform(-500, 500) for _ in range(40)], [100_000.0 + chance.uniform(-5, 5) for _ in range(40)]] for _ in range(16)]
        job = grant.job
        provenance = {"problem": job["problem"], "candidate": job["source"], "backend": job["backend"], "plan": "rank", "environment": "forged"}
        return evidence(timed=timed, launches=launches if timed else [], timed_calls=640 if timed else 0, timed_calls_checked=640 if timed else 0,
                        device=device, provenance=provenance)

    def assert_calm(self, run):
        """Nothing in the owner failed over what it was told."""
        self.assertNotIn("a child failed", run.errors())
        self.assertIsNone(run.process.poll(), run.told())

    def ends_right(self, run, states, code=1):
        self.assertEqual(run.end(), code, run.told())
        self.assertNotIn("a child failed", run.errors())
        self.assert_told(run, states)
        self.assert_sound_store()
