"""redteam
trick = "a graph captured once is replayed on the first call's input"
accept = ["incorrect", "cheating_suspected", "crashed"]
"""
import torch

graphs = {}


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    if x.shape not in graphs:
        honest(x)
        torch.cuda.synchronize()
        graph, still = torch.cuda.CUDAGraph(), x.clone()
        with torch.cuda.graph(graph):
            y = honest(still)
        graphs[x.shape] = graph, y
    graph, y = graphs[x.shape]
    graph.replay()
    return y
