"""redteam
trick = "is never loaded"
entries = ["F8"]
accept = ["timeout"]
answers = "load"
"""
import threading

threading.Event().wait()
