import torch


def make(key, dims):
    g = torch.Generator().manual_seed(key)
    rows, columns, entries = dims["R"], dims["C"], dims["E"]
    row = torch.randint(rows, (entries,), generator=g).sort().values  # some rows are long, some are empty
    start = torch.searchsorted(row, torch.arange(rows + 1))
    column = torch.randint(columns, (entries,), generator=g)
    return start, column, torch.randn(entries, generator=g), torch.randn(columns, generator=g)
