"""Runs a program in the sandbox that forks have (box.py), and ends as it ends.

    boxed.py LIMITS WORDS...

LIMITS: mode (as fork_server.py has it), user, processes, descriptors, bytes of memory and of files, files, with blanks between. Descriptors 4 and
5: the filters on system calls, of which the first holds for the program. Trusted: it reads nothing of any candidate.
"""
import os
import signal
import sys

import box

FILTER, SECOND_FILTER = 4, 5


def main(told, *words):
    seccomp, _ = box.read_filter(FILTER), box.read_filter(SECOND_FILTER)
    mode, *numbers = told.split()
    user, processes, descriptors, memory, scratch, inodes = map(int, numbers)
    limits = box.Limits(user if mode == "users" else 0, processes, mode != "open", memory, scratch, scratch, descriptors, inodes)
    box.prepare()
    pid = box.fork(limits.boxed)
    if pid == 0:
        try:
            box.enter(limits, seccomp, 0)
            os.execvpe(words[0], words, os.environ)
        except BaseException as problem:
            os.write(2, f"the sandbox can't be entered: {problem}\n".encode())
        os._exit(70)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
