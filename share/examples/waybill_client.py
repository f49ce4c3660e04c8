"""A client of Waybill's control socket: one file, the standard library alone, Python 3.9 or newer. See waybill-api(7).

    from waybill_client import Client, Problem

    client = Client()
    for job in client.jobs(state="awaiting-confirmation"):
        print(job["job"], job["question"])
    client.confirm(42)

    for event in client.events():
        print(event["id"], event["message"])

Answers are what the daemon sends: dictionaries with the members that waybill-api.yaml describes. Copy the file into your program,
or put it beside it. Run by itself it prints what waits for an answer, and with --follow each further question.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import sys
import time
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union
from urllib.parse import quote, urlencode

__all__ = ["Client", "WaybillError", "Unreachable", "Problem", "JSON", "Job"]

JSON = Dict[str, Any]
#: A word that may be left out.
Name = Optional[str]
#: A job in a command: its number or id; with the revision that was seen, as a pair or as the job itself, as a list has it.
Job = Union[int, str, Tuple[Union[int, str], int], JSON]

SOCKET = "/run/waybill/control.sock"
#: The seconds after which a stream without a word is taken for broken: the daemon says something every 15.
SILENCE = 45.0
#: The bytes of a line of the stream, at most.
LONGEST = 4 << 20


class WaybillError(Exception):
    """The beginning of all errors here."""


class Unreachable(WaybillError):
    """Nobody answers at the socket, or the answer breaks off. A command may have been carried out nevertheless."""


class Problem(WaybillError):
    """The daemon refused a call: a problem document (RFC 9457)."""

    def __init__(self, status: int, members: JSON):
        #: The HTTP status.
        self.status: int = status
        #: The status in words.
        self.title: str = str(members.get("title") or "Error")
        #: What is wrong in this case, in a sentence; None if the daemon says no more.
        self.detail: Optional[str] = members.get("detail")
        #: The kind of problem, for programs; None from a daemon that does not say it.
        self.code: Optional[str] = members.get("code")
        #: All members: with 409 also the state and revision of the job, or the group as it is.
        self.members: JSON = members
        super().__init__(f"{status} {self.detail or self.title}")


class _Connection(http.client.HTTPConnection):
    """A connection to a Unix socket."""

    def __init__(self, path: str, timeout: float):
        super().__init__("localhost", timeout=timeout)
        self.path = path
        self.is_taken = False

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)
        self.is_taken = True


class Client:
    """Calls of one daemon. It holds no connection between them, and may be used by several threads."""

    def __init__(self, path: Name = None, *, timeout: float = 30.0, patience: float = 5.0, on_behalf_of: Name = None):
        """Makes a client.

        path: the control socket; else that in WAYBILL_SOCKET, else /run/waybill/control.sock.
        timeout: the seconds that one answer may take.
        patience: the seconds for which a call is made again whose connection breaks or is not taken, as while the daemon
            is restarted. A command is sent again only if its connection was not taken: else it may have been carried out.
        on_behalf_of: the name of the person for whom this user acts; see fleet_user in waybill.toml(5).
        """
        self.path = path or os.environ.get("WAYBILL_SOCKET") or SOCKET
        self.timeout = timeout
        self.patience = patience
        self.on_behalf_of = on_behalf_of

    # What there is

    def status(self) -> JSON:
        """The state of the daemon."""
        return self._get("/v1/status")

    def jobs(self, *, limit: Optional[int] = None, page: int = 100, **filters: Any) -> Iterator[JSON]:
        """All jobs that the filters choose, page by page: state, step, spool, name, error, like, since, until, order.

        A filter that may be repeated takes a list, e.g. state=["aborted", "cancelled"]. limit: the most jobs to yield.
        """
        return self._pages("/v1/jobs", "jobs", limit, page, filters)

    def job(self, job: Union[int, str]) -> JSON:
        """One job by its number or id, with its attempts and history."""
        return self._get(f"/v1/jobs/{_segment(job)}")

    def groups(self, **filters: Any) -> List[JSON]:
        """The jobs counted by state, step and reason, the largest group first. The filters are those of jobs(), but order."""
        groups: List[JSON] = self._get("/v1/groups", filters)["groups"]
        return groups

    def log(self, *, limit: Optional[int] = None, page: int = 100, **filters: Any) -> Iterator[JSON]:
        """What happened and who did it, the newest first: by, event, spool, destination, name, since, until, order."""
        return self._pages("/v1/log", "events", limit, page, filters)

    # What people decide

    def confirm(self, job: Job, *, link: Optional[str] = None) -> JSON:
        """Tries the failed step again now; with a link, at step upload, it takes this link instead of an upload."""
        return self._command("confirm", job, link=link)

    def cancel(self, job: Job, *, reason: Optional[str] = None, remove: bool = False) -> JSON:
        """Stops the job and keeps its file; with remove, its object is deleted."""
        return self._command("cancel", job, reason=reason, remove=remove or None)

    def retry(self, job: Job) -> JSON:
        """Queues an aborted or cancelled job again, and tries one that waits."""
        return self._command("retry", job)

    def release(self, job: Job, to: str) -> JSON:
        """Gives the file of an aborted or cancelled job back, into the directory at an absolute path."""
        return self._command("release", job, to=to)

    def discard(self, job: Job) -> JSON:
        """Deletes the file of an aborted or cancelled job for good."""
        return self._command("discard", job)

    def confirm_many(self, jobs: Optional[Iterable[Job]] = None, **filters: Any) -> JSON:
        """Confirms many jobs: those named, or those that the filters choose, or all=True that have a question.

        A job that is named with its revision, or as a list has it, is left alone if it has changed since. For a group the
        filters are like=GROUP and digest=DIGEST, as groups() gives them. Answers how many were done and refused, and why.
        """
        return self._commands("confirm", jobs, filters)

    def cancel_many(
        self, jobs: Optional[Iterable[Job]] = None, *, reason: Optional[str] = None, remove: bool = False, **filters: Any
    ) -> JSON:
        """Cancels many jobs; see confirm_many()."""
        return self._commands("cancel", jobs, filters, reason=reason, remove=remove or None)

    def retry_many(self, jobs: Optional[Iterable[Job]] = None, **filters: Any) -> JSON:
        """Retries many jobs, with all=True the aborted ones; see confirm_many()."""
        return self._commands("retry", jobs, filters)

    def discard_many(self, jobs: Optional[Iterable[Job]] = None, **filters: Any) -> JSON:
        """Discards many jobs, with all=True the aborted and cancelled ones; see confirm_many()."""
        return self._commands("discard", jobs, filters)

    def pause(self, destination: str) -> JSON:
        """Starts nothing new at storage.NAME or backend.NAME, of spool.NAME, or of all jobs ("all"); "intake": no file is claimed."""
        return self._post("/v1/pause", {"destination": destination})

    def resume(self, destination: str) -> JSON:
        """Ends a pause by its name in the status; "recovered" is that after the ledger was restored or lost."""
        return self._post("/v1/resume", {"destination": destination})

    def reload(self) -> JSON:
        """Has the daemon read its configuration again."""
        return self._post("/v1/reload", {})

    # What happens

    def events(self, *, after: Optional[int] = None, since: Optional[str] = None, **filters: Any) -> Iterator[JSON]:
        """Events as they happen, without an end: by, event, spool, destination, name choose them.

        Each is the data of the event and its id. It begins with the next event; with after, with the one after that id; with
        since, with the first at or after that time. When the connection breaks or the daemon is restarted, it goes on after
        the last event, and nothing is missed or comes twice. If the events there are no longer kept, one
        {"event": "reset", "id": None} comes first: read the list of jobs then. It raises Unreachable if nobody answered at all
        for as long as the client's patience.
        """
        pause, reached, end = 0.1, False, time.monotonic() + self.patience
        while True:
            query = dict(filters)
            if after is None and since is not None:
                query["since"] = since
            try:
                for identity, kind, data in self._stream(query, after):
                    pause, reached = 0.1, True
                    after = identity if identity is not None else after
                    if kind == "message" and data is not None:
                        yield {"id": identity, **json.loads(data)}
                    elif kind == "reset":
                        yield {"event": "reset", "id": None}
                    elif kind == "error" and data is not None:
                        members = json.loads(data)
                        raise Problem(int(members.get("status") or 500), members)
            except Unreachable as error:
                if isinstance(error.__cause__, PermissionError) or not reached and time.monotonic() > end:
                    raise
            except Problem as problem:
                # It is stopping, or has all the readers that it can have.
                if problem.status != 503:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 5.0)

    # How it is asked

    def _stream(self, query: JSON, after: Optional[int]) -> Iterator[Tuple[Optional[int], str, Optional[str]]]:
        """The parts of one connection's stream (WHATWG HTML, section 9.2): the id, the kind, and the data if there are some."""
        headers = {"Accept": "text/event-stream"}
        if after is not None:
            headers["Last-Event-ID"] = str(after)
        connection = _Connection(self.path, SILENCE)
        try:
            answer = self._answer(connection, "GET", _target("/v1/events", query), None, headers)
            if answer.status != 200:
                raise _problem(answer)
            identity, kind, data = None, "message", []  # type: Optional[int], str, List[str]
            while True:
                line = answer.readline(LONGEST)
                if not line.endswith(b"\n"):
                    return
                text = line.decode("utf-8").rstrip("\r\n")
                name, _, value = text.partition(":")
                value = value[1:] if value.startswith(" ") else value
                if not text:
                    if data or identity is not None:
                        yield identity, kind, "\n".join(data) if data else None
                    identity, kind, data = None, "message", []
                elif name == "id" and value.isdigit():
                    identity = int(value)
                elif name == "event":
                    kind = value
                elif name == "data":
                    data.append(value)
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self.path}: {error or type(error).__name__}") from error
        finally:
            connection.close()

    def _pages(self, path: str, member: str, limit: Optional[int], page: int, filters: JSON) -> Iterator[JSON]:
        query, left = dict(filters), limit
        while left is None or left > 0:
            query["limit"] = page if left is None else min(page, left)
            answer = self._get(path, query)
            yield from answer[member]
            if answer["next"] is None:
                return
            query["after"] = answer["next"]
            left = left if left is None else left - len(answer[member])

    def _command(self, name: str, job: Job, **members: Any) -> JSON:
        named, revision = _seen(job)
        return self._post(f"/v1/jobs/{_segment(named)}/{name}", _without_none(revision=revision, **members))

    def _commands(self, name: str, jobs: Optional[Iterable[Job]], filters: JSON, **members: Any) -> JSON:
        path, members = f"/v1/jobs/{name}", _without_none(**members)
        if jobs is None:
            return self._post(path, {**_without_none(**filters), **members})
        if filters:
            raise ValueError("name jobs, or give filters")
        named = [job if seen is None else {"job": job, "revision": seen} for job, seen in map(_seen, jobs)]
        whole: JSON = {"done": 0, "refused": 0, "refusals": [], "left": None}
        # A body has at most 64 KiB.
        for start in range(0, len(named), 500):
            answer = self._post(path, {"jobs": named[start : start + 500], **members})
            for member in ("done", "refused", "refusals"):
                whole[member] += answer[member]
        return whole

    def _get(self, path: str, query: Optional[JSON] = None) -> JSON:
        return self._call("GET", _target(path, query or {}), None, {})

    def _post(self, path: str, body: JSON) -> JSON:
        return self._call("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json"})

    def _call(self, method: str, target: str, body: Optional[bytes], headers: Dict[str, str]) -> JSON:
        if self.on_behalf_of is not None:
            headers["Waybill-On-Behalf-Of"] = self.on_behalf_of
        end, pause = time.monotonic() + self.patience, 0.05
        while True:
            connection = _Connection(self.path, self.timeout)
            try:
                return self._once(connection, method, target, body, headers)
            except (OSError, http.client.HTTPException) as error:
                # A command whose connection broke may have been carried out.
                is_over = time.monotonic() + pause > end or (method == "POST" and connection.is_taken)
                if is_over or isinstance(error, PermissionError):
                    raise Unreachable(f"{self.path}: {error or type(error).__name__}") from error
            time.sleep(pause)
            pause = min(pause * 2, 1.0)

    def _once(
        self, connection: _Connection, method: str, target: str, body: Optional[bytes], headers: Dict[str, str]
    ) -> JSON:
        try:
            answer = self._answer(connection, method, target, body, headers)
            if not 200 <= answer.status < 300:
                raise _problem(answer)
            members: JSON = json.loads(answer.read())
            return members
        finally:
            connection.close()

    @staticmethod
    def _answer(
        connection: _Connection, method: str, target: str, body: Optional[bytes], headers: Dict[str, str]
    ) -> http.client.HTTPResponse:
        connection.request(method, target, body, {**headers, "Connection": "close"})
        return connection.getresponse()


def _problem(answer: http.client.HTTPResponse) -> Problem:
    text = answer.read()
    try:
        members = json.loads(text)
    except ValueError:
        members = None
    if not isinstance(members, dict):
        members = {"title": answer.reason, "detail": text.decode("utf-8", "replace")[:1000] or None}
    return Problem(answer.status, members)


def _seen(job: Job) -> Tuple[Union[int, str], Optional[int]]:
    """The number or id of a job, and the revision that was seen."""
    if isinstance(job, dict):
        return job["job"], job.get("revision")
    if isinstance(job, tuple):
        return job
    return job, None


def _segment(job: Union[int, str]) -> str:
    return quote(str(job), safe="")


def _without_none(**members: Any) -> JSON:
    return {name: value for name, value in members.items() if value is not None}


def _target(path: str, query: JSON) -> str:
    pairs = []
    for name, value in query.items():
        if value is not None:
            pairs += [(name, one) for one in value] if isinstance(value, (list, tuple, set)) else [(name, value)]
    return path + ("?" + urlencode(pairs) if pairs else "")


def main() -> int:
    """Prints what waits for an answer."""
    arguments = argparse.ArgumentParser(description="Prints the questions of Waybill's jobs.")
    arguments.add_argument("--socket", help=f"the control socket; default {SOCKET}")
    arguments.add_argument("--follow", action="store_true", help="go on with each further question")
    options = arguments.parse_args()
    client = Client(options.socket)

    told = set()

    def tell(job: JSON) -> None:
        # A question may come between the list and the stream, and then it is in both.
        if (job["job"], job["revision"]) in told:
            return
        told.add((job["job"], job["revision"]))
        # Names come from outside: what could move a cursor is escaped.
        text = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in job["question"] or "")
        print(f"{job['job']}: {text}", flush=True)

    try:
        last = next(iter(client.log(limit=1)), {"id": 0})["id"] if options.follow else None
        for job in client.jobs(state="awaiting-confirmation"):
            tell(job)
        for event in client.events(after=last, event="question") if options.follow else ():
            if event["event"] == "question":
                tell(event["job"])
    except WaybillError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
