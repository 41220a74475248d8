import torch


def reference(x, scale):
    return (x * scale[:, None]).clamp(-448, 448).to(torch.float8_e4m3fn)
