"""redteam
trick = "changes the environment, for what reads it late: the device in sight, the pool of results, blocking launches, injected libraries"
entries = ["F4"]
accept = ["correct", "refused"]
timed = true
"""
import os

from honest import softmax

os.environ.update({"CUDA_VISIBLE_DEVICES": "", "KE_ARENA_POOL": "/nowhere", "KE_LIBCUDA": "/nowhere", "CUDA_LAUNCH_BLOCKING": "1",
                   "CUDA_INJECTION64_PATH": "/tmp/injected.so", "LD_PRELOAD": "/tmp/injected.so", "TRITON_CACHE_DIR": "/tmp/elsewhere",
                   "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"})
kernel = softmax
