#!/usr/bin/env python3
"""What a small job costs the daemon, and what the daemon costs at rest.

Starts the sink beside this script and waybilld from a build folder, measures the daemon at rest, drops files by rename and reads the
daemon's CPU time (user and system, from /proc) until all are registered.

  Benchmarks/daemon.py BUILD [--files 5000] [--size 4096] [--rest 10]
"""
import argparse, glob, json, os, re, shutil, signal, subprocess, sys, tempfile, time

BUDGET = {"cpu per job, us": 300, "resident at rest, MiB": 48, "anonymous at rest, MiB": 10, "cpu at rest, ms per 10 s": 10}


def cpu(pid):
    """Seconds of CPU so far, threads that have ended included: utime and stime of /proc/PID/stat, in ticks of 10 ms."""
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def switches(pid):
    """How often its threads have gone to sleep and been woken."""
    return sum(
        int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", open(path).read(), re.M).group(1))
        for path in glob.glob(f"/proc/{pid}/task/*/status"))


def memory(pid):
    status = open(f"/proc/{pid}/status").read()
    value = lambda name: int(re.search(rf"^{name}:\s+(\d+)", status, re.M).group(1)) / 1024
    return value("VmRSS"), value("RssAnon")


def until(what, condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"gave up waiting: {what}")
        time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--rest", type=float, default=10)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="waybill-bench-")
    started = []
    try:
        measure(options, folder, started)
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        shutil.rmtree(folder)


def measure(options, folder, started):
    for name in ("spool", "state", "drop"):
        os.mkdir(f"{folder}/{name}")
    for name, key in (("access", "BENCHKEY"), ("secret", "benchsecret")):
        with open(f"{folder}/{name}", "w") as file:
            file.write(key + "\n")
    sink = subprocess.Popen(
        [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sink.py")],
        stdout=subprocess.PIPE, text=True)
    started.append(sink)
    endpoint = sink.stdout.readline().strip()
    with open(f"{folder}/waybill.toml", "w") as file:
        file.write(f"""
[daemon]
state = "{folder}/state"
control = "{folder}/control.sock"
[storage.main]
endpoint = "{endpoint}"
region = "us-east-1"
bucket = "documents"
access_key = {{ file = "{folder}/access" }}
secret_key = {{ file = "{folder}/secret" }}
[backend.main]
url = "{endpoint}/register"
[[spool]]
name = "documents"
path = "{folder}/spool"
""")
    log = open(f"{folder}/daemon.log", "w")
    daemon = subprocess.Popen([f"{options.build}/waybilld", "--config", f"{folder}/waybill.toml"], stderr=log)
    started.append(daemon)

    def status():
        try:
            answer = subprocess.run(
                ["curl", "-s", "--unix-socket", f"{folder}/control.sock", "http://localhost/v1/status"],
                capture_output=True, text=True).stdout
            return json.loads(answer)
        except json.JSONDecodeError:
            return None

    until("the daemon answers", status, 20)
    time.sleep(2)
    before = cpu(daemon.pid)
    time.sleep(options.rest)
    at_rest = (cpu(daemon.pid) - before) * 1000 / options.rest * 10
    resident, anonymous = memory(daemon.pid)

    content = os.urandom(options.size)
    for number in range(options.files):
        with open(f"{folder}/drop/{number}", "wb") as file:
            file.write(content)
    before, sleeps, begin = cpu(daemon.pid), switches(daemon.pid), time.monotonic()
    for number in range(options.files):
        os.rename(f"{folder}/drop/{number}", f"{folder}/spool/{number}")
    until("all are registered", lambda: status()["counts"]["registered"] == options.files)
    wall = time.monotonic() - begin
    until("all are disposed of", lambda: len(os.listdir(f"{folder}/spool/.waybill")) <= 1)
    per_job = (cpu(daemon.pid) - before) * 1e6 / options.files
    sleeps = (switches(daemon.pid) - sleeps) / options.files
    peak, anonymous_after = memory(daemon.pid)

    figures = {"cpu per job, us": per_job, "resident at rest, MiB": resident, "anonymous at rest, MiB": anonymous,
               "cpu at rest, ms per 10 s": at_rest}
    print(f"{options.files} files of {options.size} bytes, 32 in flight: {options.files / wall:,.0f} jobs/s, "
          f"{sleeps:.1f} wake-ups a job, {peak:.1f} MiB resident and {anonymous_after:.1f} MiB anonymous afterwards")
    worst = 0
    for name, value in figures.items():
        verdict = "ok" if value <= BUDGET[name] else "OVER"
        worst |= verdict != "ok"
        print(f"{name:28} {value:10.1f}   budget {BUDGET[name]:6}   {verdict}")
    sys.exit(1 if worst else 0)


main()
