"""A worker that is not ours (wire_peer.py): it breaks every rule that frames can break. The campaign beside it ends as it should."""

import json
import os
import random
import shutil
import threading
import time
import unittest
from pathlib import Path

import wire_peer
from fleet_peers import NIGHTLY, Fleet, slow_wrong
from program import ROOT, SLACK, wrong
from wire_peer import ROUTER, Peer, Socket, evidence, hello, pack, unpack

LAST = (1 << 32) - 1


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


class Forger(Stranger):
    def test_simulated(self):
        """A worker that says its devices are simulated is refused for good, unless `[cluster] allow_simulated` is set."""
        for allowed in (False, True):
            config = f"simulated-{allowed}.toml"
            self.campaign(self.answers().model(), config, store=f"store-{allowed}", keys=f"allow_simulated = {str(allowed).lower()}\n", candidates=1)
            run = self.start(config=config)
            run.wait("progress")
            peer = self.peer()
            peer.say("hello", hello("fake", [["cpu:fake", "cpu-cpp", "ok", {}]], simulated=True))
            kind, body = peer.wait(("welcome", "refuse"))
            self.assertEqual(kind, "welcome" if allowed else "refuse", body)
            if not allowed:
                self.assertIn(b"allow_simulated", body[0])
                self.assertFalse(body[1], "trying again can't help")
                self.assertEqual(self.status(config)[1].get("workers"), [])
            peer.close()
            run.kill()

    def test_answers_for_others(self):
        """A result for a job that another worker has does not count, whatever attempt it names."""
        devices = self.real_hello()
        answers = self.answers()
        self.campaign(answers.model(), candidates=1, parallel=1, drafts=1)
        run = self.start()
        [grant] = self.learn(run, answers, slow_wrong(1, 6), devices=devices)
        far = self.worker()
        self.until_judging(far)
        forger = self.peer()
        self.attach(forger)  # no devices, no slots
        for attempt in range(1, 5):
            grant.fields[1] = grant.job["attempt"] = attempt
            forger.say("result", grant.result(self.praise(grant, "forged device")))
        self.ends_right(run, ["incorrect"])
        self.assert_leaves(far)

    def adopted(self, attempt, epoch, praised):
        """A hello names jobs that wait as its own; they stay the coordinator's to give. The numbers are another store's: they may be the same."""
        devices = self.real_hello()
        answers = self.answers()
        self.campaign(answers.model(), "a.toml", store="a", candidates=6, parallel=6, drafts=6)
        other = self.start(config="a.toml")
        grants = self.learn(other, answers, *(wrong(n) for n in range(6)), devices=devices)
        other.kill()
        self.campaign(self.answers(*(slow_wrong(n, 3) for n in range(6))).model(), candidates=6, parallel=6, drafts=6)
        run = self.start()
        far = self.worker("far", "--slots", "1")
        self.until_judging(far)
        run.wait("progress", where=lambda e: sum(e["nodes"].get(s, 0) for s in ("answered", "building", "measuring")) >= 5)  # the others wait
        forger = self.peer()
        for grant in grants:
            grant.fields[1:3] = grant.job["attempt"], grant.job["epoch"] = attempt, epoch
        self.attach(forger, devices=devices, leases=[g.reference() for g in grants])
        forger.say("beat", [[g.reference() for g in grants], [], 0, 0])
        for grant in grants if praised else []:
            forger.say("result", grant.result(self.praise(grant, "forged device")))
        forger.say("bye", [0, 0])
        self.ends_right(run, ["incorrect"] * 6)
        self.assert_leaves(far)

    def test_adopts_what_waits(self):
        """A worker can't make waiting jobs its own by naming an attempt and an epoch that nobody gave it."""
        self.adopted(7, 42, True)

    def test_last_attempt(self):
        """An attempt of 2^32 - 1 in a hello does not stop the job for good."""
        self.adopted(LAST, 1, False)

    def test_outlier(self):
        """A worker that calls a wrong kernel 99.9 times as fast proves nothing by saying it twice: another worker measures the claim."""
        devices = self.real_hello()
        answers = self.answers()
        self.campaign(answers.model(), candidates=2, parallel=2, drafts=2, timed=True)
        config = self.folder / "campaign.toml"
        config.write_text(config.read_text().replace("[goal]\n", "[goal]\ntarget_speedup = 2.0\n"))
        run = self.start()
        far = self.worker("far", "--slots", "1")
        self.until_attached(run, "far")
        answers.give(slow_wrong(1, 15))
        self.until_judging(far)
        forger = self.peer()
        self.attach(forger, devices=devices, slots=4)
        answers.give(wrong(2))
        deadline = time.monotonic() + 90 * SLACK
        beat = 0.0
        done = []
        while run.process.poll() is None and time.monotonic() < deadline:
            heard = forger.hear(0.2)
            if heard and heard[0] == "grant":
                grant = forger.grants[-1]
                forger.say("accept", [grant.job["id"], grant.job["attempt"]])
                forger.say("result", grant.result(self.praise(grant, grant.device.decode(), timed=True)))
                done.append(grant)
            elif heard and heard[0] == "refuse":
                self.attach(forger, devices=devices, slots=4)
            if time.monotonic() > beat:
                beat = time.monotonic() + 1
                forger.say("beat", [[], [], 4, 4])
        self.assertTrue(done, "the forger was given nothing: this test says nothing")
        self.assertEqual(run.end(), 1, run.told())
        self.assertNotIn("a child failed", run.errors())
        best = self.json("best", code=None)
        self.assertEqual([b for b in best if b.get("claim")], [], "a wrong kernel was claimed on its finder's word")
        self.assert_sound_store()
        self.assert_leaves(far)

    def test_result_of_a_lost_lease(self):
        """A result that comes when its lease has run out and its job waits again: taken or dropped, and the coordinator goes on."""
        devices = self.real_hello()
        answers = self.answers()
        self.campaign(answers.model(), candidates=2, parallel=1, drafts=1)
        run = self.start()
        self.admitted(run)
        answers.give(wrong(1))
        forger = self.peer()
        self.attach(forger, devices=devices, slots=1)
        forger.wait(("grant",))
        grant = forger.grants[0]
        forger.say("ready", [0, 0])
        end = time.monotonic() + 14  # the lease lasts ten seconds from the last beat that names it
        while time.monotonic() < end:
            forger.say("beat", [[], [], 0, 0])
            forger.hear(1.0)
        found = evidence(failed=1, provenance=self.praise(grant, "")[wire_peer.EVIDENCE.index("provenance")])
        forger.say("result", grant.result(found))
        forger.say("ready", [1, 1])
        forger.hear(1.0)
        self.assert_calm(run)
        forger.say("bye", [0, 0])
        far = self.worker()
        run.wait("progress", where=lambda e: e["nodes"].get("incorrect"))
        self.assert_calm(run)
        self.call("stop", "--config", "campaign.toml")
        self.assertEqual(run.end(), 1, run.told())
        self.assertNotIn("a child failed", run.errors())
        self.assert_sound_store()
        self.assert_leaves(far)

    def test_device_recovers(self):
        """A device that was ill and is well when its worker says hello again gets jobs again."""
        devices = self.real_hello()
        self.campaign(self.answers(wrong(1)).model(), candidates=1, parallel=1, drafts=1)
        run = self.start()
        peer = self.peer()
        self.attach(peer, devices=devices)
        names = [d[0] for d in devices if d[1] == b"cpu-cpp"]
        peer.say("beat", [[], [[name, "quarantined", "it fell over"] for name in names], 1, 1])
        run.wait("trouble", where=lambda e: "it fell over" in e["text"])
        self.attach(peer, devices=devices, slots=1)
        end = time.monotonic() + 30 * SLACK
        while not peer.grants and time.monotonic() < end:
            peer.say("beat", [[], [[name, "ok", ""] for name in names], 1, 1])
            peer.hear(1.0)
        self.assertTrue(peer.grants, f"nothing is given to the device that is well\n{run.told()}")
        peer.say("decline", [peer.grants[0].job["id"], peer.grants[0].job["attempt"], "no"])
        peer.say("bye", [0, 0])
        far = self.worker()
        self.ends_right(run, ["incorrect"])
        self.assert_leaves(far)

    def test_never_begins(self):
        """A worker that holds a job for ever, beat after beat, loses it at the job's deadline; another one does it."""
        folder = self.folder / "backends/cpu-short"
        shutil.copytree(ROOT / "backends/cpu-cpp", folder)
        manifest = (folder / "backend.toml").read_text().replace('name = "cpu-cpp"', 'name = "cpu-short"')
        manifest = manifest.replace("build_s = 60\nrun_s = 60\ncall_s = 10", "build_s = 3\nrun_s = 3\ncall_s = 2")
        (folder / "backend.toml").write_text(manifest)
        short = ("--backend-path", str(folder.parent))
        config = self.campaign(self.answers(wrong(1)).model(), candidates=1, parallel=1, drafts=1)
        config.write_text(config.read_text().replace('backend = "cpu-cpp"', 'backend = "cpu-short"'))
        run = self.start(*short)
        peer = self.peer()
        self.attach(peer, devices=[["cpu:idle", "cpu-short", "ok", {}]], slots=1)
        peer.wait(("grant",))
        grant = peer.grants[0]
        peer.say("accept", [grant.job["id"], grant.job["attempt"]])
        peer.say("ready", [0, 0])
        far = self.worker("far", *short)
        begun = time.monotonic()
        lost = False
        while not lost and time.monotonic() < begun + (grant.deadline_ms / 1000 + 30) * SLACK:
            peer.say("beat", [[grant.reference()], [], 0, 0])
            heard = peer.hear(1.0)
            lost = heard is not None and heard[0] == "revoke"
        self.assertTrue(lost, f"after {time.monotonic() - begun:.0f} s of a deadline of {grant.deadline_ms / 1000:.0f} s it still holds the job")
        peer.say("bye", [0, 0])
        self.assertEqual(run.end(), 1, run.told())
        self.assertIn(self.states(), (["incorrect"], ["build_failed"], ["timeout"]), "not what another worker found")  # short limits on a busy machine
        self.assert_leaves(far)

    def test_names(self):
        """Names that are not UTF-8: `status` still answers, as often as it is asked, and nothing fails over it."""
        self.campaign(self.answers().model(), candidates=1, parallel=1, drafts=1)
        run = self.start()
        run.wait("progress")
        bad = b"\xff\xfe\x00 \xc3("
        for name in (bad, b"\xed\xa0\x80"):
            peer = self.peer()
            peer.say("hello", hello(name, [[bad, "cpu-cpp", bad, {bad: bad}]], labels={bad: bad}))
            if peer.wait(("welcome", "refuse"))[0] == "welcome":
                peer.say("ready", [0, 0])
                peer.say("beat", [[], [[bad, bad, bad]], 0, 0])
                peer.say("decline", [1, 1, bad])
        for _ in range(8):
            self.call("status", "--config", "campaign.toml", "--json")
        self.assert_calm(run)
        run.kill()


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
            return [chance.choice(jobs + [chance.getrandbits(63)]), chance.choice([1, 2, 3, 4] + numbers) % (1 << 32), chance.choice(numbers), chance.randrange(4)] + known.appended()[-1:]

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
