"""redteam
trick = "the places that are published are those of an input that already holds a softmax: none does"
entries = ["F2", "C4"]
accept = ["refused"]
"""
from honest import softmax
from hunt import objects

for page in objects("Page"):
    if hasattr(page, "publish"):
        page.publish = lambda values, usual=page.publish: usual([values[0]] * len(values))

kernel = softmax
