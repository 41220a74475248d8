"""redteam
trick = "the reference under its own name"
accept = ["build_failed", "crashed"]
"""
from reference import reference as kernel
