"""One run of OpenEvolve: N iterations against an LLM server, programs that a hash scores. Prints the processor time per iteration in us.

    openevolve_run.py --llm URL [--iterations 500] [--parallel 8] [--preload 0]

For a Python that has OpenEvolve (0.4.0; tried with `pip install openevolve==0.4.0`). Full rewrites, its defaults otherwise, and room for all
programs, as our tree keeps all nodes. User and system time of the process and its pool from the start of its loop to the end of the pool: imports of
the main process and the preloading are left out, the workers' own start is in (`--iterations` spreads it).
"""

import argparse
import asyncio
import hashlib
import logging
import os
import random
import resource
import sys
import tempfile
from pathlib import Path

EVALUATOR = """
import hashlib

def evaluate(path):
    digest = hashlib.sha256(open(path, "rb").read()).digest()
    return {"combined_score": int.from_bytes(digest[:4], "big") / 2**32}
"""


def program(seed):
    """About 1.3 KB of Python that differs from every other seed's."""
    pick = random.Random(seed)
    return "\n".join(f"def f{i}(x):\n    return x * {pick.randrange(10**6)} + {pick.randrange(10**6)}" for i in range(24)) + "\n"


def spent():
    return sum(u.ru_utime + u.ru_stime for u in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))


async def measure(options, folder):
    from openevolve import OpenEvolve
    from openevolve.config import Config, LLMModelConfig
    from openevolve.database import Program

    (folder / "first.py").write_text(program(0))
    (folder / "evaluator.py").write_text(EVALUATOR)
    config = Config()
    config.diff_based_evolution = False
    config.log_level = "ERROR"
    config.max_iterations = options.iterations
    config.llm.api_base, config.llm.api_key = options.llm + "/v1", "none"
    config.llm.models = [LLMModelConfig(name="m", weight=1.0)]
    config.llm.update_model_params({"api_base": options.llm + "/v1", "api_key": "none", "timeout": 60, "retries": 1, "retry_delay": 1})
    config.evaluator.parallel_evaluations = options.parallel
    config.evaluator.cascade_evaluation = False
    config.database.population_size = 2 * (options.iterations + options.preload)
    engine = OpenEvolve(str(folder / "first.py"), str(folder / "evaluator.py"), config, output_dir=str(folder / "out"))
    logging.disable(logging.WARNING)
    for n in range(options.preload):
        code = program(n + 1)
        score = int.from_bytes(hashlib.sha256(code.encode()).digest()[:4], "big") / 2**32
        engine.database.add(Program(id=f"preloaded{n}", code=code, language="python", metrics={"combined_score": score}), target_island=n % 5)
    begun = spent()
    await engine.run(iterations=options.iterations)
    each = (spent() - begun) / options.iterations
    return each, sum(not name.startswith("preloaded") for name in engine.database.programs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llm", required=True)
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--preload", type=int, default=0)
    options = parser.parse_args()
    said = os.dup(1)
    os.dup2(2, 1)  # it prints on its own
    with tempfile.TemporaryDirectory() as folder:
        each, kept = asyncio.run(measure(options, Path(folder)))
    if kept < options.iterations // 5:  # its map of elites replaces some
        sys.exit(f"openevolve_run.py: only {kept} new programs at the end; do the answers of --llm hold a fenced program?")
    os.write(said, f"{each * 1e6:.0f}\n".encode())


if __name__ == "__main__":
    main()
