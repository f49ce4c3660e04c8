#!/usr/bin/env python3
"""Whether the daemon stays as it is: an hour of work, with memory, descriptors and threads looked at all along.

Files drop in at a steady rate. Every few minutes, in turn: the backend refuses everything for a while and the questions are
confirmed in bulk, the configuration is read again, readers of events come and go, and jobs older than a minute leave the
history. A flood of files first, and the first sixth of the time, are warming up: SQLite's caches and the pools of threads are full
only then. After it the figures have to stay flat: a line through the samples of each may rise
by no more than its allowance over the whole run.

  Benchmarks/soak.py BUILD [--minutes 60] [--rate 50] [--size 4096] [--flood 50000]
"""
import argparse, os, re, signal, socket, subprocess, sys, threading, time

from rig import rig, until

ALLOWANCE = {"resident, MiB": 4, "anonymous, MiB": 4, "descriptors": 2, "threads": 2}


def sample(pid):
    status = open(f"/proc/{pid}/status").read()
    value = lambda name: int(re.search(rf"^{name}:\s+(\d+)", status, re.M).group(1))
    return {"resident, MiB": value("VmRSS") / 1024, "anonymous, MiB": value("RssAnon") / 1024,
            "descriptors": len(os.listdir(f"/proc/{pid}/fd")), "threads": value("Threads")}


def rise(times, values):
    """How much the line of least squares through the values rises from the first time to the last."""
    mean_time, mean = sum(times) / len(times), sum(values) / len(values)
    spread = sum((t - mean_time) ** 2 for t in times)
    slope = sum((t - mean_time) * (v - mean) for t, v in zip(times, values)) / spread
    return slope * (times[-1] - times[0])


class Soak:
    def __init__(self, far, options):
        self.far, self.options, self.dropped, self.over = far, options, 0, threading.Event()

    def drop_all_along(self):
        content = os.urandom(self.options.size)
        begin = time.monotonic()
        while not self.over.is_set():
            due = int((time.monotonic() - begin) * self.options.rate)
            while self.dropped < due:
                name = f"soak-{self.dropped}"
                with open(f"{self.far.folder}/drop/{name}", "wb") as file:
                    file.write(content)
                os.rename(f"{self.far.folder}/drop/{name}", f"{self.far.folder}/spool/{name}")
                self.dropped += 1
            self.over.wait(0.05)

    def flood(self, files):
        self.far.prepare(files, self.options.size)
        self.far.drop(files)
        until("the flood is over", lambda: not os.listdir(f"{self.far.folder}/spool/.waybill")[1:]
              and len(os.listdir(f"{self.far.folder}/spool")) == 1, 600)

    def post(self, path, body):
        return self.far.call("--unix-socket", self.far.socket, "-H", "Content-Type: application/json", "-d", body,
                             f"http://localhost/v1/{path}")

    def refuse(self):
        self.far.far_side("refuse")
        self.over.wait(10)
        self.far.far_side("accept")
        self.post("jobs/confirm", '{"all":true}')

    def reload(self):
        self.far.daemon.send_signal(signal.SIGHUP)

    def readers(self):
        for _ in range(20):
            with socket.socket(socket.AF_UNIX) as reader:
                reader.connect(self.far.socket)
                reader.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                reader.recv(4096)

    def run(self):
        pid = self.far.daemon.pid
        self.flood(self.options.flood)
        dropper = threading.Thread(target=self.drop_all_along)
        dropper.start()
        end = time.monotonic() + self.options.minutes * 60
        warm = time.monotonic() + self.options.minutes * 10
        disturbances, turn, samples = [self.refuse, self.reload, self.readers], 0, []
        next_turn = time.monotonic() + 20
        while time.monotonic() < end:
            if time.monotonic() >= next_turn:
                disturbances[turn % 3]()
                turn, next_turn = turn + 1, time.monotonic() + 40
            time.sleep(5)
            if time.monotonic() > warm:
                samples.append((time.monotonic(), sample(pid)))
        self.over.set()
        dropper.join()
        self.post("jobs/confirm", '{"all":true}')
        until("nothing is open", lambda: not any(
            count for state, count in self.far.status()["counts"].items() if state not in ("registered", "discarded")))
        return samples, turn


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=50, help="files a second")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--flood", type=int, default=50_000, help="files at first")
    options = parser.parse_args()
    with rig(options.build, daemon='history = "1min"') as far:
        soak = Soak(far, options)
        samples, disturbances = soak.run()
        kept = far.status()["counts"]["registered"]
    times = [when for when, _ in samples]
    print(f"{options.minutes:g} min, {soak.dropped} files, {disturbances} disturbances, {len(samples)} samples, "
          f"{kept} jobs still in the history")
    worst = 0
    for name, allowed in ALLOWANCE.items():
        values = [values[name] for _, values in samples]
        grown = rise(times, values)
        verdict = "flat" if grown <= allowed else "RISES"
        worst |= verdict != "flat"
        print(f"{name:16} {min(values):8.1f} to {max(values):8.1f}, rises by {grown:6.2f} of {allowed}   {verdict}")
    sys.exit(worst)


main()
