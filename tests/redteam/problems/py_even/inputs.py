import torch


def make(key, dims):
    g = torch.Generator().manual_seed(key)
    rows, columns, entries = dims["R"], dims["C"], dims["E"]
    start = torch.arange(rows + 1) * entries // rows
    column = torch.randint(columns, (entries,), generator=g)
    return start, column, torch.randn(entries, generator=g), torch.randn(columns, generator=g)
