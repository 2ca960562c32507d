"""What dealing a campaign costs one driver, without any cluster: seconds a unit and a batch. `python measure_campaign.py [WORKERS]`."""

import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from wavelane._deal import Dealer, Done, Ledger, Ready

UNITS, PACE = 400_000, 0.003


class Instant:
    """Workers that answer at once."""

    def __init__(self):
        self.events, self.count, self.batches = deque(), 0, 0

    def start(self, kind):
        self.count += 1
        self.events.append(Ready(self.count))
        return self.count

    def send(self, worker, requests):
        self.batches += 1
        digest = "2e94cd1bc6342bfad7169989c12e5d06"
        answers = [{"records": [{"unit": it["unit"], "outcome": "agrees", "digest": digest}]} for it in requests]
        self.events.append(Done(worker, answers, PACE * len(requests)))

    def wait(self):
        return [self.events.popleft()]


def main():
    workers = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    units = ({"unit": f"fuzz 1/{it} @w32 engine=cpu", "attempts": 300, "timeout": 300} for it in range(UNITS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.jsonl"
        ledger, cluster = Ledger(str(path)), Instant()
        begin = time.process_time()
        Dealer(cluster, ledger, {None: workers}).run(units)
        spent = time.process_time() - begin
        ledger.close()
        size = path.stat().st_size
    print(f"{spent / UNITS * 1e6:.1f} µs a unit, {spent / cluster.batches * 1e3:.2f} ms a batch of {UNITS / cluster.batches:.0f}")
    print(f"{size / UNITS:.0f} bytes a record")


if __name__ == "__main__":
    main()
