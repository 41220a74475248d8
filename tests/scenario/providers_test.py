"""The providers that need no network: spool, command, replay."""

import hashlib
import json
import signal
import sys
import unittest

from program import FolderWatch, Scenario, fenced, playbook, wrong

SPOOL = '[[model]]\nname = "main"\nprovider = "spool"\ndir = "spool"\n'


class Spool(Scenario):
    def setUp(self):
        super().setUp()
        self.spool = self.folder / "spool"
        self.spool.mkdir()
        self.watch = FolderWatch(self.spool)
        self.addCleanup(self.watch.close)

    def prompts(self):
        return sorted(p for p in self.spool.glob("*.prompt.md") if not self.answer_of(p).exists())

    def answer_of(self, prompt):
        return prompt.with_name(prompt.name.replace(".prompt.md", ".answer.md"))

    def next_prompt(self):
        found = self.watch.wait_until(self.prompts)
        self.assertTrue(found, "no prompt appeared")
        return found[0]

    def put(self, prompt, text):
        draft = prompt.with_suffix(".draft")
        draft.write_text(text)
        draft.rename(self.answer_of(prompt))

    def test_a_person_plays(self):
        """A prompt appears as a file that begins with a ke-task block; the file dropped beside it is its answer."""
        self.config(SPOOL, candidates=2, parallel=1)
        run = self.start()
        for number in range(2):
            prompt = self.next_prompt()
            text = prompt.read_text()
            self.assertTrue(text.startswith("```ke-task\n"), text[:100])
            task = json.loads(text.split("\n", 1)[1].split("\n```", 1)[0])
            self.assertIn("scale", json.dumps(task))
            self.put(prompt, fenced(wrong(number)))
            self.assertEqual(run.wait("node")["state"], "incorrect")
        self.assertEqual(run.end(), 1, run.told())
        self.assert_nothing_left()

    def test_restart_keeps_the_call(self):
        """An owner that is killed or interrupted while a prompt waits asks the same call again; an answer given meanwhile is taken."""
        self.config(SPOOL, candidates=2, parallel=1)
        run = self.start()
        first = self.next_prompt()
        text = first.read_text()
        run.kill()
        self.assertTrue(first.exists())
        again = self.start()
        again.wait("campaign")
        again.wait("progress", where=lambda e: e["nodes"].get("asked"))
        self.assertEqual([p.name for p in self.prompts()], [first.name])
        self.assertEqual(first.read_text(), text)
        again.kill()
        self.put(first, fenced(wrong(1)))  # while nobody runs
        last = self.start()
        self.assertEqual(last.wait("node")["state"], "incorrect")
        self.put(self.next_prompt(), fenced(wrong(2)))
        self.assertEqual(last.end(), 1, last.told())
        self.assertEqual({n["state"] for i, n in self.tree().items() if i}, {"incorrect"})
        self.assert_sound()
        self.assert_nothing_left()

    def play(self, run, kill_after=()):
        """Answers every prompt by its digest until the campaign ends; the run is killed and started again before these answers."""
        done = 0
        while True:
            ready = self.watch.wait_until(lambda: self.prompts() or run.process.poll() is not None)
            if ready is True or not ready:
                break
            if done in kill_after:
                kill_after = set(kill_after) - {done}
                run.kill()
                run = self.start()
            self.put(ready[0], fenced(wrong(int(hashlib.sha256(ready[0].read_bytes()).hexdigest()[:5], 16))))
            done += 1
            if done == 4:
                break
        return run

    def test_two_stores(self):
        """Bug: an answer file of one campaign was taken as the answer to the first prompt of the next store's: calls had the same names."""
        self.config(SPOOL, candidates=1, parallel=1)
        run = self.start()
        old = self.next_prompt()
        self.put(old, fenced(wrong(1)))
        self.assertEqual(run.end(), 1, run.told())
        source = self.json("show", "1")["source"]
        (self.folder / "store").rename(self.folder / "store-of-old")
        reference = self.folder / "problem/reference.cpp"
        reference.write_text(reference.read_text().replace("1.5f", "2.5f"))
        again = self.start()
        new = self.next_prompt()
        self.assertNotEqual(new.name, old.name)
        self.assertEqual(new.name.split("-", 1)[1].rsplit("-", 1)[0], old.name.split("-", 1)[1].rsplit("-", 1)[0], "the same place in another store")
        self.put(new, fenced(wrong(2)))
        self.assertEqual(again.end(), 1, again.told())
        self.assertNotEqual(self.json("show", "1")["source"], source, "judged with the other store's answer")
        self.assertTrue(self.answer_of(old).exists(), "what a person wrote stays")

    def test_same_tree_again(self):
        """The same campaign with the same answers and parallel = 1 grows the same tree, also when it is killed and resumed in between."""
        hashes = []
        for number, kills in enumerate([(), (), (1, 3)]):
            for old in self.spool.iterdir():
                old.unlink()
            self.config(SPOOL, candidates=4, parallel=1, drafts=2)
            if number:
                self.call("--version")
                (self.folder / "store").rename(self.folder / f"store-{number}")
            run = self.play(self.start(), kills)
            self.assertEqual(run.end(), 1, run.told())
            replay = self.json("replay")
            self.assertTrue(replay["matches"])
            hashes.append([t["hash"] for t in replay["trees"]])
        self.assertEqual(hashes[0], hashes[1], "two equal campaigns differ")
        self.assertEqual(hashes[0], hashes[2], "the killed campaign differs")
        self.assert_nothing_left()


class Command(Scenario):
    def test_command(self):
        """Any program that reads the prompt on stdin and prints the answer is a model; one that fails is counted as a failure."""
        script = self.write("model.py", "import pathlib, sys\n"
                            "prompt = sys.stdin.read()\n"
                            "assert prompt.startswith('```ke-task')\n"
                            "count = pathlib.Path('count')\n"
                            "n = int(count.read_text()) if count.exists() else 0\n"
                            "count.write_text(str(n + 1))\n"
                            "if n == 1:\n"
                            "    sys.exit('no luck today')\n"
                            f"print({fenced(wrong(7))!r}.replace('7.5f', f'{{n}}.5f'))\n")
        self.config(f'[[model]]\nname = "main"\nprovider = "command"\ncommand = ["{sys.executable}", "{script}"]\n', candidates=3, parallel=1)
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        _, campaign = self.status()
        self.assertEqual(sum(campaign["nodes"].values()), 3)
        self.assertGreaterEqual(campaign["nodes"]["incorrect"], 2)
        self.assertEqual(sum(campaign["failures"].values()), 1, campaign)
        self.assert_nothing_left()

    def test_stuck_command_ends_with_the_campaign(self):
        """A model program that never answers does not outlive an interrupt."""
        self.config('[[model]]\nname = "main"\nprovider = "command"\ncommand = ["tail", "-f", "/dev/null"]\n', candidates=2, parallel=1)
        run = self.start()
        run.wait("progress", where=lambda e: e["nodes"].get("asked"))
        run.signal(signal.SIGINT)
        self.assertEqual(run.end(), 130, run.told())
        self.assert_nothing_left()


class Replay(Scenario):
    def test_replay_of_a_store(self):
        """The recorded answers of a store play the model of an equal campaign: the same nodes come out, and nothing is asked."""
        server = self.fake([{"answer": fenced(wrong(n))} for n in range(3)])
        self.config(server.model(), candidates=3, parallel=1, drafts=3)
        self.assertEqual(self.start().end(), 1)
        first = self.tree()
        (self.folder / "store").rename(self.folder / "recorded")
        asked = server.requests()
        self.config('[[model]]\nname = "main"\nprovider = "replay"\ndir = "recorded"\n', candidates=3, parallel=1, drafts=3)
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        second = self.tree()
        self.assertEqual([(n["state"], n["source"], n["prompt"]) for n in second.values()],
                         [(n["state"], n["source"], n["prompt"]) for n in first.values()])
        self.assertEqual(server.requests(), asked)

    def test_replay_miss(self):
        """A prompt that was never recorded is an error that names the prompt."""
        self.config(playbook(), candidates=1, parallel=1)
        self.assertIn(self.start().end(), (0, 1))
        (self.folder / "store").rename(self.folder / "recorded")
        self.config('[[model]]\nname = "main"\nprovider = "replay"\ndir = "recorded"\n', candidates=1, parallel=1, name="other", drafts=1,
                    more='exploration = 3.0')
        (self.folder / "problem/problem.toml").write_text((self.folder / "problem/problem.toml").read_text().replace("4096", "2048"))
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        node = self.tree()[1]
        self.assertEqual(node["state"], "unanswered")
        self.assertIn(node["prompt"][:12], json.dumps(self.json("show", "1")["note"]) if "note" in self.json("show", "1") else run.errors())


if __name__ == "__main__":
    unittest.main()
