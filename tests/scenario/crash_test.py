"""The crash loop, short enough for every push; crash_loop.sh N runs a longer one."""

import unittest

from crash_loop import CrashLoop


class ShortCrashLoop(CrashLoop):
    kills = 5


del CrashLoop  # found here once, not twice

if __name__ == "__main__":
    unittest.main()
