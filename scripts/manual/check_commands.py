#!/usr/bin/env python3
"""Does the program know every command and flag that the documents show? check_commands.py KE_RUNTIME PAGE...

Reads the shell blocks of the pages; each line that starts with ke-runtime must name a command whose --help lists the flags used.
"""

import re
import shlex
import subprocess
import sys

GLOBAL = {"--help", "--version"}


def help_of(program, words, seen={}):
    key = tuple(words)
    if key not in seen:
        seen[key] = subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=30)
    return seen[key]


def complaints(program, line):
    words = shlex.split(line, comments=True)[1:]
    if words and words[0].startswith("-"):
        words.insert(0, "run")
    command = []
    while words and not words[0].startswith("-") and len(command) < 2:
        tried = help_of(program, [*command, words[0]])
        # A word that is no command of its own (an argument of the one before, or unknown) leaves the help as it was.
        if tried.returncode != 0 or tried.stdout == help_of(program, command).stdout:
            break
        command.append(words.pop(0))
    if not command:
        yield f"no such command: {words[0] if words else '(none)'}"
        return
    text = help_of(program, command).stdout
    for word in words:
        flag = word.split("=")[0]
        if flag.startswith("-") and not re.fullmatch(r"-\d+", flag) and flag not in GLOBAL and not re.search(re.escape(flag) + r"\b", text):
            yield f"`{' '.join(command)}` has no {flag}"


def main():
    program, *pages = sys.argv[1:]
    checked, wrong = 0, 0
    for page in pages:
        shell = False
        for number, line in enumerate(open(page), 1):
            if line.startswith("```"):
                shell = line.strip() == "```sh"
                continue
            found = re.match(r"(?:build/release/)?(ke-runtime .*)", line) if shell else None
            if not found:
                continue
            checked += 1
            for why in complaints(program, found.group(1).replace("[", "").replace("]", "")):
                wrong += 1
                print(f"{page}:{number}: {why}")
    print(f"manual: {checked} commands shown, {wrong} wrong")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
