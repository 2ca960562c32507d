"""Deals the units of a campaign to workers that may be lost, and keeps their records.

What a worker is, and where it runs, is the business of a `Cluster`: `wavelane.ray` has one, and the tests have one that loses
workers on purpose. The plan, the resumption and the report are those of the command `wavelane`.

Guaranteed: every unit gets a record, whichever workers are lost, and records do not say who made them. A batch whose worker is
lost is dealt again; after the second loss it is halved until one unit is left, which has crashed if it is lost twice again.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = [
    "Batch",
    "Cluster",
    "Dealer",
    "Done",
    "Event",
    "Ledger",
    "Lost",
    "Plan",
    "Problem",
    "Process",
    "Ready",
]

#: The command of this wheel, on any machine that has it.
COMMAND = [sys.executable, "-m", "wavelane"]
#: A batch lasts about so many seconds: long beside the cost of sending it, short beside the loss of it.
BATCH = 0.25
#: So many seconds of a batch for each worker, so that one driver keeps up with the answers of all.
BATCH_PER_WORKER = 0.008
#: The largest batch, in units.
LARGEST = 4096
#: The records that a driver that is killed loses are those of so many seconds.
SYNC = 0.25
#: So many workers may be lost one after the other before any is ready; then something is wrong with all of them.
STILLBORN = 16
#: The most units that are read ahead for workers of another kind.
AHEAD = 100_000


class Problem(Exception):
    """What ends a campaign: a mistake in what was asked, said as the command says it."""


@dataclass
class Batch:
    """Requests that go to one worker together."""

    requests: list[dict[str, Any]]
    #: How many workers were lost with it.
    losses: int = 0


@dataclass(frozen=True)
class Ready:
    """A worker has started."""

    worker: Any


@dataclass(frozen=True)
class Done:
    """A worker has answered a batch: an answer for each request."""

    worker: Any
    answers: Sequence[Mapping[str, Any]]
    #: How long the worker took, in seconds.
    seconds: float


@dataclass(frozen=True)
class Lost:
    """A worker is gone, with the batch that it had."""

    worker: Any
    why: str = ""


Event = Ready | Done | Lost


class Cluster(Protocol):
    """Where workers run. A kind of worker is a device label, or None for any place."""

    def start(self, kind: str | None) -> Any:
        """Starts a worker; an event says when it is ready."""

    def send(self, worker: Any, requests: list[dict[str, Any]]) -> None:
        """Sends a batch to a worker that has none."""

    def wait(self) -> list[Event]:
        """What has happened since, at least one event."""


class Process:
    """A `wavelane worker` that is kept: the next batch finds it warm. It outlives the units that end their process."""

    def __init__(self, command: Sequence[str] = COMMAND, folder: str | None = None) -> None:
        # Paths of tests are relative to the driver's folder, where this machine has it.
        folder = folder if folder is not None and os.path.isdir(folder) else None
        self._child = subprocess.Popen(
            # `--worker`: it ends with this process, even in the middle of a unit.
            [*command, "worker", "--supervise", "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )

    def run(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The answers to requests; raises `EOFError` if the process ends."""
        answers = []
        for request in requests:
            try:
                self._child.stdin.write(json.dumps(request).encode() + b"\n")
                self._child.stdin.flush()
            except OSError as error:
                raise EOFError("the worker's process ended") from error
            line = self._child.stdout.readline()
            if not line.endswith(b"\n"):
                raise EOFError("the worker's process ended")
            answers.append(json.loads(line))
        return answers

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        self._child.stdout.close()
        # What was left to write has no reader.
        with contextlib.suppress(OSError):
            self._child.stdin.close()


class Plan:
    """The units that are left, as `wavelane campaign … --list` numbers them; the command reads the plan and the ledger."""

    def __init__(self, words: Sequence[str], ledger: str, command: Sequence[str] = COMMAND) -> None:
        self._words = [*command, "campaign", *words, "--ledger", ledger]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with subprocess.Popen([*self._words, "--list"], stdout=subprocess.PIPE) as listing:
            for line in listing.stdout:
                yield json.loads(line)
        if listing.returncode != 0:
            # The command has said why.
            raise SystemExit(listing.returncode)

    def count(self) -> int:
        return sum(1 for _ in self)

    def report(self) -> int:
        """Has the command write the report over the ledger, which is whole by now; returns its exit status."""
        return subprocess.run(self._words, check=False).returncode


def _locked(file: Any) -> bool:
    """Whether a file is now locked for this process alone, as `wavelane campaign` does it."""
    try:
        import fcntl
    except ImportError:
        # Portability: Python has no such lock on Windows.
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks.
        return True
    return True


class Ledger:
    """The file of records: appended to, and synced every now and then."""

    def __init__(self, path: str) -> None:
        try:
            self._file = open(path, "a+b")
        except OSError as error:
            raise Problem(f"`{path}` cannot be written: {error.strerror}") from error
        if not _locked(self._file):
            self._file.close()
            raise Problem(
                f"`{path}` is in use by another campaign\n"
                "  = help: wait for it, or give each campaign a separate ledger (`--ledger FILE`) "
                "and join them with `wavelane merge`"
            )
        self._cut()
        self._synced = time.monotonic()

    def _cut(self) -> None:
        """Cuts off a last line that a kill has torn: it would tear the next one as well."""
        end = self._file.seek(0, os.SEEK_END)
        at, tail = end, b""
        while at > 0 and b"\n" not in tail:
            size = min(at, 1 << 16)
            at = self._file.seek(at - size)
            tail = self._file.read(size) + tail
        whole = at + tail.rfind(b"\n") + 1
        if whole < end:
            self._file.truncate(whole)

    def write(self, records: Sequence[Mapping[str, Any]]) -> None:
        lines = (json.dumps(it, ensure_ascii=False, separators=(",", ":")) + "\n" for it in records)
        self._file.write("".join(lines).encode())
        # In one piece, so that a kill tears at most the last line.
        self._file.flush()
        if time.monotonic() - self._synced > SYNC:
            self.sync()

    def sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        self.sync()
        self._file.close()


def crashed(request: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a unit with which workers are lost, even alone."""
    return {
        "unit": request["unit"],
        "outcome": "crash",
        "signature": "its process ended",
        "detail": "its worker was lost twice",
    }


@dataclass
class _Kind:
    """The units for one kind of worker, and its workers."""

    label: str | None
    #: How many workers there are, once there is a unit for them.
    workers: int
    is_started: bool = False
    units: deque[dict[str, Any]] = field(default_factory=deque)
    #: What is dealt before anything else: batches that were lost, and failures to be reduced.
    again: deque[Batch] = field(default_factory=deque)
    idle: deque[Any] = field(default_factory=deque)
    #: Seconds a unit, as far as is known.
    pace: float = 0.05


class Dealer:
    """Deals units to `workers[label]` workers for each device label; `label_of` has the engines that need one."""

    def __init__(
        self,
        cluster: Cluster,
        ledger: Ledger,
        workers: Mapping[str | None, int],
        label_of: Mapping[str, str] | None = None,
    ) -> None:
        self._cluster, self._ledger = cluster, ledger
        self._label_of = dict(label_of or {})
        self._kinds = {label: _Kind(label, count) for label, count in workers.items()}
        self._workers = sum(workers.values())
        self._of: dict[Any, _Kind] = {}
        self._busy: dict[Any, Batch] = {}
        #: Workers that were lost before they were ready, since one was.
        self._stillborn = 0
        #: The units that have records now, those of them that failed, and the workers that were lost.
        self.done = self.failed = self.lost = 0

    def run(
        self, units: Iterable[dict[str, Any]], progress: Callable[[Dealer], None] = lambda _: None
    ) -> None:
        """Has all units run."""
        source = iter(units)
        while True:
            while any(self._deal(kind, source) for kind in self._kinds.values()):
                pass
            # What is with workers may come back, or become a reduction.
            if not self._busy and not any(it.units or it.again for it in self._kinds.values()):
                if self._fill(source):
                    continue
                return
            for event in self._cluster.wait():
                self._take(event)
            progress(self)

    def _deal(self, kind: _Kind, source: Iterator[dict[str, Any]]) -> bool:
        """Sends a batch to an idle worker, if there are both."""
        batch = self._next(kind, source) if kind.idle else None
        if batch is None:
            return False
        worker = kind.idle.popleft()
        self._busy[worker] = batch
        self._cluster.send(worker, batch.requests)
        return True

    def _start(self, kind: _Kind) -> None:
        self._of[self._cluster.start(kind.label)] = kind

    def _fill(self, source: Iterator[dict[str, Any]]) -> bool:
        """Takes one unit from the source; False if there is none."""
        request = next(source, None)
        if request is None:
            return False
        engine = request["unit"].rpartition(" engine=")[2]
        kind = self._kinds[self._label_of.get(engine)]
        # A failure is reduced as a separate piece of work, by any worker that is idle.
        kind.units.append({**request, "later": True})
        if not kind.is_started:
            kind.is_started = True
            for _ in range(kind.workers):
                self._start(kind)
        return True

    def _next(self, kind: _Kind, source: Iterator[dict[str, Any]]) -> Batch | None:
        if kind.again:
            return kind.again.popleft()
        seconds = max(BATCH, BATCH_PER_WORKER * self._workers)
        size = max(1, min(LARGEST, int(seconds / max(kind.pace, 1e-6))))
        while len(kind.units) < size and sum(len(it.units) for it in self._kinds.values()) < AHEAD:
            if not self._fill(source):
                # The last units are shared out.
                size = max(1, min(size, len(kind.units) // kind.workers))
                break
        requests = [kind.units.popleft() for _ in range(min(size, len(kind.units)))]
        return Batch(requests) if requests else None

    def _take(self, event: Event) -> None:
        if isinstance(event, Ready):
            self._stillborn = 0
            self._of[event.worker].idle.append(event.worker)
        elif isinstance(event, Done):
            kind = self._of[event.worker]
            self._answered(self._busy.pop(event.worker), event, kind)
            kind.idle.append(event.worker)
        else:
            self._gone(event)

    def _gone(self, event: Lost) -> None:
        self.lost += 1
        kind = self._of.pop(event.worker)
        batch = self._busy.pop(event.worker, None)
        if batch is not None:
            self._again(batch, kind)
        elif event.worker in kind.idle:
            kind.idle.remove(event.worker)
        else:
            self._stillborn += 1
            if self._stillborn > STILLBORN:
                raise Problem(f"no worker starts: {event.why}")
        self._start(kind)

    def _answered(self, batch: Batch, event: Done, kind: _Kind) -> None:
        records: list[Mapping[str, Any]] = []
        for request, answer in zip(batch.requests, event.answers, strict=True):
            if "problem" in answer:
                raise Problem(answer["problem"])
            # The record of a failure comes once more with that of its reduction.
            is_left = answer.get("left", False)
            if is_left:
                kind.again.append(Batch([{it: request[it] for it in request if it != "later"}]))
            else:
                self.done += 1
                self.failed += answer["records"][0]["outcome"] not in ("agrees", "not run")
                records.extend(answer["records"])
        self._ledger.write(records)
        pace = event.seconds / len(batch.requests)
        # Reductions take longer than units, and say nothing about them.
        if all("later" in it for it in batch.requests):
            kind.pace += 0.3 * (pace - kind.pace)

    def _again(self, batch: Batch, kind: _Kind) -> None:
        batch.losses += 1
        count = len(batch.requests)
        if batch.losses < 2:
            kind.again.append(batch)
        elif count == 1:
            self._ledger.write([crashed(batch.requests[0])])
            self.done += 1
            self.failed += 1
        else:
            # One loss of a half is enough to halve it again; a unit alone has to be lost twice.
            halves = batch.requests[: count // 2], batch.requests[count // 2 :]
            kind.again.extend(Batch(it, losses=1 if len(it) > 1 else 0) for it in halves)
