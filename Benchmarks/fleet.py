#!/usr/bin/env python3
"""What a fleet costs: its agents, its database, and those who look at it.

Starts a PostgreSQL of its own (Debian's), daemons and agents from a build folder.

  agent     events a second through one agent, its CPU an event, its memory: a copy from nothing, and at work
  database  events a second into one database from several agents at once
  pace      the pace of a daemon with an agent at work, with an agent whose database is out of reach, and with none: a burst of
            jobs, and many more of them without a pause
  hosts     what the database does with 50 hosts of 10 files a second each
  view      200 hosts with 5 million jobs: how long the status takes, and whether a sign of life is seen within its interval

  Benchmarks/fleet.py BUILD [--only agent,view …] [--scale 1.0] [--result FILE]
"""
import argparse, json, os, statistics, subprocess, sys, threading, time

import measure
from fleet_rig import PSQL, bench
from rig import until, write_files

GOALS = {"agent: cpu an event, us": 10, "agent: peak anonymous, MiB": 24, "view: status, ms": 300,
         "view: groups of questions, ms": 300, "view: longest gap between signs of life, intervals": 1.1,
         "pace: a burst: change with an agent out of reach, %": 2, "pace: a burst: change with an agent at work, %": 2}


def agent(options):
    """A copy of many jobs from nothing, then the same again while they happen."""
    files, figures = int(20_000 * options.scale), {}
    with bench(options.build) as far:
        host = far.host("one")
        host.prepare(files, 1024)
        host.run(files)
        last = host.last()
        before, begin = far.server.cpu(), time.monotonic()
        host.start_agent()
        with measure.Peak(host.agent.pid) as peak:
            host.mirrored(last)
            wall = time.monotonic() - begin
            time.sleep(1)
        spent = measure.cpu(host.agent.pid)
        figures["agent: events a second, a copy from nothing"] = last / wall
        figures["agent: cpu an event, us, a copy from nothing"] = spent * 1e6 / last
        figures["agent: database's cpu an event, us, a copy from nothing"] = (far.server.cpu() - before) * 1e6 / last

        host.prepare(files, 1024)
        before, of_server = measure.cpu(host.agent.pid), far.server.cpu()
        with measure.Peak(host.agent.pid) as work:
            host.run(files, files)
            now = host.last()
            host.mirrored(now)
        figures["agent: cpu an event, us"] = (measure.cpu(host.agent.pid) - before) * 1e6 / (now - last)
        figures["agent: database's cpu an event, us"] = (far.server.cpu() - of_server) * 1e6 / (now - last)
        figures["agent: peak anonymous, MiB"] = max(peak.anonymous, work.anonymous)
        figures["agent: peak resident, MiB"] = max(peak.resident, work.resident)
        time.sleep(10)  # the last rounds, in which files that were removed are told
        before = measure.cpu(host.agent.pid)
        time.sleep(30)
        figures["agent: cpu at rest, ms a minute"] = (measure.cpu(host.agent.pid) - before) * 2000
    return figures


def database(options):
    """Several ledgers copied into one database at once."""
    files, count = int(8_000 * options.scale), 4
    with bench(options.build) as far:
        hosts = [far.host(f"host{number}") for number in range(count)]
        done = 0
        for host in hosts:
            host.prepare(files, 1024)
            host.run(files, 0) if done == 0 else run_more(host, files, done)
            done += files
        lasts = [host.last() for host in hosts]
        for host in hosts:
            host.stop()
            host.start()
        before, begin = far.server.cpu(), time.monotonic()
        for host in hosts:
            host.start_agent()
        for host, last in zip(hosts, lasts):
            host.mirrored(last)
        wall = time.monotonic() - begin
        return {f"database: events a second from {count} agents": sum(lasts) / wall,
                "database: cpu an event, us": (far.server.cpu() - before) * 1e6 / sum(lasts)}


def run_more(host, files, done):
    """As Rig.run, where the server counts the files of other hosts too."""
    host.drop(files)
    until("the server has all", lambda: host.sink.registered() >= done + files, 600, 0.01)
    until("all are registered", lambda: host.registered() >= files, 600, 0.01)


def pace(options):
    """Rounds of the same files without an agent, with one whose database is out of reach, and with one at work, in turn.

    The agent gathers while jobs go fast, so that a burst says what jobs wait for it, and many jobs without a pause what it costs. Each
    run has a daemon of its own: for a minute after an agent's question a daemon keeps what changes.
    """
    figures = {}
    for kind, files, rounds in (("a burst", 10_000, 5), ("without a pause", 40_000, 3)):
        figures |= pace_of(options, kind, int(files * options.scale), rounds)
    return figures


def warmed(host, done, files):
    """Starts the daemon anew and has it do some jobs; the number of jobs registered so far."""
    host.stop()
    host.start()
    host.prepare(files, 1024)
    host.run(files, done)
    return done + files


def pace_of(options, kind, files, rounds):
    names = ("none", "out of reach", "at work")
    walls, cpus, agents, databases = ({name: [] for name in names} for _ in range(4))
    change, corrected, late = {name: [] for name in names}, [], []
    with bench(options.build, elsewhere=True) as far:
        host, done = far.host("one"), 0
        for _ in range(rounds):
            for name in names:
                done = warmed(host, done, min(files, 1000))
                if name == "at work":
                    host.start_agent()
                    host.mirrored(host.last())
                elif name == "out of reach":
                    # of TEST-NET-1 (RFC 5737): nobody answers
                    host.start_agent("host=192.0.2.1 user=one dbname=postgres")
                    time.sleep(0.5)
                host.prepare(files, 1024)
                of_server, of_agent = far.server.cpu(), measure.cpu(host.agent.pid) if host.agent else 0
                wall, spent = host.run(files, done)
                walls[name].append(wall)
                # what the database takes of two processors here, it takes of others' elsewhere
                of_server_now = far.server.cpu() - of_server
                if name == "at work":
                    corrected.append(1 - walls["none"][-1] / (wall - of_server_now / os.cpu_count()))
                    begin = time.monotonic()
                    host.mirrored(host.last())
                    late.append(time.monotonic() - begin)
                change[name].append(1 - walls["none"][-1] / wall)
                cpus[name].append(spent * 1e6 / files)
                agents[name].append((measure.cpu(host.agent.pid) - of_agent) * 1e6 / files if host.agent else 0)
                databases[name].append((far.server.cpu() - of_server) * 1e6 / files)
                done += files
                host.stop_agent()
    figures = {f"pace: {kind}: jobs a second, agent {name}": files / statistics.median(of) for name, of in walls.items()}
    figures |= {f"pace: {kind}: daemon's cpu a job, us, agent {name}": statistics.median(of) for name, of in cpus.items()}
    figures |= {f"pace: {kind}: change with an agent {name}, %": statistics.median(change[name]) * 100 for name in names[1:]}
    return figures | {
        f"pace: {kind}: the same without the database's share of the processors, %": statistics.median(corrected) * 100,
        f"pace: {kind}: agent's cpu a job, us": statistics.median(agents["at work"]),
        f"pace: {kind}: database's cpu a job, us": statistics.median(databases["at work"]),
        f"pace: {kind}: the copy is complete after, s": statistics.median(late)}


def hosts(options):
    """50 hosts of 10 files a second each, for half a minute."""
    count, seconds = max(2, int(50 * options.scale)), 30
    with bench(options.build) as far:
        all_hosts = [far.host(f"host{number}") for number in range(count)]
        for host in all_hosts:
            host.start_agent()
            write_files(f"{host.home}/drop", 10 * seconds, 1024)
        for host in all_hosts:
            host.mirrored(0)
        time.sleep(3)

        def look():
            values = far.server.sql(
                "SELECT pg_stat_clear_snapshot(); SELECT xact_commit, tup_inserted, tup_updated, tup_deleted, "
                "(SELECT wal_bytes FROM pg_stat_wal), (SELECT sum(last) FROM waybill.host) FROM pg_stat_database "
                "WHERE datname = 'postgres'").split("\n")[-1].split("|")
            return [*map(float, values), far.server.cpu(), sum(measure.cpu(host.agent.pid) for host in all_hosts)]

        time.sleep(2)
        rest = look()
        time.sleep(10)
        rest = [(now - then) / 10 for now, then in zip(look(), rest)]
        before, begin = look(), time.monotonic()
        for second in range(seconds):
            for tenth in range(10):
                for host in all_hosts:
                    number = second * 10 + tenth
                    os.rename(f"{host.home}/drop/{number}", f"{host.home}/spool/{number}")
                time.sleep(max(0, begin + second + (tenth + 1) / 10 - time.monotonic()))
        dropped = time.monotonic()
        # three events a file
        until("all is mirrored", lambda: look()[5] >= before[5] + 3 * count * 10 * seconds, 120)
        wall, late = time.monotonic() - begin, time.monotonic() - dropped
        work = [(now - then) / wall for now, then in zip(look(), before)]
    names = ("transactions", "rows inserted", "rows updated", "rows deleted", "bytes of WAL", "events", "cpu of the database, s",
             "cpu of the agents, s")
    return {f"hosts: {name} a second, {count} hosts of 10 files/s": value for name, value in zip(names, work)} | {
        f"hosts: {name} a second, {count} hosts at rest": value for name, value in zip(names, rest)} | {
        f"hosts: files a second, {count} hosts": count * 10 * seconds / (dropped - begin),
        "hosts: the copy is complete after the last file, s": late}


def view(options):
    """200 hosts with 5 million jobs: the status, and signs of life."""
    count, each, interval = 200, int(25_000 * options.scale), 10
    with bench(options.build) as far:
        far.server.sql(f"""
        INSERT INTO waybill.host (ledger, owner, name, generation, version, applied, seen, last, status, heartbeat)
        SELECT ('00000000-0000-4000-8000-' || lpad(h::text, 12, '0'))::uuid, 'host' || h, 'host' || h, 1, '0.1.0', {each * 3}, 's', {each * 3},
          jsonb_build_object('counts', jsonb_build_object('registered', {each * 95 // 100}, 'awaiting-confirmation', {each // 500}),
            'gates', CASE WHEN h <= 20 THEN '[{{"destination": "storage.main", "reason": "unavailable"}}]' ELSE '[]' END::jsonb), '10s'
        FROM generate_series(1, {count}) AS h;
        INSERT INTO waybill.job (ledger, number, owner, revision, doc)
        SELECT ledger, n, owner, 3, jsonb_build_object('job', n, 'id', gen_random_uuid(), 'revision', 3, 'spool', 'documents',
          'name', 'scan ' || n || '.pdf', 'path', '/var/spool/waybill/documents/scan ' || n, 'size', 123456, 'step', 'register', 'state', s,
          'phase', CASE s WHEN 'queued' THEN 'waiting' WHEN 'registered' THEN 'done' WHEN 'aborted' THEN 'stopped' ELSE 'needs-you' END,
          'destination', 'backend.main', 'attempt', 1, 'error', CASE WHEN s IN ('awaiting-confirmation', 'aborted') THEN jsonb_build_object(
            'kind', 'rejected', 'status', 422, 'message', jsonb_build_object('text', 'HTTP 422: number ' || n % 20 || ' is taken')) END,
          'link', 's3://documents/documents/2026/11/24/' || n, 'created_at', '2026-11-24T00:00:00.000Z',
          'updated_at', '2026-11-24T00:00:00.000Z')
        FROM waybill.host, LATERAL (SELECT n, CASE WHEN n % 500 = 0 THEN 'awaiting-confirmation' WHEN n % 1000 = 1 THEN 'aborted'
          WHEN n % 25 = 2 THEN 'queued' ELSE 'registered' END AS s FROM generate_series(1, {each}) AS n) AS j;
        """)
        far.server.sql("VACUUM ANALYZE waybill.job; VACUUM ANALYZE waybill.host;")
        figures = {"view: jobs": float(far.server.sql("SELECT count(*) FROM waybill.job")),
                   "view: size of the tables, MiB": float(far.server.sql("SELECT pg_database_size('postgres')")) / 1048576}

        # the simulated hosts go on telling that they live, and one real host is among them
        host, over = far.host("real"), threading.Event()
        host.start_agent()

        def beat():
            feed = subprocess.Popen([*PSQL, "-qAtX", far.server.database("postgres")], stdin=subprocess.PIPE,
                                    stdout=subprocess.DEVNULL, text=True)
            number = 0
            while not over.wait(interval / count):
                number = number % count + 1
                feed.stdin.write(f"UPDATE waybill.host SET seen_at = now(), last = last + 3, applied = applied + 3 WHERE name = "
                                 f"'host{number}';\n")
                feed.stdin.flush()
            feed.stdin.close()
            feed.wait(30)

        beating = threading.Thread(target=beat)
        beating.start()
        host.mirrored(0)

        figures |= page(far)
        # how long a sign of life stays the last one
        seen, gaps, last, end = None, [], None, time.monotonic() + 5 * interval
        while time.monotonic() < end:
            now = far.server.sql("SELECT extract(epoch FROM seen_at) FROM waybill.host WHERE name = 'real'")
            if seen is not None and now != seen:
                if last is not None:
                    gaps.append(float(now) - float(seen))
                last = now
            seen = now
            time.sleep(0.1)
        figures["view: longest gap between signs of life, intervals"] = max(gaps) / interval
        over.set()
        beating.join()
        return figures


def page(far):
    """How long `waybill-fleet web` takes for the status, for lists and for groups."""
    far.server.sql("CREATE ROLE web LOGIN IN ROLE waybill_viewer")
    config, socket = f"{far.folder}/fleet-web.toml", f"{far.folder}/web.sock"
    with open(config, "w") as file:
        file.write(f'database = "{far.server.database("web")}"\n[web]\nlisten = "{socket}"\n')
    log = open(f"{far.folder}/web.log", "a")
    process = subprocess.Popen([f"{far.build}/waybill-fleet", "web", "--config", config], stderr=log)
    far.processes.append(process)

    def spent(path):
        begin = time.monotonic()
        answer = subprocess.run(["curl", "-q", "-s", "-f", "--noproxy", "*", "--unix-socket", socket, "http://localhost/v1/" + path],
                                capture_output=True, text=True)
        return (time.monotonic() - begin) * 1000 if answer.returncode == 0 else None

    until("the server answers", lambda: spent("status"), 60)
    calls = {"status": "status", "list of questions": "jobs?state=awaiting-confirmation", "list": "jobs",
             "groups of questions": "groups?state=awaiting-confirmation"}
    measured = {name: [spent(path) for _ in range(15)] for name, path in calls.items()}
    return {f"view: {name}, ms": statistics.median(times) for name, times in measured.items()} | {
        "view: status, ms at most": max(measured["status"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--only", default="agent,database,pace,hosts,view")
    parser.add_argument("--scale", type=float, default=1.0, help="for a short trial")
    parser.add_argument("--result")
    options = parser.parse_args()
    figures = {}
    for name in options.only.split(","):
        made = {"agent": agent, "database": database, "pace": pace, "hosts": hosts, "view": view}[name](options)
        figures |= made
        for key, value in made.items():
            goal = GOALS.get(key)
            words = "" if goal is None else f"   goal {goal:6}   {'ok' if value <= goal else 'OVER'}"
            print(f"{key:75} {value:14,.2f}{words}", flush=True)
    if options.result:
        with open(options.result, "w") as file:
            json.dump(figures, file, indent=1)
    sys.exit(any(figures.get(name, 0) > goal for name, goal in GOALS.items()))


main()
