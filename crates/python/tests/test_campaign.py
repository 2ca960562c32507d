"""Campaigns dealt to workers that are lost: without Ray on a cluster that loses workers on purpose, and on Ray where it is."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter, deque
from pathlib import Path

from wavelane._deal import COMMAND, Dealer, Done, Ledger, Lost, Plan, Problem, Process, Ready

try:
    import ray
except ImportError:
    ray = None

PLAN = """fuzz = 8
seed = 3
widths = [8, 32]
orders = ["waves=descending"]
engines = ["interp", "cpu"]
"""


class Fake:
    """Workers in this process that answer one after the other; `is_lost(worker, units)` loses one instead."""

    def __init__(self, answer, is_lost=lambda worker, units: False):
        self.answer, self.is_lost = answer, is_lost
        self.events, self.count, self.batches, self.kinds = deque(), 0, [], Counter()

    def start(self, kind):
        self.count += 1
        self.kinds[kind] += 1
        self.events.append(Ready(self.count))
        return self.count

    def send(self, worker, requests):
        units = [it["unit"] for it in requests]
        self.batches.append(units)
        if self.is_lost(worker, units):
            self.events.append(Lost(worker, "on purpose"))
        else:
            self.events.append(Done(worker, [self.answer(it) for it in requests], 0.01 * len(requests)))

    def wait(self):
        return [self.events.popleft()]


def plain(request):
    return {"records": [{"unit": request["unit"], "outcome": "agrees"}]}


def requests(count, engine="cpu"):
    return [{"unit": f"fuzz 1/{it} @w8 engine={engine}", "attempts": 5} for it in range(count)]


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def dealt(self, units, cluster, workers=None, **options):
        """The records of a campaign, and its dealer."""
        path = self.folder / "ledger.jsonl"
        ledger = Ledger(str(path))
        dealer = Dealer(cluster, ledger, workers or {None: 2}, **options)
        try:
            dealer.run(units)
        finally:
            ledger.close()
        return [json.loads(it) for it in path.read_text().splitlines()], dealer


class Dealing(Folder):
    def test_each_unit_is_dealt_once_and_batches_grow(self):
        cluster = Fake(plain)
        records, dealer = self.dealt(requests(500), cluster)
        self.assertEqual(sorted(it["unit"] for it in records), sorted(it["unit"] for it in requests(500)))
        self.assertEqual((dealer.done, dealer.failed, dealer.lost), (500, 0, 0))
        # A unit takes a hundredth of a second.
        self.assertGreater(max(map(len, cluster.batches)), 10)
        self.assertEqual(len(cluster.batches[-1]), 1)

    def test_a_batch_whose_worker_is_lost_is_dealt_again(self):
        lost = []

        def is_lost(worker, units):
            if len(lost) < 3 and len(units) > 1:
                lost.append(worker)
            return worker in lost

        records, dealer = self.dealt(requests(200), Fake(plain, is_lost))
        self.assertEqual(Counter(it["outcome"] for it in records), {"agrees": 200})
        self.assertEqual(dealer.lost, 3)

    def test_a_unit_that_loses_its_workers_is_found_and_has_crashed(self):
        bad = requests(300)[77]["unit"]
        cluster = Fake(plain, lambda worker, units: bad in units)
        records, dealer = self.dealt(requests(300), cluster)
        self.assertEqual(len(records), 300)
        crashes = [it for it in records if it["outcome"] == "crash"]
        self.assertEqual([it["unit"] for it in crashes], [bad])
        self.assertEqual(crashes[0]["signature"], "its process ended")
        # It is accused only if two workers were lost with it alone, and found by halving.
        self.assertEqual(sum(it == [bad] for it in cluster.batches), 2)
        self.assertLess(dealer.lost, 12)

    def test_failures_are_reduced_as_work_of_their_own(self):
        def answer(request):
            unit = request["unit"]
            failure = {"unit": unit, "outcome": "miscompiles"}
            if not unit.startswith("fuzz 1/7 "):
                return plain(request)
            if request.get("later"):
                return {"records": [failure], "left": True}
            return {"records": [failure, {"unit": f"reduce {unit}", "outcome": "miscompiles"}]}

        records, dealer = self.dealt(requests(100), cluster := Fake(answer))
        self.assertEqual(len(records), 101)
        self.assertEqual((dealer.done, dealer.failed), (100, 1))
        self.assertIn(["fuzz 1/7 @w8 engine=cpu"], cluster.batches)

    @unittest.skipIf(sys.platform == "win32", "Python has no locks there")
    def test_a_ledger_belongs_to_one_campaign_at_a_time(self):
        path = str(self.folder / "ledger.jsonl")
        ledger = Ledger(path)
        with self.assertRaisesRegex(Problem, "in use by another campaign"):
            Ledger(path)
        ledger.close()
        Ledger(path).close()

    def test_units_go_to_the_machines_that_their_engines_need(self):
        units = [it for pair in zip(requests(50), requests(50, "vulkan:big")) for it in pair]
        cluster = Fake(plain)
        workers = {None: 2, "vk_big": 1, "vk_other": 4}
        records, _ = self.dealt(units, cluster, workers, label_of={"vulkan:big": "vk_big", "vulkan:x": "vk_other"})
        self.assertEqual(len(records), 100)
        # No worker is started for a device that no unit needs.
        self.assertEqual(cluster.kinds, {None: 2, "vk_big": 1})
        for batch in cluster.batches:
            self.assertEqual(len({it.rpartition("=")[2] for it in batch}), 1)

    def test_mistakes_and_workers_that_never_start_end_the_campaign(self):
        with self.assertRaises(Problem) as caught:
            self.dealt(requests(5), Fake(lambda request: {"problem": "there is no test `x`"}))
        self.assertIn("no test `x`", str(caught.exception))

        class Stillborn(Fake):
            def start(self, kind):
                self.count += 1
                self.events.append(Lost(self.count, "no module named wavelane"))
                return self.count

        with self.assertRaises(Problem) as caught:
            self.dealt(requests(5), Stillborn(plain))
        self.assertIn("no worker starts: no module named wavelane", str(caught.exception))

    def test_a_torn_line_is_cut_off(self):
        path = self.folder / "torn.jsonl"
        for text, whole in [("", ""), ("a\nb", "a\n"), ("abc", ""), ("a\n", "a\n"), ("a\n" + "b" * 200_000, "a\n")]:
            path.write_text(text)
            Ledger(str(path)).close()
            self.assertEqual(path.read_text(), whole)


class WithTheCommand(Folder):
    def command(self, *words):
        return subprocess.run([*COMMAND, *words], cwd=self.folder, capture_output=True, check=False)

    def test_a_supervised_worker_outlives_its_units_and_reduces_later(self):
        process = Process()
        self.addCleanup(process.end)
        request = {"unit": "fuzz 3/1 @w8 engine=cpu", "attempts": 10, "timeout": 60, "model": [6, 7], "later": True}
        first, second = process.run([request, request])
        self.assertEqual(first["records"], second["records"])
        self.assertEqual(first["records"][0]["outcome"], "agrees")
        self.assertNotIn("left", first)
        (mistake,) = process.run([{**request, "unit": "test nowhere.hlsl @w8 engine=cpu"}])
        self.assertIn("nowhere.hlsl", mistake["problem"])

    def test_processes_that_are_killed_leave_the_report_of_one_process(self):
        (self.folder / "plan.toml").write_text(PLAN)
        whole = self.command("campaign", "plan.toml", "--ledger", "one.jsonl", "-j", "1", "--format", "json")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        processes, killed = {}, []

        def is_lost(worker, units):
            # Every third batch finds its worker killed.
            if len(cluster.batches) % 3 == 0:
                processes[worker]._child.send_signal(signal.SIGKILL)
                processes[worker]._child.wait()
                killed.append(worker)
            try:
                answered = processes[worker].run([asked[it] for it in units])
            except EOFError:
                return True
            answers.update(zip(units, answered))
            return False

        class Real(Fake):
            def start(self, kind):
                worker = super().start(kind)
                processes[worker] = Process(folder=str(self_folder))
                return worker

        self_folder, answers = self.folder, {}
        words = [str(self.folder / "plan.toml")]
        plan = Plan(words, str(self.folder / "ledger.jsonl"))
        asked = {it["unit"]: {**it, "later": True} for it in plan}
        self.assertEqual(len(asked), plan.count())
        cluster = Real(lambda request: answers[request["unit"]], is_lost)
        try:
            # Ended in the middle, as a driver that is killed; then the rest is dealt.
            for limit in (20, None):
                left = list(plan)[:limit]
                self.dealt(left, cluster)
            self.assertEqual(plan.count(), 0)
        finally:
            for process in processes.values():
                process.end()
        self.assertGreater(len(killed), 2)
        merged = self.command("merge", "ledger.jsonl", "--format", "json")
        self.assertEqual((merged.returncode, merged.stdout), (0, whole.stdout))


@unittest.skipIf(ray is None, "Ray is not installed")
class WithRay(Folder):
    """A local cluster of two workers.

    Ray talks on the machine's own address, and nothing here needs one: `WAVELANE_RAY_PREFIX` may hold words that put the
    driver into a network of its own, such as those of `unshare`.
    """

    def driver(self, ledger, *words):
        prefix = os.environ.get("WAVELANE_RAY_PREFIX", "").split()
        line = [*prefix, sys.executable, "-m", "wavelane.ray", "campaign", "plan.toml", "--ledger", ledger, "--workers", "2"]
        # Ray leaves resources to the other programs of a machine; tests are not to wait for that.
        environment = {**os.environ, "RAY_worker_niceness": "0"}
        return subprocess.Popen([*line, *words], cwd=self.folder, stdout=subprocess.PIPE, env=environment)

    def lines(self, ledger):
        path = self.folder / ledger
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def until(self, count, ledger, driver):
        """Waits until the ledger has so many records, or the driver has ended."""
        while self.lines(ledger) < count and driver.poll() is None:
            time.sleep(0.02)

    def workers(self, driver):
        """The processes of `wavelane worker` below a driver."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                folder = os.readlink(entry / "cwd")
            except OSError:
                continue
            if b"--supervise" in words and Path(folder) == self.folder.resolve():
                found.append(int(entry.name))
        return found

    def test_two_workers_a_killed_worker_and_a_killed_driver_leave_the_same_report(self):
        (self.folder / "plan.toml").write_text(PLAN.replace("fuzz = 8", "fuzz = 80"))
        whole = subprocess.run(
            [*COMMAND, "campaign", "plan.toml", "--ledger", "one.jsonl", "-j", "1", "--format", "json"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            check=False,
        )
        wanted = hashlib.sha256(whole.stdout).hexdigest()

        def finished(driver):
            out, _ = driver.communicate()
            self.assertEqual(driver.returncode, whole.returncode)
            self.assertEqual(hashlib.sha256(out).hexdigest(), wanted)

        driver = self.driver("two.jsonl", "--format", "json")
        finished(driver)

        driver = self.driver("lost.jsonl", "--format", "json")
        self.until(1, "lost.jsonl", driver)
        killed = self.workers(driver)
        self.assertTrue(killed, "the campaign ended before a worker could be killed")
        # The actor is the parent of the worker.
        status = Path(f"/proc/{killed[0]}/status").read_text()
        os.kill(int(status.partition("PPid:")[2].split()[0]), signal.SIGKILL)
        finished(driver)

        driver = self.driver("resumed.jsonl", "--format", "json")
        self.until(1, "resumed.jsonl", driver)
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
        self.assertLess(self.lines("resumed.jsonl"), 640)
        finished(self.driver("resumed.jsonl", "--format", "json"))

    def test_devices_that_the_cluster_lacks_and_wrong_plans_are_told(self):
        (self.folder / "plan.toml").write_text("fuzz = 1\nwidths = [5]\n")
        driver = self.driver("wrong.jsonl")
        driver.communicate()
        self.assertEqual(driver.returncode, 2)


if __name__ == "__main__":
    unittest.main()
