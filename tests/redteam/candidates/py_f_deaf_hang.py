"""redteam
trick = "never answers, ignores every signal and catches every exception, with threads and children that do the same"
entries = ["F8", "F7"]
accept = ["timeout"]
answers = "call"
"""
import os
import signal
import threading
import time

import torch


def deaf():
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            pass


class ModelNew(torch.nn.Module):
    def forward(self, x):
        for number in range(1, 32):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        threading.Thread(target=deaf).start()
        if os.fork() == 0:
            os.setsid()
        deaf()
