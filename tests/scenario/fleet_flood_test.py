"""A worker that is not ours floods the owner of a campaign, or says anything at all. Its memory stays bounded, and the honest work is done."""

import json
import os
import random
import threading
import time
import unittest
from pathlib import Path

import wire_peer
from fleet_peers import NIGHTLY, slow_wrong
from fleet_stranger import LAST, Stranger
from program import SLACK
from wire_peer import Peer, evidence, hello, pack


@unittest.skipIf(os.environ.get("KE_SANITIZED"), "a sanitizer holds freed memory back")
class Flood(Stranger):
    def memory(self, run):
        """Megabytes that the owner has held at most, and holds now."""
        lines = dict(line.split(":", 1) for line in Path(f"/proc/{run.pid}/status").read_text().splitlines() if ":" in line)
        return tuple(int(lines[k].split()[0]) / 1024 for k in ("VmHWM", "VmRSS"))

    def flooded(self, kind, body, seconds):
        self.campaign(self.answers().model(), candidates=1, parallel=1, drafts=1)
        run = self.start()
        run.wait("progress")
        peer = self.peer()
        self.attach(peer)
        before = self.memory(run)[1]
        end = time.monotonic() + seconds
        sent = 0
        while time.monotonic() < end:
            sent += peer.frame(kind, body)
            while heard := peer.hear(0):
                if heard[0] == "refuse":
                    peer.say("hello", hello("fake"))
                    peer.say("ready", [0, 0])
        self.assertGreater(sent, 4)
        self.call("status", "--config", "campaign.toml", "--json")
        most = self.memory(run)[0]
        print(f"{sent} frames {kind} of {len(body) / 1024:.0f} KiB: {before:.0f} MB before, {most:.0f} MB at most", flush=True)
        self.assertLess(most - before, 100, f"the owner grew from {before:.0f} to {most:.0f} MB")
        self.assert_calm(run)
        run.kill()

    def test_beats(self):
        """Beats that name 65,536 leases of others each: memory stays bounded, and status is answered."""
        rows = b"".join(bytes([0x94, n & 127, 1, 1, 1]) for n in range(65536))
        self.flooded("beat", b"\x94\xdd\x00\x01\x00\x00" + rows + b"\x90\x00\x00", 20 if NIGHTLY else 4)

    def test_empty_elements(self):
        """Results whose lists have 65,535 empty elements, a byte each: the same."""
        many = b"\xdd" + (65535).to_bytes(4, "big") + b"\x90" * 65535
        fields = [pack(x) for x in evidence()]
        fields[wire_peer.EVIDENCE.index("flags")] = many
        fields[wire_peer.EVIDENCE.index("launches")] = many
        body = b"\x96\x01\x01\x01" + pack([0, "", False]) + b"\xdc" + len(fields).to_bytes(2, "big") + b"".join(fields) + many
        self.flooded("result", body, 20 if NIGHTLY else 4)


class Chaos(Stranger):
    def test_chaos(self):
        """Everything at once, by a seed, for a while; an honest worker beside it does the work, and the books are right."""
        seed = int(os.environ.get("KE_SEED", random.SystemRandom().randrange(1 << 32)))
        seconds = 60 if NIGHTLY else 10
        print(f"seed {seed}", flush=True)
        count = 12 if NIGHTLY else 4
        devices = self.real_hello()
        answers = self.answers()
        self.campaign(answers.model(), candidates=count, parallel=2, drafts=count)
        run = self.start()
        [known] = self.learn(run, answers, slow_wrong(0, 4), devices=devices)
        far = self.worker()
        self.until_judging(far)  # it has the job that the other one knows
        failure = []

        def rave():
            try:
                self.rave(random.Random(seed), known, devices, time.monotonic() + seconds)
            except Exception as e:  # told by the test's thread
                failure.append(e)

        raving = threading.Thread(target=rave, daemon=True)
        raving.start()
        for n in range(1, count):  # the honest work is spread over the whole time
            answers.give(slow_wrong(n, 1))
            raving.join(seconds / count)
            self.call("status", "--config", "campaign.toml", "--json")
        raving.join(60 * SLACK)
        self.assertEqual(failure, [])
        self.ends_right(run, ["incorrect"] * count)
        self.assertEqual(self.status()[1]["spend"]["requests"], count)
        self.assert_leaves(far)
        self.assert_nothing_left()

    def rave(self, chance, known, devices, end):
        peer = Peer(self.endpoint())
        numbers = [0, 1, 2, 7, 42, LAST, LAST - 1, 1 << 32, (1 << 64) - 1]
        jobs = [known.job["id"], (known.job["id"] + 1) % (1 << 63)]

        def reference():
            return [chance.choice(jobs + [chance.getrandbits(63)]), chance.choice([1, 2, 3, 4] + numbers) % (1 << 32), chance.choice(numbers), chance.randrange(4), known.job["warrant"]]

        def result():
            known.job.update(zip(("id", "attempt", "epoch"), reference()))
            return known.result(self.praise(known, "forged device"))

        def say_hello():
            junk = chance.choice([[], [["cpu:nothing like it", "no-such-backend", "ok", {}]], [[b"\xff", "cpu-cpp", "quarantined", {}]]])
            peer.say("hello", hello(chance.choice(["far", "local", b"\xff\xfe", "", "x" * 5000]), junk, device_slots=chance.choice(numbers) % (1 << 32),
                                    build_slots=chance.choice(numbers) % (1 << 32), held=[reference() for _ in range(chance.randrange(5))],
                                    leases=[reference() for _ in range(chance.randrange(5))]))

        acts = [
            say_hello,
            lambda: peer.say("ready", [chance.choice(numbers) % (1 << 32), chance.choice(numbers) % (1 << 32)]),
            lambda: peer.say("beat", [[reference() for _ in range(chance.randrange(50))], [[b"\xfe", chance.choice(["ok", "quarantined", "?"]), b"\xff"]], 1, 1]),
            lambda: peer.say("result", result()),
            lambda: peer.say("accept", reference()[:2]),
            lambda: peer.say("decline", reference()[:2] + [b"\xff no"]),
            lambda: peer.say("want", [chance.choice([b"", b"\x00" * 32, "../../etc/passwd", known.job["problem"], os.urandom(32).hex()])]),
            lambda: peer.frame(chance.choice(wire_peer.KINDS), chance.randbytes(chance.randrange(200))),
            lambda: peer.say(chance.choice(["welcome", "grant", "ack", "revoke", "event", "answer", "drain"]), [reference(), 1, 2, 3]),
            lambda: peer.say("command", [json.dumps(chance.choice([{"command": 5}, {"command": "status", "x": []}, [], 7, {"command": "hint", "node": 1}]))]),
            lambda: peer.say("result", result(), epoch=chance.choice(numbers)),
            lambda: peer.say("bye", [0, 0]),
        ]
        say_hello()
        while time.monotonic() < end:
            chance.choice(acts)()
            while heard := peer.hear(chance.choice([0, 0, 0.01])):
                if heard[0] == "grant":  # it would be believed: it is given back
                    peer.say("decline", [peer.grants[-1].job["id"], peer.grants[-1].job["attempt"], "no"])
                if heard[0] == "refuse" and chance.random() < 0.5:
                    say_hello()
            if chance.random() < 0.01:
                peer.close()
                peer = Peer(self.endpoint())
        peer.say("bye", [0, 0])
        peer.close()


if __name__ == "__main__":
    unittest.main()
