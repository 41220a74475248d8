"""What a candidate captures into graphs, for the profile of its calls: a replay shows no operator of them.

For a process whose calls are profiled alone: methods that every capture by PyTorch goes through are wrapped there. Who captures by CUDA's own
interface is not seen.
"""
import time

import driver

MOST = 64  # captures that are looked into; of later ones nothing is told


class Captures:
    """Operators that were dispatched while a graph was captured, and which graphs were replayed since `lines` was asked last."""

    def __init__(self, graph, profiling):
        """`graph`: the class whose captures are watched; `profiling`: whether a profiler is at work, which sees the operators itself."""
        self.profilers = driver.profilers(MOST)  # made before the candidate can put others in their place
        self.profiling, self.at_work, self.held, self.replayed = profiling, {}, {}, {}
        begin, end, replay, captures = graph.capture_begin, graph.capture_end, graph.replay, self

        def capture_begin(self, *arguments, **named):
            begin(self, *arguments, **named)
            captures.begun(id(self))

        def capture_end(self):
            captures.ended(id(self))
            end(self)

        def replayed(self):
            captures.replayed[id(self)] = None
            replay(self)

        graph.capture_begin, graph.capture_end, graph.replay = capture_begin, capture_end, replayed

    def begun(self, graph, now=time.perf_counter_ns):
        self.held.pop(graph, None)  # of another that lay there
        if self.profilers and not self.profiling():
            profiler = self.profilers.pop()
            profiler.__enter__()
            self.at_work[graph] = profiler, now()

    def ended(self, graph, now=time.perf_counter_ns):
        profiler, start = self.at_work.pop(graph, (None, 0))
        if profiler:
            took = now() - start
            profiler.__exit__(None, None, None)
            self.held[graph] = took, list(profiler.function_events)

    def lines(self):
        """For driver.OBSERVERS: "captured US", how long the captures took, then "within US NAME CALLER" as of a call."""
        held = [self.held[graph] for graph in self.replayed if graph in self.held]
        self.replayed = {}
        if not held:
            return []
        took = sum(took for took, _ in held)
        return [f"captured {took / 1e3:.3f}"] + driver.callers([e for _, events in held for e in events], "within")


def warm_up(observers):
    """Nothing beforehand: a process that is profiled says so itself (cuda_device.Device.watch_captures)."""
