"""time-zones.py offsets: lines `ZONE SECONDS OFFSET` for every zone of the system, at moments of three centuries and around changes.
time-zones.py at: the same for the lines `ZONE SECONDS` on standard input.
time-zones.py year ZONE YEAR: lines `SECONDS MINUTE-OF-THE-WEEK` for each quarter of an hour of a year; Monday, 00:00, is 0.
"""
import random
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def offset(zone, seconds):
    moment = (EPOCH + timedelta(seconds=seconds)).astimezone(zone)
    return round(moment.utcoffset().total_seconds())


def offsets():
    chance = random.Random(8536)
    for name in sorted(available_timezones()):
        if name in ("localtime", "posixrules") or name.startswith(("right/", "posix/")):
            continue
        zone = ZoneInfo(name)
        moments = [chance.randrange(-3_500_000_000, 8_000_000_000) for _ in range(60)]
        for year in (1987, 2026, 2037, 2038, 2099):
            for month in (3, 4, 10, 11):
                day = int((datetime(year, month, chance.randrange(1, 31), tzinfo=timezone.utc) - EPOCH).total_seconds())
                moments.append(day + chance.randrange(0, 86_400))
        for seconds in moments:
            print(name, seconds, offset(zone, seconds))


def at():
    for line in sys.stdin:
        name, seconds = line.split()
        print(name, seconds, offset(ZoneInfo(name), int(seconds)))


def year(name, number):
    zone = ZoneInfo(name)
    moment = datetime(int(number), 1, 1, tzinfo=timezone.utc)
    while moment.year == int(number):
        local = moment.astimezone(zone)
        print(int(moment.timestamp()), local.weekday() * 1440 + local.hour * 60 + local.minute)
        moment += timedelta(minutes=15)


{"offsets": offsets, "at": at, "year": year}[sys.argv[1]](*sys.argv[2:])
