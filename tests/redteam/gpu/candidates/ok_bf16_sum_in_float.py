"""redteam
trick = "honest: numbers of sixteen bits, summed in 32"
entries = ["D1", "D2"]
accept = ["correct"]
control = true
problem = "bf16_rows"
"""


def kernel(x):
    return x.float().sum(1).to(x.dtype)
