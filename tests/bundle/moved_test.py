"""A bundle that was unpacked somewhere on this machine: it runs there, and with its own bwrap."""

import json
import os
import re
import shutil
import subprocess
import unittest

from bundle import ORDINARY, SOFTMAX, BundleTest, Place, scratch, unpack

# What an evaluation starts by name, but bwrap.
TOOLS = ("g++", "gcc", "cc", "c++", "as", "ld", "sh", "env", "setpriv", "objdump")


class Moved(BundleTest):
    @classmethod
    def setUpClass(cls):
        cls.home = scratch(cls, "moved")
        cls.folder = unpack(cls.home / "a folder of mine")
        # bwrap is not in PATH, so the bundle's is used.
        tools = cls.home / "tools"
        tools.mkdir()
        for tool in TOOLS:
            if at := shutil.which(tool):
                (tools / tool).symlink_to(at)
        for name in ("home", "tmp"):
            (cls.home / name).mkdir()
            os.chmod(cls.home / name, 0o1777)
        env = {"PATH": str(tools), "HOME": str(cls.home / "home"), "TMPDIR": str(cls.home / "tmp"), "LANG": "C.UTF-8"}
        cls.here = Place(cls.folder, env)

    def users(self):
        """Root and an ordinary user, as far as this test may be them."""
        return (None, ORDINARY) if os.geteuid() == 0 else (None,)

    def test_version(self):
        """It says its version, which its folder's name has, too."""
        done = self.here.run("--version")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(re.search(r"ke-runtime-([\d.]+)-linux", self.folder.name).group(1), done.stdout)

    def test_doctor(self):
        """Doctor finds the programs, the backends and, without a bwrap in PATH, the whole sandbox."""
        for user in self.users():
            with self.subTest(user=user):
                lines = self.assert_doctor(self.here, user, sandbox_user="ok", sandbox_mount="ok", sandbox_seccomp="ok", backend_cpu_cpp="ok")
                if user is None:
                    self.assert_told(self.here, lines)

    def test_libraries(self):
        """What a program loads of libstdc++ lies in the bundle; what loads candidates has the system's alone."""
        for program in sorted((self.folder / "bin").iterdir()):
            loaded = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
            runtimes = re.findall(r"libstdc\+\+\S* => (.*) \(", loaded)
            if program.suffix == ".so":  # is loaded into a Python with a libstdc++ of its own
                self.assertEqual(runtimes, [], loaded)
                continue
            self.assertEqual(len(runtimes), 1, loaded)
            own = program.name not in ("ke-driver", "ke-runner", "ke-device-runner", "ke-cuda-driver")
            self.assertEqual(runtimes[0].startswith(str(self.folder)), own, f"{program.name}: {runtimes[0]}")
            self.assertNotIn("not found", loaded)

    def test_judges(self):
        """The reference as its own candidate is right, in the full sandbox that the bundle's bwrap makes."""
        for user in self.users():
            with self.subTest(user=user):
                self.assert_judges(self.here, "--untimed", user=user)

    def test_moved_again(self):
        """The folder may be moved after it was used."""
        other = self.home / "and elsewhere" / "renamed"
        other.parent.mkdir()
        os.chmod(other.parent, 0o755)
        self.folder.rename(other)
        self.addCleanup(other.rename, self.folder)
        self.assert_judges(Place(other, self.here.env), "--untimed")

    @unittest.skipUnless(os.geteuid() == 0, "only root becomes another user")
    def test_closed_folder(self):
        """In a folder that is closed to others root's sandboxes can't start the bundle's bwrap: the folder is named, and what to do."""
        closed = self.folder.parent
        os.chmod(closed, 0o700)
        self.addCleanup(os.chmod, closed, 0o755)
        problem = self.folder / SOFTMAX
        done = self.here.run("eval", problem, problem / "reference.cpp", "--backend", "cpu-cpp", "--sandbox", "full", "--untimed")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        said = [line["text"] for line in json.loads(self.here.run("doctor", "--json").stdout) if line["name"] == "uid"]
        self.assertIn(f"'{closed}' is closed", said[0])
        self.assertIn("chmod o+rx", said[0])


if __name__ == "__main__":
    unittest.main()
