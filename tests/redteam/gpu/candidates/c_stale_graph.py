"""redteam
trick = "a graph captured once is replayed on the first call's input"
accept = ["incorrect", "cheating_suspected", "crashed"]
"""
import torch
from honest import softmax

graphs = {}


def kernel(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    if x.shape not in graphs:
        softmax(x)
        torch.cuda.synchronize()
        graph, still = torch.cuda.CUDAGraph(), x.clone()
        with torch.cuda.graph(graph):
            y = softmax(still)
        graphs[x.shape] = graph, y
    graph, y = graphs[x.shape]
    graph.replay()
    return y
