#!/usr/bin/env python3
"""Replaces what stands between the two key markers of a page by stdin, as a TOML block: insert_keys.py PAGE < KEYS"""

import re
import sys

page = sys.argv[1]
text = open(page).read()
block = "<!-- keys: begin -->\n```toml\n" + sys.stdin.read().strip("\n") + "\n```\n<!-- keys: end -->"
new, found = re.subn(r"<!-- keys: begin -->.*?<!-- keys: end -->", lambda _: block, text, flags=re.S)
if found != 1:
    sys.exit(f"{page} has {found} places between <!-- keys: begin --> and <!-- keys: end -->; it needs one")
if new != text:
    open(page, "w").write(new)
    print(f"{page} written")
