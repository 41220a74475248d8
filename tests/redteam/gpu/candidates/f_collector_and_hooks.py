"""redteam
trick = "turns the collector on in every allocation, and leaves a trace function, a profile function and an audit hook behind"
entries = ["F1"]
accept = ["correct", "refused"]
timed = true
"""
import gc
import sys

from honest import softmax

gc.enable()
gc.set_threshold(1, 1, 1)
sys.settrace(lambda *given: None)
sys.setprofile(lambda *given: None)
sys.addaudithook(lambda *given: None)
kernel = softmax
