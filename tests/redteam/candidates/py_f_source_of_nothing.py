"""redteam
trick = "a source that no compiler should be asked for: nested without end"
entries = ["F10"]
accept = ["build_failed", "crashed", "resource_exceeded", "timeout"]
answers = "load"
"""
exec("x = " + "-" * 3_000_000 + "1")
exec("x = " + "(" * 100_000 + "1" + ")" * 100_000)
