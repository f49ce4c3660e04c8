"""What the benchmarks work with: a folder, the sink as far side, and a daemon between."""
import contextlib, json, os, shutil, signal, subprocess, sys, tempfile, time


def until(what, condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"gave up waiting: {what}")
        time.sleep(0.1)


class Rig:
    def __init__(self, folder, build, endpoint, daemon):
        self.folder, self.build, self.endpoint, self.daemon = folder, build, endpoint, daemon

    @property
    def socket(self):
        return f"{self.folder}/control.sock"

    def call(self, *words):
        return subprocess.run(["curl", "-s", *words], capture_output=True, text=True).stdout

    def status(self):
        try:
            return json.loads(self.call("--unix-socket", self.socket, "http://localhost/v1/status"))
        except json.JSONDecodeError:
            return None

    def far_side(self, mode):
        """Has the backend "accept" or "refuse" (422) from now on."""
        self.call(f"{self.endpoint}/_{mode}")

    def prepare(self, files, size):
        """Writes files beside the spool, so that dropping them is a rename each."""
        content = os.urandom(size)
        for number in range(files):
            with open(f"{self.folder}/drop/{number}", "wb") as file:
                file.write(content)

    def drop(self, files):
        for number in range(files):
            os.rename(f"{self.folder}/drop/{number}", f"{self.folder}/spool/{number}")


@contextlib.contextmanager
def rig(build, retry="", daemon=""):
    """A running daemon; `retry` and `daemon` are lines for those sections. All of it is gone at the end."""
    folder = tempfile.mkdtemp(prefix="waybill-bench-")
    started = []
    try:
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
{daemon}
[retry]
{retry}
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
        process = subprocess.Popen([f"{build}/waybilld", "--config", f"{folder}/waybill.toml"], stderr=log)
        started.append(process)
        made = Rig(folder, build, endpoint, process)
        until("the daemon answers", made.status, 20)
        yield made
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        shutil.rmtree(folder)
