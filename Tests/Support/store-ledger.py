#!/usr/bin/env python3
"""store-ledger.py WAYBILLD SANDBOX: has a release build of waybilld make a ledger with rows of each kind, and stores it with its files as
Tests/Compatibility/VERSION.tar.xz, for StoredLedgerTests.

The archive has the state directory as a kill left it, the spools, the sandbox's data, the configuration with @NAME@ for each address, and
jobs.json: the jobs as the daemon told of them last.
"""

import glob
import http.client
import http.server
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The backends beside the main one, each with its answer to every request.
ANSWERS = {"asks": 422, "missing": 404, "refused": 401, "slow": 429}
MAIN = """
[daemon]
state = "@folder@/state"
control = "@control@"
history = "100y"

[retry]
delays = ["1h"]

[storage.main]
endpoint = "http://@main@"
bucket = "documents"
part_size = "5MiB"
access_key = { file = "@folder@/access" }
secret_key = { file = "@folder@/secret" }

[storage.closed]
endpoint = "http://@closed@"
bucket = "documents"
access_key = { file = "@folder@/access" }
secret_key = { file = "@folder@/secret" }

[backend.main]
url = "http://@main@/register"
"""
SPOOLS = {
    "documents": "", "described": 'sidecar = "{name}.json"', "twice": 'duplicates = "skip"', "runs": 'marker = "done"',
    "card": 'after = "keep"', "archived": 'after = "archive"\narchive = "@folder@/archive"', "paused": "", "closed": "", "absent": "",
} | dict.fromkeys(ANSWERS, "")


def template():
    backends = "".join(f'\n[backend.{name}]\nurl = "http://@{name}@/register"\n' for name in [*ANSWERS, "absent"])
    spools = ""
    for name, lines in SPOOLS.items():
        backend, storage = name if name in [*ANSWERS, "absent"] else "main", "closed" if name == "closed" else "main"
        spools += f"""
[[spool]]
path = "@folder@/spools/{name}"
storage = "{storage}"
backend = "{backend}"
settle = "50ms"
settle_unseen = "200ms"
{lines}
"""
    return MAIN.lstrip() + backends + spools


def answering(status):
    """The address of a server that answers every request so."""
    class Answer(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = b'{"message":"so it was wanted"}'
            self.send_response(status)
            self.send_header("Retry-After", "120")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_PUT = do_HEAD = do_DELETE = do_POST

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"127.0.0.1:{server.server_port}"


def until(words, body, seconds=120):
    end = time.monotonic() + seconds
    while not (found := body()):
        if time.monotonic() > end:
            sys.exit(f"store-ledger: waited in vain for {words}")
        time.sleep(0.05)
    return found


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


class World:
    def __init__(self, folder, daemon, sandbox):
        self.folder, self.daemon = folder, daemon
        for name in [f"spools/{spool}" for spool in SPOOLS] + ["state", "archive", "taken", "outside"]:
            os.makedirs(f"{folder}/{name}")
        for name, key in ("access", "sandbox"), ("secret", "sandbox-secret"):
            open(f"{folder}/{name}", "w").write(key + "\n")
        self.far = subprocess.Popen([sandbox, "--data", f"{folder}/far"], stdout=subprocess.PIPE, text=True)
        line = next(line for line in self.far.stdout if line.startswith("listening on "))
        closed = socket.socket()
        closed.bind(("127.0.0.1", 0))  # Never listens.
        self.kept = closed
        self.places = {name: answering(status) for name, status in (ANSWERS | {"closed": 503}).items()}
        self.places |= {"main": line.strip().split("//")[-1].rstrip("/"), "absent": f"127.0.0.1:{closed.getsockname()[1]}", "folder": folder, "control": f"{folder}/control.sock"}

    def start(self, **lines):
        """With lines of [daemon] for this life alone."""
        text = re.sub(r"@(\w+)@", lambda name: self.places[name[1]], template())
        own = "".join(f'{key} = "{value}"\n' for key, value in lines.items())
        open(f"{self.folder}/running.toml", "w").write(text.replace("[daemon]\n", "[daemon]\n" + own))
        self.life = subprocess.Popen([self.daemon, "--config", f"{self.folder}/running.toml"], stderr=open(f"{self.folder}/log", "a"))
        until("the daemon", lambda: os.path.exists(f"{self.folder}/control.sock") and self.alive() and self.get("/v1/status"))

    def alive(self):
        if self.life.poll() is not None:
            sys.exit("store-ledger: the daemon ended: " + open(f"{self.folder}/log").read()[-2000:])
        return True

    def call(self, method, path, body=None, place=None):
        try:
            connection = http.client.HTTPConnection(place) if place else Unix(f"{self.folder}/control.sock")
            connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json", "Host": "localhost"} if not place else {})
            answer = connection.getresponse()
            text = answer.read()
        except OSError:
            return None
        if answer.status >= 300:
            sys.exit(f"store-ledger: {method} {path}: {answer.status} {text.decode()}")
        return json.loads(text or b"null")

    def get(self, path):
        return self.call("GET", path)

    def fail(self, faults):
        self.call("DELETE", "/_admin/faults", place=self.places["main"])
        self.call("PUT", "/_admin/faults", faults, place=self.places["main"])

    def drop(self, spool, name, data=None, state=None, **attributes):
        outside = f"{self.folder}/outside/{name}"
        if isinstance(data, dict):
            os.makedirs(outside)
            for path, text in data.items():
                open(f"{outside}/{path}", "w").write(text)
        else:
            with open(outside, "wb") as file:
                file.write(data if isinstance(data, bytes) else f"the bytes of {name}\n".encode())
                if isinstance(data, int):
                    file.truncate(data)
            for key, value in attributes.items():
                os.setxattr(outside, f"user.waybill.{key}", value.encode())
        os.rename(outside, f"{self.folder}/spools/{spool}/{name}")
        return self.job(name, state) if state else None

    def job(self, name, state):
        """The number of the newest job of that name, once it is in that state."""
        def found():
            self.alive()
            jobs = self.get("/v1/jobs?order=newest&name=" + name)["jobs"]
            return jobs[0]["job"] if jobs and jobs[0]["state"] == state else None
        return until(f"{name} to be {state}", found)

    def act(self, number, word, body=None):
        self.call("POST", f"/v1/jobs/{number}/{word}", body or {})

    def make(self):
        self.start()
        self.drop("documents", "good.pdf", state="registered", author="anna")
        self.drop("archived", "kept.pdf", state="registered")
        for name, state in ("one.pdf", "registered"), ("same.pdf", "skipped"):
            self.drop("twice", name, b"the same bytes\n", state)
        self.drop("card", "photo.jpg", b"a photo\n", "registered")
        self.drop("card", "other.jpg", b"another photo\n", "registered")
        self.drop("card", "photo.jpg", b"a photo, changed\n")
        until("three photos", lambda: len(self.get("/v1/jobs?spool=card&state=registered")["jobs"]) == 3)
        self.drop("runs", "run1", {"a.bin": "a", "b.bin": "b", "done": ""}, "registered")
        self.drop("described", "letter.pdf.json", b'{"case": "7"}')
        self.drop("described", "letter.pdf", state="registered")
        # What people did.
        self.fail({"upload": {"status": 400, "code": "InvalidRequest"}})
        linked = self.drop("documents", "linked.pdf", state="awaiting-confirmation")
        self.fail({})
        self.act(linked, "confirm", {"link": "https://example.com/linked.pdf"})
        self.job("linked.pdf", "registered")
        self.fail({"register": {"status": 422, "message": "number is taken"}})
        names = ["confirmed", "cancelled", "cleaned", "retried", "released", "discarded", "question", "owed"]
        numbers = {name: self.drop("documents", f"{name}.pdf", state="awaiting-confirmation") for name in names}
        self.act(numbers["cleaned"], "cancel", {"remove": True})
        for name in ["cancelled", "retried", "released", "discarded"]:
            self.act(numbers[name], "cancel", {"reason": "not needed"})
        self.act(numbers["released"], "release", {"to": f"{self.folder}/taken"})
        self.act(numbers["discarded"], "discard")
        self.fail({})
        self.act(numbers["confirmed"], "confirm")
        self.act(numbers["retried"], "retry")
        for name, state in ("confirmed", "registered"), ("retried", "registered"), ("released", "discarded"), ("discarded", "discarded"):
            self.job(f"{name}.pdf", state)
        until("the cleanup", lambda: self.get(f"/v1/jobs/{numbers['cleaned']}")["remote"] == "clean")
        # What waits, and why.
        self.call("POST", "/v1/pause", {"spool": "paused"})
        for spool, state in [
            ("asks", "awaiting-confirmation"), ("missing", "awaiting-confirmation"), ("refused", "awaiting-credentials"),
            ("slow", "deferred"), ("absent", "awaiting-network"), ("closed", "aborted"), ("paused", "queued"),
        ]:
            self.drop(spool, f"{spool}.pdf", state=state)
        for spool in "missing", "refused", "absent", "closed":
            self.drop(spool, f"{spool}-behind.pdf", state="queued")
        self.fail({"upload": {"statuses": [200, 400]}})
        self.drop("runs", "run2", {"a.bin": "a", "b.bin": "b", "c.bin": "c", "done": ""}, "awaiting-confirmation")
        self.fail({"upload": {"status": 500}})
        self.drop("documents", "deferred-upload.pdf", state="deferred")
        self.fail({"register": {"status": 500}})
        self.drop("documents", "deferred.pdf", state="deferred")
        self.life.terminate()
        self.life.wait()
        # What is in flight when the daemon is killed. The log of writes is short, because the last stop emptied it.
        self.start(bandwidth="1MiB")
        self.fail({"register": {"hold": True}, "delete": {"hold": True}})
        self.act(numbers["owed"], "cancel", {"remove": True})
        self.drop("documents", "registering.pdf", state="active")
        self.drop("documents", "large.bin", 12 << 20)
        until("a part", lambda: glob.glob(f"{self.folder}/far/uploads/*/[0-9].json"))
        until("its row", lambda: self.get("/v1/jobs?step=register&state=active")["jobs"])
        jobs = [self.get(f"/v1/jobs/{job['job']}") for job in self.get("/v1/jobs?limit=1000")["jobs"]]
        self.life.kill()
        self.life.wait()
        json.dump({"jobs": jobs}, open(f"{self.folder}/jobs.json", "w"))
        open(f"{self.folder}/waybill.toml", "w").write(template())

    def check(self):
        copy = shutil.copytree(f"{self.folder}/state", f"{self.folder}/copy")
        with sqlite3.connect(f"{copy}/ledger.sqlite") as ledger:
            tables = [name for name, in ledger.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            # A job is in `stopped` only during a recovery.
            empty = [name for name in tables if name != "stopped" and not ledger.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()]
            events = {kind for kind, in ledger.execute("SELECT DISTINCT kind FROM event")}
            states = {state for state, in ledger.execute("SELECT DISTINCT state FROM job")}
        if empty:
            sys.exit(f"store-ledger: no row in {empty}")
        print(f"tables: {', '.join(tables)}\nstates: {', '.join(sorted(states))}\nevents: {', '.join(sorted(filter(None, events)))}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    daemon, sandbox = map(os.path.abspath, sys.argv[1:])
    version = subprocess.run([daemon, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    target = f"{TOP}/Tests/Compatibility/{version}.tar.xz"
    with tempfile.TemporaryDirectory(prefix="store-") as folder:
        world = World(folder, daemon, sandbox)
        try:
            world.make()
            world.check()
        finally:
            world.far.kill()
            if hasattr(world, "life") and world.life.poll() is None:
                world.life.kill()
        archive = subprocess.run(
            ["tar", "-C", folder, "--sparse", "--hole-detection=raw", "--xattrs", "--sort=name", "--owner=0", "--group=0", "-cf", "-",
             "--exclude=ledger.reserve", "--exclude=ledger.lock", "--exclude=*-shm",
             "state", "spools", "far", "access", "secret", "waybill.toml", "jobs.json"], check=True, capture_output=True).stdout
        packed = subprocess.run(["xz", "-9e"], input=archive, check=True, capture_output=True).stdout
        open(target, "wb").write(packed)
    print(f"{os.path.relpath(target, TOP)}: {len(packed)} bytes")


main()
