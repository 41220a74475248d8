"""redteam
trick = "a graph of its own, replayed on a copy of the input"
accept = ["correct", "noisy"]
control = true
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
        graphs[x.shape] = graph, still, y
    graph, still, y = graphs[x.shape]
    still.copy_(x)
    graph.replay()
    return y.clone()
