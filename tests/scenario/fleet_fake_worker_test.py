"""A worker that is not ours (wire_peer.py): it breaks every rule that frames can break. The campaign beside it ends as it should."""

import shutil
import time
import unittest

import wire_peer
from fleet_peers import slow_wrong
from fleet_stranger import LAST, Stranger
from program import ROOT, SLACK, wrong
from wire_peer import evidence, hello


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


if __name__ == "__main__":
    unittest.main()
