"""Campaigns on a cluster of Ray: `python -m wavelane.ray campaign PLAN.toml --ledger FILE`.

Ray starts workers and says which of them are lost; which unit goes where is decided in `wavelane._deal`, and the plan, the
records and the report are those of `wavelane campaign`. Nothing else imports Ray, which the extra `wavelane[ray]` installs.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from . import __version__
from ._deal import Dealer, Done, Event, Ledger, Lost, Plan, Problem, Process, Ready

__all__ = ["RayCluster", "main"]

USAGE = """python -m wavelane.ray campaign [PLAN.toml|PATH…] [FLAGS of `wavelane campaign`]
           [--address A] [--workers N] [--resource ENGINE=LABEL]…"""


class _Slot:
    """An actor: one worker process, kept from batch to batch."""

    def __init__(self, folder: str) -> None:
        self._process = Process(folder=folder)

    def ready(self) -> str:
        return __version__

    def run(self, requests: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], float]:
        begin = time.monotonic()
        answers = self._process.run(requests)
        return answers, time.monotonic() - begin


class RayCluster:
    """Workers that are actors of Ray, one for each CPU, or for each unit of a resource."""

    def __init__(self, ray: Any, folder: str) -> None:
        self._ray, self._folder = ray, folder
        self._slot = ray.remote(_Slot)
        self._actors: dict[int, Any] = {}
        #: Which worker a call is for, and whether it has been sent a batch.
        self._calls: dict[Any, tuple[int, bool]] = {}
        self._next = 0

    def start(self, kind: str | None) -> int:
        # A worker for a device mostly waits for it.
        wanted = {"num_cpus": 1} if kind is None else {"num_cpus": 0, "resources": {kind: 1}}
        worker, self._next = self._next, self._next + 1
        actor = self._slot.options(max_restarts=0, **wanted).remote(self._folder)
        self._actors[worker] = actor
        self._calls[actor.ready.remote()] = (worker, False)
        return worker

    def send(self, worker: int, requests: list[dict[str, Any]]) -> None:
        self._calls[self._actors[worker].run.remote(requests)] = (worker, True)

    def wait(self) -> list[Event]:
        calls = list(self._calls)
        done, rest = self._ray.wait(calls, num_returns=1)
        # Whatever else has come is taken along.
        if rest:
            done += self._ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        return [self._event(call) for call in done]

    def _event(self, call: Any) -> Event:
        worker, is_batch = self._calls.pop(call)
        errors = self._ray.exceptions
        try:
            answer = self._ray.get(call)
        except errors.RayTaskError as error:
            if not isinstance(error.cause, EOFError):
                raise Problem(f"a worker failed: {error}") from error
            self._ray.kill(self._actors.pop(worker))
            return Lost(worker, str(error.cause))
        except errors.RayError as error:
            del self._actors[worker]
            return Lost(worker, str(error).strip())
        if is_batch:
            return Done(worker, *answer)
        if answer != __version__:
            raise Problem(
                f"a machine of the cluster has wavelane {answer}, and this one has {__version__}; "
                "install the same version on both"
            )
        return Ready(worker)


def _resources(given: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in given:
        engine, equals, label = text.partition("=")
        if not (engine and equals and label):
            raise Problem(f"`--resource {text}` is not ENGINE=LABEL, such as vulkan=vk_nvidia")
        pairs[engine] = label
    return pairs


def _workers(cluster: Mapping[str, float], labels: Sequence[str], most: int | None) -> dict[str | None, int]:
    """How many workers there are for each label, by what the cluster has."""
    counts: dict[str | None, int] = {None: max(1, int(cluster.get("CPU", 1)))}
    for label in labels:
        count = int(cluster.get(label, 0))
        if count < 1:
            raise Problem(
                f"no machine of the cluster has the resource `{label}`; "
                f"""start one with `ray start --resources='{{"{label}": 1}}'`"""
            )
        counts[label] = count
    return {label: min(count, most or count) for label, count in counts.items()}


class _Progress:
    """A line for a person who watches."""

    def __init__(self, plan: Plan) -> None:
        self._is_watched = sys.stderr.isatty()
        self._all = plan.count() if self._is_watched else 0
        self._begun = self._shown = time.monotonic()

    def __call__(self, dealer: Dealer) -> None:
        now = time.monotonic()
        if self._is_watched and dealer.done and now - self._shown > 0.25:
            self._shown = now
            left = (now - self._begun) * max(0, self._all - dealer.done) / dealer.done
            failed = f", {dealer.failed} failed" if dealer.failed else ""
            lost = f", {dealer.lost} workers lost" if dealer.lost else ""
            line = f"{dealer.done} of {self._all} units{failed}{lost}, about {left:.0f} s left"
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._is_watched:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def campaign(ray: Any, asked: argparse.Namespace, words: Sequence[str]) -> int:
    """Runs a campaign, and returns its exit status."""
    label_of = _resources(asked.resource)
    labels = sorted(set(label_of.values()))
    plan = Plan(words, asked.ledger)
    units = iter(plan)
    # A mistake in the plan is told before anything is started.
    first = next(units, None)
    if first is None:
        return plan.report()
    # Ray prints what happens to workers; standard output is for the report.
    with contextlib.redirect_stdout(sys.stderr):
        ledger = Ledger(asked.ledger)
        options: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False}
        if asked.address is not None:
            options = {"log_to_driver": False, "address": asked.address}
        elif asked.workers is not None:
            options["num_cpus"] = asked.workers
        if asked.address is None and labels:
            options["resources"] = dict.fromkeys(labels, 1)
        try:
            ray.init(**options)
        except (ConnectionError, ValueError) as error:
            raise Problem(f"Ray does not start: {error}") from error
        try:
            workers = _workers(ray.cluster_resources(), labels, asked.workers)
            dealer = Dealer(RayCluster(ray, os.getcwd()), ledger, workers, label_of)
            progress = _Progress(plan)
            try:
                dealer.run(_chained(first, units), progress)
            finally:
                progress.end()
        finally:
            ledger.close()
            ray.shutdown()
    return plan.report()


def _chained(first: dict[str, Any], rest: Any) -> Any:
    yield first
    yield from rest


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m wavelane.ray",
        usage=USAGE,
        description="Runs the units of a campaign on a cluster of Ray. Other flags are those of `wavelane campaign`.",
        allow_abbrev=False,
    )
    parser.add_argument("command", choices=["campaign"], help=argparse.SUPPRESS)
    parser.add_argument("--ledger", default="campaign.jsonl", help="the file of records; with it a campaign resumes (campaign.jsonl)")
    parser.add_argument("--address", help="the cluster: `auto`, or HOST:PORT; without it Ray is started on this machine")
    parser.add_argument("--workers", type=int, metavar="N", help="at most N workers of each kind; as many as there are CPUs or resources")
    parser.add_argument(
        "--resource",
        action="append",
        default=[],
        metavar="ENGINE=LABEL",
        help="run the units of this engine on machines that Ray knows to have the resource LABEL",
    )
    asked, words = parser.parse_known_args(arguments)
    if asked.workers is not None and asked.workers < 1:
        parser.error("`--workers` takes a number from 1 on")
    try:
        import ray
    except ImportError:
        print("error: Ray is not installed\n  = help: pip install 'wavelane[ray]'", file=sys.stderr)
        return 3
    try:
        return campaign(ray, asked, words)
    except Problem as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
