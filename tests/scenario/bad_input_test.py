"""What is wrong is said in one clear sentence, with the right exit code, before anything is started."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest

from program import PATIENCE, REFERENCE, RIGHT, RUNTIME, FolderWatch, Scenario, _started, broken, campaign_text, playbook, wrong


class BadInput(Scenario):
    def refused(self, text, code=2, *args, env=None):
        self.write("campaign.toml", text)
        done = self.call("--config", "campaign.toml", "--ui", "json", *args, code=code, env=env)
        self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "store").exists(), "something was started")
        return done.stderr

    def test_missing_config(self):
        """A campaign file that is not there: 2, and its name."""
        done = self.call("--config", "nowhere.toml", code=2)
        self.assertIn("nowhere.toml", done.stderr)

    def test_all_errors_at_once(self):
        """Every error of a campaign file is reported at once with its line and column, a typo with the nearest right name."""
        text = campaign_text(playbook()).replace("candidates = 8", "candidats = 8").replace("parallel = 2", 'parallel = "two"')
        said = self.refused(text.replace("drafts = 2", "drafts = -1"))
        for wrong_line, word in ((text.split("candidats")[0].count("\n") + 1, "candidates"), (text.split("parallel")[0].count("\n") + 1, "parallel"),
                                 (text.split("drafts")[0].count("\n") + 1, "drafts")):
            self.assertRegex(said, rf"campaign\.toml:{wrong_line}:\d+: .*{word}")

    def test_not_toml(self):
        """A file that is no TOML: its line."""
        self.assertRegex(self.refused(campaign_text(playbook()) + "\n[oops\n"), r"campaign\.toml:\d+:\d+")

    def test_secret_in_file(self):
        """A key that stands in the file is refused and not repeated."""
        said = self.refused(campaign_text('[[model]]\nname = "main"\nprovider = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
                                          'api_key_env = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"\n'))
        self.assertIn("api_key_env", said)
        self.assertNotIn("abcdefghijklmnop", said)

    def test_key_is_missing(self):
        """A key variable that is not set: 3, and its name."""
        said = self.refused(campaign_text('[[model]]\nname = "main"\nprovider = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
                                          'api_key_env = "NOT_SET_HERE"\n'), 3)
        self.assertIn("NOT_SET_HERE", said)

    def test_provider_that_is_not_there(self):
        """Bug: a program, a folder of answers or a spool that is not there cost a candidate per try, until the budget was gone: 3, its line."""
        (self.folder / "file").write_text("")
        for model, words in (('provider = "command"\ncommand = ["nosuchprogram"]', ("command", "no program nosuchprogram in PATH")),
                             ('provider = "replay"\ndir = "nodir"', ("dir", "nodir is not there")),
                             ('provider = "spool"\ndir = "file/x"', ("dir", "file is no folder that can be written"))):
            with self.subTest(model):
                said = self.refused(campaign_text(f'[[model]]\nname = "main"\n{model}\n'), 3)
                self.assertRegex(said, r"^campaign\.toml:\d+:\d+: model\." + words[0])
                self.assertIn(words[1], said)

    def test_cluster_key_is_missing(self):
        """A key file of [cluster] that is not there, and an address that another process has: found before anything starts, with the fix."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
            for more, code, words in (('key = "keys/none.key"', 3, ("keys/none.key", "keygen")), ("", 2, (address, "choose another"))):
                with self.subTest(more):
                    self.write("campaign.toml", campaign_text(playbook()) + f'\n[cluster]\nlisten = "{address}"\n{more}\n')
                    done = self.call("--config", "campaign.toml", "--ui", "json", code=code)
                    self.assertEqual(done.stdout, "")
                    for word in words:
                        self.assertIn(word, done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_missing_problem(self):
        """A problem that is not there: 2, its path and the line of campaign.toml that names it."""
        said = self.refused(campaign_text(playbook()).replace("problem/problem.toml", "nothing/problem.toml"))
        self.assertRegex(said, r"^campaign\.toml:\d+:\d+: problem\.path: .*nothing/problem\.toml")

    def test_bad_problem(self):
        """An error in the problem file is reported with the problem file's line."""
        path = self.folder / "problem/problem.toml"
        path.write_text(path.read_text().replace('dtype = "f32"', 'dtype = "float"', 1))
        self.assertRegex(self.refused(campaign_text(playbook())), r"problem\.toml:9:\d+")

    def test_broken_reference(self):
        """A reference that does not compile makes the problem unfit: nothing is called correct, and the state says whose fault it is."""
        (self.folder / "problem/reference.cpp").write_text(broken(1))
        self.write("candidate.cpp", RIGHT)
        done = self.call("eval", "problem/problem.toml", "candidate.cpp", "--backend", "cpu-cpp", "--json", code=1)
        self.assertIn('"unfit_problem"', done.stdout)
        self.assertIn("does not compile", done.stdout)

    def test_no_compiler(self):
        """No compiler in PATH: 3, and what to install."""
        (self.folder / "bin").mkdir()
        said = self.refused(campaign_text(playbook()), 3, env={"PATH": str(self.folder / "bin")})
        self.assertRegex(said, r"g\+\+|compiler")

    def test_unknown_backend(self):
        """A backend that nobody knows: 2, and the names that are known."""
        said = self.refused(campaign_text(playbook()).replace("cpu-cpp", "cpu-ccp"))
        self.assertIn("cpu-cpp", said)

    def test_sandbox_full_without_bwrap(self):
        """--sandbox full where bwrap is absent: 3, and how to get it."""
        box = self.folder / "bin"
        box.mkdir()
        for program in ("g++", "gcc", "cc", "as", "ld", "c++", "env", "sh"):
            if at := shutil.which(program):
                (box / program).symlink_to(at)
        self.write("candidate.cpp", RIGHT)
        done = self.call("eval", "problem/problem.toml", "candidate.cpp", "--backend", "cpu-cpp", "--sandbox", "full", code=3, env={"PATH": str(box)})
        self.assertIn("bubblewrap", done.stderr)
        self.assertIn("bubblewrap", self.refused(campaign_text(playbook()), 3, "--sandbox", "full", env={"PATH": str(box)}))

    def test_eval_of_nothing(self):
        """eval of a candidate that is not there: 2; of one that does not compile, or is wrong: 1 and the state."""
        args = ("--backend", "cpu-cpp", "--json")
        done = self.call("eval", "problem/problem.toml", "nowhere.cpp", *args, code=2)
        self.assertIn("nowhere.cpp", done.stderr)
        self.write("broken.cpp", broken(1))
        self.assertIn('"build_failed"', self.call("eval", "problem/problem.toml", "broken.cpp", *args, code=1).stdout)
        self.write("wrong.cpp", wrong(1))
        self.assertIn('"incorrect"', self.call("eval", "problem/problem.toml", "wrong.cpp", *args, code=1).stdout)
        self.call("eval", "problem/problem.toml", "wrong.cpp", "--backend", "cpu-ccp", "--json", code=2)
        self.assert_nothing_left()

    def test_result_that_cannot_be_written(self):
        """A full stdout is an error, one whose reader has left is not; neither crashes."""
        self.config(playbook())
        self.write("wrong.cpp", wrong(1))
        eval_ = ("eval", "problem/problem.toml", "wrong.cpp", "--untimed", "--json")
        for args in (("doctor",), ("--config", "campaign.toml", "--dry-run"), eval_):
            with self.subTest(args), open("/dev/full", "wb") as full:
                done = subprocess.run([RUNTIME, *args], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("stdout", done.stderr)
        read, write = os.pipe()
        os.close(read)
        try:
            done = subprocess.run([RUNTIME, "doctor"], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=write,
                                  stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        finally:
            os.close(write)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_no_temporary_folder(self):
        """TMPDIR that names nothing: 3 and what to do."""
        self.write("wrong.cpp", wrong(1))
        done = self.call("eval", "problem/problem.toml", "wrong.cpp", code=3, env={"TMPDIR": str(self.folder / "nowhere")})
        self.assertIn("TMPDIR", done.stderr)

    def test_interrupted_eval(self):
        """Ctrl-C ends eval with 130; no process and no folder of it is left."""
        self.write("endless.cpp", RIGHT.replace("for (int64_t i = 0; i < n; ++i)", "for (volatile int64_t i = 0;; i = i + 1)"))
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                watch = FolderWatch(self.folder / "tmp")
                process = subprocess.Popen([RUNTIME, "eval", "problem/problem.toml", "endless.cpp", "--json"], cwd=self.folder, env=self.env,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                _started.add(process.pid)
                try:
                    self.assertTrue(watch.wait_until(lambda: list((self.folder / "tmp").glob("ke-eval-*"))), "no evaluation began")
                    process.send_signal(number)
                    out, err = process.communicate(timeout=PATIENCE)
                finally:
                    watch.close()
                    process.kill()
                    process.wait()
                    _started.discard(process.pid)
                self.assertEqual((process.returncode, out), (130, ""), err)
                self.assertIn("interrupted", err)
                self.assert_nothing_left()

    def test_unfit_problem_ends_a_campaign(self):
        """A campaign whose problem is unfit ends with 2 and the reason instead of using up its budget."""
        (self.folder / "problem/reference.cpp").write_text(REFERENCE.replace("std::sin(x[i]) * 1.5f + 1.0f", "0.0f * x[i]"))
        self.config(playbook(), candidates=30)
        run = self.start()
        self.assertEqual(run.end(), 2, run.told())
        self.assertIn("accepts zeros", run.errors())
        self.assertLess(len(run.acks()), 10)
        self.assertEqual(self.status()[1]["state"], "failed")

    def test_worker_of_no_address(self):
        """worker --connect to something that is no address: 2, at once."""
        for address in ("bogus", "tcp://127.0.0.1:99999", "http://127.0.0.1:7"):
            self.assertIn("--connect", self.call("worker", "--connect", address, code=2).stderr)

    def test_commands_of_later_versions(self):
        """What comes later is refused as such, not as a typing error."""
        for name in ("mcp", "add", "init", "compare"):
            said = self.call(name, code=2).stderr
            self.assertIn("not part of this version", said)
            self.assertNotIn("did you mean", said)

    def test_bench_search(self):
        """A landscape that is none, and options that mean nothing: 2, the key or the option, and what is expected there."""
        landscape = {"name": "toy", "genes": 2, "values": 2, "additive": [[0, 1], [0, 1]], "target": 2}
        self.write("good.json", json.dumps(landscape))
        self.write("bad.json", json.dumps({**landscape, "additive": [[0, 1]]}))
        self.write("cut.json", json.dumps(landscape)[:-5])

        def said(*args, code=2):
            return self.call("bench", "search", *args, code=code).stderr
        self.assertIn("nowhere.json", said("--landscape", "nowhere.json"))
        self.assertRegex(said("--landscape", "bad.json"), r"bad\.json: .*additive")
        self.assertRegex(said("--landscape", "cut.json"), r"cut\.json: .*JSON")
        self.assertIn("best-of-n", said("--landscape", "good.json", "--policy", "anneal"))
        self.assertIn("siblings", said("--landscape", "good.json", "--memory", "all"))
        self.assertIn("1..30", said("--landscape", "good.json", "--seeds", "9..1"))
        self.assertIn("--in-flight", said("--landscape", "good.json", "--in-flight", "0"))
        self.assertRegex(said("--landscape", "good.json", "--set", "exploraton=1"), "exploration")
        self.assertIn("--landscape", said())
        done = self.call("bench", "search", "--landscape", "good.json", "--seeds", "1..5", "--json")
        self.assertEqual((json.loads(done.stdout)["runs"], json.loads(done.stdout)["reached"]), (5, 5))

    def test_bench_search_reads_its_landscape_closely(self):
        """Bug: keys of --set that have an option of their own were taken in silence; misspelt keys and empty files of landscapes passed or misled."""
        landscape = {"name": "toy", "genes": 2, "values": 2, "additive": [[0, 1], [0, 1]], "target": 2}
        self.write("good.json", json.dumps(landscape))
        self.write("typo.json", json.dumps({**landscape, "sucess_probability": 0.1}))
        self.write("empty.json", "")
        for args, word in ((("good.json", "--set", "policy=greedy"), "use --policy"), (("good.json", "--set", "memory=clean"), "use --memory"),
                           (("good.json", "--set", "parallel=64"), "use --in-flight"), (("typo.json",), 'did you mean "success_probability"'),
                           (("empty.json",), "it is empty")):
            with self.subTest(args):
                done = self.call("bench", "search", "--landscape", *args, code=2)
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))
                self.assertIn(word, done.stderr)

    def test_typo_in_a_subcommand(self):
        """Bug: `bench searchh` was told that a subcommand is required, without the nearest name."""
        for family, typo, name in (("bench", "searchh", "search"), ("knowledge", "lnt", "lint"), ("store", "exprt", "export"),
                                   ("export", "tre", "tree"), ("problem", "lit", "lint")):
            with self.subTest(family):
                self.assertIn(f'there is no command {family} {typo} (did you mean "{name}"?)', self.call(family, typo, code=2).stderr)

    def test_hint_that_is_none(self):
        """Bug: a blank, broken or overlong hint was accepted, and a wrong node id answered with 300 digits; nobody need own the store to be told."""
        for args, word in ((("-1", "x"), "NODE: expected a node id, 0 or more, not -1"), (("abc", "x"), "not abc"), (("0", " \t"), "empty"),
                           (("0", "x" * 120000), "120000 bytes"), (("0", "\udcff\udcfe"), "UTF-8")):
            with self.subTest(word):
                done = self.call("hint", *args, "--store", "store", code=2)
                self.assertEqual(done.stdout, "")
                self.assertIn(word, done.stderr)
                self.assertLess(len(done.stderr), 200)

    def test_what_if_numbers(self):
        """Bug: what-if took numbers that campaign.toml would refuse."""
        for option, value in (("--exploration", "-1"), ("--exploration", "nan"), ("--exploration", "inf"), ("--drafts", "99999999999999999999"),
                              ("--parallel", "99999999999"), ("--seed", "-1"), ("--evaluations", "-1"), ("--evaluations", "0"), ("--drafts", "0")):
            with self.subTest(option, value=value):
                said = self.call("what-if", "--policy", "greedy", option, value, "--store", "store", code=2).stderr
                self.assertRegex(said, rf"^{option}: expected a (whole )?number from \d+ to \d+, not {value}\n")

    def test_flags(self):
        """Unknown flags, commands and values: 2; nothing on stdout."""
        self.config(playbook())
        for args in (("--nonsense",), ("frobnicate",), (), ("status", "--jsn"), ("--config",), ("--config", "campaign.toml", "--ui", "fancy"),
                     ("--config", "campaign.toml", "--sandbox", "some"), ("--config", "campaign.toml", "--set", "budget.candidats=3"),
                     ("--config", "campaign.toml", "--set", "budget.candidates")):
            with self.subTest(args):
                done = self.call(*args, code=2)
                self.assertEqual(done.stdout, "")
                self.assertNotEqual(done.stderr, "")

    def test_help(self):
        """--help of every command ends with 0 and shows an example."""
        top = self.call("--help").stdout
        names = re.findall(r"^  ([a-z][a-z-]+)  +\S", top.split("Subcommands:")[1], re.M)
        self.assertGreater(len(names), 15)
        for name in names:
            with self.subTest(name):
                self.assertIn("Example", self.call(name, "--help").stdout)


class BadStore(Scenario):
    def setUp(self):
        super().setUp()
        self.config(playbook(), candidates=2)
        self.assertEqual(self.start().end(), 0)
        self.data = max((p for p in (self.folder / "store").rglob("*") if p.is_file() and p.suffix in (".mdb", "") and "lock" not in p.name),
                        key=lambda p: p.stat().st_size)

    def refused(self, code):
        said = ""
        for args in (("status", "--config", "campaign.toml"), ("--config", "campaign.toml", "--ui", "none")):
            done = self.call(*args, code=code)
            self.assertRegex(done.stderr, r"store")
            self.assertLessEqual(done.stderr.count("is damaged"), 1, "said once is enough")
            self.assertLess(done.stderr.count("\n"), 4, done.stderr)
            said += done.stderr
        return said

    def test_damaged(self):
        """A store whose pages are overwritten: 6, one clear line, never a crash and never an empty campaign."""
        with open(self.data, "r+b") as data:
            data.write(os.urandom(8192))
        self.refused(6)

    def test_cut(self):
        """A store that is cut to nothing: 6."""
        with open(self.data, "r+b") as data:
            data.truncate(0)
        self.refused(6)

    def test_newer(self):
        """A store of a newer version: 6, naming both versions."""
        identity = self.folder / "store/STORE"
        text = identity.read_text()
        newer = re.sub(r"(schema\W+)\d+", r"\g<1>999", text, count=1)
        self.assertNotEqual(newer, text, text)
        identity.write_text(newer)
        self.assertIn("999", self.refused(6))

    def test_nobody_s_place(self):
        """A store in a place that can't be written: one sentence, 2 or 6, nothing started."""
        self.write("file", "not a folder")
        done = self.call("--config", "campaign.toml", "--set", "campaign.store=file/store", code=None)
        self.assertIn(done.returncode, (2, 6), done.stderr)
        self.assertIn("file/store", done.stderr)

    def test_no_store(self):
        """Reading commands without a store: 2, and how to begin."""
        shutil.rmtree(self.folder / "store")
        for command in ("status", "tree", "best"):
            done = self.call(command, "--config", "campaign.toml", code=2)
            self.assertIn("no store", done.stderr)


if __name__ == "__main__":
    unittest.main()
