"""What the benchmarks work with: a folder, the sink as server, and a daemon between."""
import contextlib, http.client, json, os, shutil, signal, socket, ssl, subprocess, sys, tempfile, threading, time, urllib.parse

import measure

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(os.path.dirname(HERE), ".build-bench")


def until(what, condition, seconds=120, pause=0.1):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"gave up waiting: {what}")
        time.sleep(pause)


def compiled(name, *libraries):
    """A program in C that stands here, compiled where it is not or is older than its source."""
    source, program = f"{HERE}/{name}.c", f"{TOOLS}/{name}"
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        os.makedirs(TOOLS, exist_ok=True)
        # Whole at once: another one may be about to run it.
        made = f"{program}.{os.getpid()}"
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", made, source, *libraries], check=True)
        os.rename(made, program)
    return program


def library(name, folder):
    """A library to be preloaded whose source stands in Tests/Support, compiled."""
    made = f"{folder}/{name}.so"
    subprocess.run([shutil.which("clang") or "gcc", "-shared", "-fPIC", "-O2", "-o", made,
                    os.path.join(HERE, f"../Tests/Support/{name}.c")], check=True)
    return made


def certificate(folder):
    """An authority of its own and a certificate for 127.0.0.1 by it: the authority's, the certificate's and its key's file."""
    at = lambda name: f"{folder}/{name}"
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    call = lambda *words: subprocess.run(["openssl", *words], check=True, capture_output=True)
    call("req", "-x509", *key, "-subj", "/CN=benchmarks", "-keyout", at("ca.key"), "-out", at("ca.crt"))
    call("req", *key, "-subj", "/CN=127.0.0.1", "-keyout", at("tls.key"), "-out", at("tls.csr"))
    with open(at("names"), "w") as file:
        file.write("subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n")
    call("x509", "-req", "-in", at("tls.csr"), "-CA", at("ca.crt"), "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "2",
         "-extfile", at("names"), "-out", at("tls.crt"))
    return at("ca.crt"), at("tls.crt"), at("tls.key")


class Sink:
    """A running server."""

    def __init__(self, folder, tls=False):
        self.ca = None
        words = [compiled("sink", "-lssl", "-lcrypto")]
        if tls:
            self.ca, chain, key = certificate(folder)
            words += ["-c", chain, "-k", key]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.endpoint = self.process.stdout.readline().strip()
        host = urllib.parse.urlsplit(self.endpoint).netloc
        self.kept = (http.client.HTTPSConnection(host, context=ssl.create_default_context(cafile=self.ca)) if tls
                     else http.client.HTTPConnection(host))

    def call(self, path):
        trust = ["--cacert", self.ca] if self.ca else []
        return subprocess.run(["curl", "-q", "-s", "--noproxy", "*", *trust, self.endpoint + path], check=True,
                              capture_output=True, text=True).stdout

    def count(self):
        """Requests and connections since it was last asked."""
        return json.loads(self.call("/_count"))

    def registered(self):
        """Registrations so far, over a connection that is kept: to ask often must not cost the processors that are measured."""
        self.kept.request("GET", "/_registered")
        return json.loads(self.kept.getresponse().read())["registered"]


class ControlConnection(http.client.HTTPConnection):
    """A connection to the control socket that is kept: to ask often must not cost the processors that are measured."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Rig:
    """A folder with a spool and a place to write files beside it, a server, and a daemon once that is started."""

    def __init__(self, folder, build, sink):
        self.folder, self.build, self.sink, self.daemon = folder, build, sink, None
        self.endpoint, self.socket = sink.endpoint, f"{folder}/control.sock"
        self.control = ControlConnection(self.socket)
        self.asking = threading.Lock()  # one question at a time goes over the connection

    def start(self, wrapper=(), preloaded=None):
        """Starts the daemon and waits until it answers; the seconds that took. Preloaded is the name of a library of Tests/Support, with
        the variables that it goes by."""
        environment = None
        if preloaded:
            environment = os.environ | preloaded[1] | {"LD_PRELOAD": library(preloaded[0], self.folder)}
        begin = time.monotonic()
        log = open(f"{self.folder}/daemon.log", "a")
        self.daemon = subprocess.Popen(
            [*wrapper, f"{self.build}/waybilld", "--config", f"{self.folder}/waybill.toml"], stderr=log, env=environment)
        until("the daemon answers", self.status, 120, 0.005)
        return time.monotonic() - begin

    def stop(self):
        self.daemon.send_signal(signal.SIGTERM)
        self.daemon.wait(60)
        self.daemon = None

    def call(self, *words):
        return subprocess.run(["curl", "-q", "-s", "--noproxy", "*", *words], capture_output=True, text=True).stdout

    def status(self):
        with self.asking:
            for _ in range(2):  # the daemon closes a connection that is not used
                try:
                    self.control.request("GET", "/v1/status")
                    return json.loads(self.control.getresponse().read())
                except (OSError, http.client.HTTPException, json.JSONDecodeError):
                    self.control.close()
            return None

    def registered(self):
        return self.status()["counts"]["registered"]

    def await_registered(self, files, seconds=300):
        """Waits until so many files are registered since the start, each at the first try.

        Asks the server, and the daemon only at the end: an answer costs that as much as a few small jobs do.
        """
        until("the server has all", lambda: self.sink.registered() >= files, seconds, 0.01)
        until("all are registered", lambda: self.registered() >= files, seconds, 0.005)

    def is_tidy(self):
        """Whether no file is left that is claimed, or waits to be."""
        claims = os.listdir(f"{self.folder}/spool/.waybill")
        return len(os.listdir(f"{self.folder}/spool")) == 1 and set(claims) <= {"lock"}

    def far_side(self, mode):
        """Has the backend "accept" or "refuse" (422) from now on."""
        self.sink.call(f"/_{mode}")

    def prepare(self, files, size):
        """Writes files beside the spool, so that dropping them is a rename each."""
        write_files(f"{self.folder}/drop", files, size)

    def drop(self, files):
        for number in range(files):
            os.rename(f"{self.folder}/drop/{number}", f"{self.folder}/spool/{number}")

    def run(self, files, done=0):
        """Drops files that are prepared, beside those that were registered before. Seconds until the last is registered, and of
        the daemon's CPU until the last is gone."""
        before, begin = measure.cpu(self.daemon.pid), time.monotonic()
        self.drop(files)
        self.await_registered(done + files, 600)
        wall = time.monotonic() - begin
        until("all are gone", self.is_tidy)
        return wall, measure.cpu(self.daemon.pid) - before

    def cost(self, files, done=0):
        """Microseconds of CPU a job of so many small files, beside those that were registered before."""
        self.prepare(files, 4096)
        return self.run(files, done)[1] * 1e6 / files


def write_files(folder, files, size):
    """So many files of the same bytes, named by numbers."""
    content = os.urandom(min(size, 1 << 20))
    for number in range(files):
        with open(f"{folder}/{number}", "wb", buffering=0) as file:
            for _ in range(max(1, size // max(1, len(content)))):
                file.write(content)


@contextlib.contextmanager
def rig(build, retry="", daemon="", storage="", backend="", more="", tls=False, starts=True):
    """A rig with a daemon that runs, unless told otherwise; the texts are lines for those sections. It is gone at the end."""
    folder = tempfile.mkdtemp(prefix="waybill-bench-")
    made = None
    try:
        for name in ("spool", "state", "drop"):
            os.mkdir(f"{folder}/{name}")
        for name, key in (("access", "BENCHKEY"), ("secret", "benchsecret")):
            with open(f"{folder}/{name}", "w") as file:
                file.write(key + "\n")
        sink = Sink(folder, tls)
        made = Rig(folder, build, sink)
        trust = f'ca_file = "{sink.ca}"' if tls else ""
        with open(f"{folder}/waybill.toml", "w") as file:
            file.write(f"""
[daemon]
state = "{folder}/state"
control = "{folder}/control.sock"
{daemon}
[retry]
{retry}
[storage.main]
endpoint = "{sink.endpoint}"
region = "us-east-1"
bucket = "documents"
access_key = {{ file = "{folder}/access" }}
secret_key = {{ file = "{folder}/secret" }}
{trust}
{storage}
[backend.main]
url = "{sink.endpoint}/register"
{trust}
{backend}
[[spool]]
name = "documents"
path = "{folder}/spool"
{more.format(folder=folder, endpoint=sink.endpoint)}
""")
        if starts:
            made.start()
        yield made
    finally:
        if made:
            if made.daemon:
                made.stop()
            made.sink.process.terminate()
            made.sink.process.wait(30)
        shutil.rmtree(folder)
