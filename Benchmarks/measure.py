"""What processes cost, from /proc and wait4(2)."""
import calendar, glob, os, re, subprocess, threading, time

TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Seconds of CPU so far, user and system, threads that have ended included."""
    total = 0
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
        total = (int(fields[11]) + int(fields[12])) / TICK
    return total


class Steal:
    """What part of the processors' time the host of a virtual machine took for others while this was entered (proc_stat(5))."""

    @staticmethod
    def look():
        with open("/proc/stat") as file:
            return [int(ticks) for ticks in file.readline().split()[1:9]]

    def __enter__(self):
        self.before = self.look()
        return self

    def __exit__(self, *_):
        spent = [now - before for now, before in zip(self.look(), self.before)]
        self.part = spent[7] / max(1, sum(spent))


def switches(pid):
    """How often each of its threads has gone to sleep and been woken."""
    return {thread: status(f"{pid}/task/{thread}", "voluntary_ctxt_switches")
            for thread in map(os.path.basename, glob.glob(f"/proc/{pid}/task/*"))}


def woken(before, after):
    """How often threads were woken between two looks; what ended between them is not counted."""
    return sum(count - before.get(thread, 0) for thread, count in after.items())


def status(process, name):
    with open(f"/proc/{process}/status") as file:
        return int(re.search(rf"^{name}:\s+(\d+)", file.read(), re.M).group(1))


def resident(pid):
    return status(pid, "VmRSS") / 1024


def anonymous(pid):
    return status(pid, "RssAnon") / 1024


class Peak:
    """The most memory of a running process while this is entered, in MiB."""

    def __init__(self, pid):
        self.pid, self.anonymous, self.over = pid, 0, threading.Event()

    def look(self):
        while not self.over.wait(0.05):
            self.anonymous = max(self.anonymous, anonymous(self.pid))

    def __enter__(self):
        with open(f"/proc/{self.pid}/clear_refs", "w") as file:
            file.write("5")  # resets VmHWM, proc(5)
        self.anonymous = anonymous(self.pid)
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.resident = status(self.pid, "VmHWM") / 1024


def run(words, environment=None):
    """Runs a client to its end: seconds, seconds of CPU, peak MiB; with those of its children."""
    begin = time.monotonic()
    child = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = child.stderr.read()
    _, state, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(state)
    if child.returncode:
        raise RuntimeError(f"{words[0]} ended with {child.returncode}: {errors[-500:]}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def fdatasync_time(folder, count=200):
    """The median of seconds that an fdatasync(2) of 200 appended bytes takes here."""
    times = []
    path = f"{folder}/fdatasync"
    with open(path, "wb", buffering=0) as file:
        for _ in range(count):
            file.write(b"x" * 200)
            begin = time.monotonic()
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - begin)
    os.unlink(path)
    return sorted(times)[count // 2]


def instant(text):
    """Seconds since 1970 of an RFC 3339 time in UTC."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float("0." + (fraction or "0"))
