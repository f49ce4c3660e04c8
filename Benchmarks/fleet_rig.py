"""What the benchmark of a fleet works with: a PostgreSQL of its own, and hosts with a daemon and an agent each."""
import contextlib, glob, json, os, shutil, signal, subprocess, tempfile

import measure
from rig import Rig, Sink, until

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PSQL = [f"{TOP}/Tests/Support/unpacked.sh", "postgresql", "psql"]


class Server:
    """A PostgreSQL server in a folder."""

    def __init__(self, folder, elsewhere=False):
        self.folder = f"{folder}/postgres"
        os.mkdir(self.folder)
        os.chmod(folder, 0o711)
        # as if it were on another machine: it takes what all others leave of the processors
        wrapper = ["chrt", "--idle", "0"] if elsewhere else []
        self.process = subprocess.Popen(
            [*wrapper, f"{TOP}/Tests/Support/postgres-up.sh", self.folder, "-c", "max_connections=300", "-c", "shared_buffers=512MB",
             "-c", "max_wal_size=4GB", "-c", "track_io_timing=off"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("PostgreSQL answers", lambda: subprocess.run(
            [*PSQL, "-qAt", self.database("postgres"), "-c", "SELECT 1"], capture_output=True).returncode == 0, 60)

    def database(self, role):
        return f"host={self.folder} user={role} dbname=postgres"

    def sql(self, text):
        return subprocess.run([*PSQL, "-qAtX", "-v", "ON_ERROR_STOP=1", self.database("postgres")], input=text, check=True,
                              capture_output=True, text=True).stdout.strip()

    def cpu(self):
        """Seconds of CPU of all its processes that live, and of those that have ended."""
        total = 0
        for path in glob.glob("/proc/[0-9]*/stat"):
            with contextlib.suppress(OSError):
                with open(path) as file:
                    text = file.read()
                pid, rest = int(text.split()[0]), text.rpartition(")")[2].split()
                if pid == self.process.pid:
                    total += sum(map(int, rest[11:15])) / measure.TICK
                elif int(rest[1]) == self.process.pid:
                    total += sum(map(int, rest[11:13])) / measure.TICK
        return total

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


class Host(Rig):
    """One host: a daemon, and an agent once that is started."""

    def __init__(self, folder, name, bench):
        self.name, self.bench, self.agent = name, bench, None
        self.home = f"{folder}/{name}"
        for part in ("spool", "state", "drop"):
            os.makedirs(f"{self.home}/{part}")
        for part, key in (("access", "BENCHKEY"), ("secret", "benchsecret")):
            with open(f"{self.home}/{part}", "w") as file:
                file.write(key + "\n")
        super().__init__(self.home, bench.build, bench.sink)
        with open(f"{self.home}/waybill.toml", "w") as file:
            file.write(f"""
[daemon]
state = "{self.home}/state"
control = "{self.socket}"
[storage.main]
endpoint = "{bench.sink.endpoint}"
region = "us-east-1"
bucket = "documents"
access_key = {{ file = "{self.home}/access" }}
secret_key = {{ file = "{self.home}/secret" }}
[backend.main]
url = "{bench.sink.endpoint}/register"
[[spool]]
name = "documents"
path = "{self.home}/spool"
""")

    def start_agent(self, database=None):
        with open(f"{self.home}/fleet.toml", "w") as file:
            file.write(f'database = "{database or self.bench.server.database(self.name)}"\nname = "{self.name}"\n'
                       f'socket = "{self.socket}"\n')
        self.agent = subprocess.Popen(
            ["nice", "-n", "10", f"{self.build}/waybill-fleet", "agent", "--config", f"{self.home}/fleet.toml"],  # as its unit
            stderr=open(f"{self.home}/agent.log", "a"))

    def stop_agent(self):
        if self.agent:
            self.agent.send_signal(signal.SIGTERM)
            self.agent.wait(60)
            self.agent = None

    def last(self):
        """The number of the daemon's last event."""
        answer = subprocess.run(["curl", "-q", "-s", "--noproxy", "*", "--unix-socket", self.socket,
                                 "http://localhost/v1/changes?after=999999999999"], capture_output=True, text=True).stdout
        return json.loads(answer)["last"]

    def mirrored(self, last, seconds=600):
        """Waits until the database has applied so many events, and all jobs were read."""
        until(f"{self.name} is mirrored", lambda: self.bench.server.sql(
            f"SELECT count(*) FROM waybill.host WHERE name = '{self.name}' AND applied >= {last} AND seen IS NOT NULL"
        ) == "1", seconds, 0.05)

    def end(self):
        self.stop_agent()
        if self.daemon:
            self.stop()


class Bench:
    """A database with the fleet's tables, a server, and hosts."""

    def __init__(self, build, folder, elsewhere=False):
        self.build, self.folder, self.hosts, self.processes = build, folder, [], []
        self.sink = Sink(folder)
        self.server = Server(folder, elsewhere)
        self.fleet("migrate")
        self.server.sql('CREATE ROLE "anna" LOGIN IN ROLE waybill_operator')

    def fleet(self, *words, role="postgres"):
        return subprocess.run([f"{self.build}/waybill-fleet", *words, "--database", self.server.database(role)], check=True,
                              capture_output=True, text=True).stdout

    def host(self, name):
        self.server.sql(f'CREATE ROLE "{name}" LOGIN IN ROLE waybill_host')
        made = Host(self.folder, name, self)
        self.hosts.append(made)
        made.start()
        return made

    def end(self):
        for host in self.hosts:
            host.end()
        for process in self.processes:
            process.terminate()
            process.wait(30)
        self.server.stop()
        self.sink.process.terminate()
        self.sink.process.wait(30)


@contextlib.contextmanager
def bench(build, elsewhere=False):
    folder = tempfile.mkdtemp(prefix="waybill-bench-")
    made = None
    try:
        made = Bench(build, folder, elsewhere)
        yield made
    finally:
        if made:
            made.end()
        shutil.rmtree(folder)
