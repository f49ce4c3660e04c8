import ChildProcesses
import Foundation
import Jobs
import Settings
import Testing

/// The settings of what is no document, of tags and locks, of the archive, and of the time.
@Suite struct LeftAloneSettingsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func readsSpoolFilters() throws {
    let text =
      Sample.smallest
      + "only = [\"*.pdf\", \"*.tif\"]\nmin_size = \"1KiB\"\nmax_size = \"2GiB\"\nempty = \"ignore\"\ntimezone = \"Asia/Tokyo\"\n"
      + "after = \"archive\"\narchive = \"/srv/archive\"\narchive_keep = \"90d\"\n"
    let spool = try #require(try Sample.load(text, in: directory).spools.first)
    #expect(spool.only == ["*.pdf", "*.tif"])
    #expect(spool.sizes == SizeLimits(least: 1024, greatest: 2 << 30, takesEmpty: false))
    #expect(spool.timeZone.name == "Asia/Tokyo" && spool.timeZone.offset(at: 0) == 9 * 3600)
    #expect(spool.archiveKeep == .seconds(90 * 86_400))
    #expect(spool.expectEvery == nil)
    let expecting = try Sample.load(Sample.smallest + "expect_every = \"3d\"\n", in: directory)
    #expect(expecting.spools.first?.expectEvery == .seconds(3 * 86_400))
  }

  @Test func spoolInheritsDaemonTimeZone() throws {
    let text = "[daemon]\ntimezone = \"Europe/Berlin\"\n" + Sample.smallest
    let configuration = try Sample.load(text, in: directory)
    #expect(configuration.daemon.timeZone.name == "Europe/Berlin")
    #expect(configuration.spools.first?.timeZone == configuration.daemon.timeZone)
    let plain = try Sample.load(Sample.smallest, in: directory)
    let changes = configuration.changes(from: plain)
    #expect(changes.changed == ["daemon.timezone", "spool.documents"] && changes.needsRestart.isEmpty)
  }

  @Test func readsStorageTagsAndLock() throws {
    let lines = """
      tags = { type = "{ext}", case = "{metadata.case}" }
      object_lock = { mode = "compliance", retain = "7y", legal_hold = true }
      headers = { "x-amz-storage-class" = "{metadata.class}" }

      """
    let text = Sample.smallest.replacing("[storage.main]\n", with: "[storage.main]\n" + lines)
    let storage = try #require(try Sample.load(text, in: directory).storages["main"])
    #expect(storage.tags == ["type": "{ext}", "case": "{metadata.case}"])
    #expect(storage.objectLock?.retention?.mode == .compliance && storage.objectLock?.hasLegalHold == true)
    #expect(storage.objectLock?.retention?.span == RetentionSpan("7y"))
    #expect(storage.headers == ["x-amz-storage-class": "{metadata.class}"])
  }

  @Test(arguments: [
    Broken(
      .after("min_size = \"2MiB\"\nmax_size = \"1MiB\""),
      "F:10: spool.documents.min_size: is more than max_size, so that no file is ever taken; make it smaller"),
    Broken(
      .after("min_size = \"1\"\nempty = \"send\""),
      "F:11: spool.documents.empty: has no effect: an empty file is smaller than min_size; leave one of them out"),
    Broken(
      .after("empty = \"skip\""),
      #"F:10: spool.documents.empty: "skip" is not known; it may be "send", "ignore""#),
    Broken(
      .after("only = [\"a/b\"]"),
      #"F:10: spool.documents.only: "a/b" matches no name; a pattern is for a name, not for a path: 1 to 255 bytes, no slash"#
    ),
    Broken(
      .after("only = \"*.pdf\""),
      #"F:10: spool.documents.only: is the string "*.pdf" where an array of strings belongs; write it like only = ["*.pdf", "*.tif"]"#
    ),
    Broken(
      .after("expect_every = \"30s\""),
      #"F:10: spool.documents.expect_every: "30s" is out of range; it may be 1min to 366d"#),
    Broken(
      .after("archive_keep = \"90d\""),
      #"F:10: spool.documents.archive_keep: has no effect; it needs after = "archive""#),
    Broken(
      .after("after = \"archive\"\narchive = \"/srv/a\"\narchive_keep = \"1h\""),
      #"F:12: spool.documents.archive_keep: "1h" is out of range; it may be 1d to 100y"#),
    Broken(
      .after("key = \"{metadata.}/{id}\""),
      #"F:10: spool.documents.key: unknown placeholder "{metadata.}"; did you mean {metadata.NAME}?"#
    ),
    Broken(
      .after("timezone = \"Europe/Berln\""),
      #"F:10: spool.documents.timezone: the time zone "Europe/Berln" cannot be read: cannot open /usr/share/zoneinfo/Europe/Berln: No such file or directory (ENOENT); write a name like "Europe/Berlin"; timedatectl list-timezones shows them all. The package tzdata has them"#
    ),
    Broken(
      .after("timezone = \"../../../etc/passwd\""),
      #"F:10: spool.documents.timezone: "../../../etc/passwd" is not a time zone; write a name like "Europe/Berlin"; timedatectl list-timezones shows them all"#
    ),
    Broken(
      .after("timezone = \"zone.tab\""),
      #"F:10: spool.documents.timezone: "zone.tab" is not a time zone; write a name like "Europe/Berlin"; timedatectl list-timezones shows them all"#
    ),
    Broken(
      .after("timezone = \"tzdata\""),
      #"F:10: spool.documents.timezone: the time zone "tzdata" cannot be read: cannot open /usr/share/zoneinfo/tzdata: No such file or directory (ENOENT); write a name like "Europe/Berlin"; timedatectl list-timezones shows them all. The package tzdata has them"#
    ),
  ])
  func refusesContradictorySpools(broken: Broken) throws { try broken.check(in: directory) }

  @Test(arguments: [
    Broken(
      .line(3, "bucket = \"documents\"\ntags = { \"a;b\" = \"x\", t = \"{nope}\", u = \"x#\", v = 1 }"),
      "F:4: storage.main.tags.\"a;b\": is no name of a tag: it has the character ; in it, and S3 takes letters, digits, spaces and + - = . _ : / @",
      #"F:4: storage.main.tags.t: unknown placeholder "{nope}"; it may have {spool} {yyyy} {mm} {dd} {id} {name} {stem} {ext} {job} {host} {path} {spread} {metadata.NAME}"#,
      "F:4: storage.main.tags.u: \"x#\" is no value of a tag: it has the character # in it, and S3 takes letters, digits, spaces and + - = . _ : / @",
      "F:4: storage.main.tags.v: is the integer 1 where a string belongs; write it like v = \"{ext}\""),
    Broken(
      .line(3, "bucket = \"documents\"\ntags = { \((1...11).map { "t\($0) = \"\"" }.joined(separator: ", ")) }"),
      "F:4: storage.main.tags: has 11 tags; S3 takes at most 10 for an object"),
    Broken(
      .line(3, "bucket = \"documents\"\ntags = { a = \"b\" }\nheaders = { \"X-Amz-Tagging\" = \"a=b\" }"),
      "F:4: storage.main.tags: says the same as the header x-amz-tagging; leave that header out"),
    Broken(
      .line(3, "bucket = \"documents\"\nobject_lock = { mode = \"compliance\" }"),
      #"F:4: storage.main.object_lock.retain: missing; add a line like retain = "7y""#),
    Broken(
      .line(3, "bucket = \"documents\"\nobject_lock = { retain = \"7 weeks\", mode = \"governance\" }"),
      #"F:4: storage.main.object_lock.retain: "7 weeks" is not a time to keep an object; write days, months or years: "90d", "7y""#
    ),
    Broken(
      .line(3, "bucket = \"documents\"\nchecksum = \"none\"\nobject_lock = { legal_hold = true }"),
      #"F:5: storage.main.object_lock: needs a checksum in a header, as S3 demands it for locked objects; leave out checksum = "none""#
    ),
    Broken(
      .line(3, "bucket = \"documents\"\nheaders = { x-amz-storage-class = \"{class}\" }"),
      #"F:4: storage.main.headers.x-amz-storage-class: unknown placeholder "{class}"; it may have {spool} {yyyy} {mm} {dd} {id} {name} {stem} {ext} {job} {host} {path} {spread} {metadata.NAME}"#
    ),
  ])
  func refusesSettingsS3WouldReject(broken: Broken) throws { try broken.check(in: directory) }

  private func plan(_ text: String) throws -> BandwidthPlan {
    try Sample.load("[daemon]\nbandwidth = \(text)\n" + Sample.smallest, in: directory).daemon.bandwidth
  }

  @Test func readsBandwidthPlanByTime() throws {
    typealias Window = BandwidthPlan.Window
    let day = 1440
    let office = try plan(
      "[{ from = \"Mon-Fri 08:00\", to = \"18:00\", limit = \"2MiB\" }, { limit = \"20MiB\" }]")
    #expect(office.otherwise == 20 << 20)
    #expect(office.windows == (0..<5).map { Window(from: $0 * day + 480, minutes: 600, limit: 2 << 20) })
    let night = try plan("[{ from = \"22:00\", to = \"6:00\", limit = \"0\" }]")
    #expect(night.windows == (0..<7).map { Window(from: $0 * day + 1320, minutes: 480, limit: 0) })
    let weekend = try plan("[{ from = \"fri 18:00\", to = \"Monday 06:00\", limit = \"1MiB\" }]")
    #expect(weekend.windows == [Window(from: 4 * day + 1080, minutes: 2 * day + 720, limit: 1 << 20)])
    let days = try plan("[{ from = \"Sat,Sun,Tue..Wed 00:00\", to = \"24:00\", limit = \"1MiB\" }]")
    #expect(days.windows.map(\.from) == [5 * day, 6 * day, day, 2 * day])
    #expect(days.windows.allSatisfy { $0.minutes == day })
    let around = try plan("[{ from = \"Sat-Mon 10:00\", to = \"11:00\", limit = \"1MiB\" }]")
    #expect(around.windows.map(\.from) == [5 * day + 600, 6 * day + 600, 600])
    #expect(try plan("\"2MiB\"") == BandwidthPlan(otherwise: 2 << 20))
  }

  @Test(arguments: [
    ("[{ from = \"08:00\", limit = \"1MiB\" }]", "bandwidth[1].to: missing"),
    ("[{ to = \"08:00\", limit = \"1MiB\" }]", "bandwidth[1].from: missing"),
    ("[{ from = \"08:00\", to = \"10:00\" }]", "bandwidth[1].limit: missing"),
    ("[{ from = \"8\", to = \"10:00\", limit = \"1MiB\" }]", "bandwidth[1].from: \"8\" is not a time of the week"),
    ("[{ from = \"24:00\", to = \"10:00\", limit = \"1MiB\" }]", "bandwidth[1].from: \"24:00\" is not"),
    ("[{ from = \"Mon-Fry 08:00\", to = \"10:00\", limit = \"1MiB\" }]", "bandwidth[1].from: \"Mon-Fry 08:00\" is not"),
    ("[{ from = \"08:00\", to = \"10:60\", limit = \"1MiB\" }]", "bandwidth[1].to: \"10:60\" is not a time"),
    ("[{ from = \"08:00\", to = \"08:00\", limit = \"1MiB\" }]", "bandwidth[1].to: is the same time as from"),
    ("[{ from = \"Mon-Fri 08:00\", to = \"Sat 08:00\", limit = \"1MiB\" }]", "bandwidth[1].to: names days where from"),
    ("[{ from = \"08:00\", to = \"10:00\", limit = \"1KiB\" }]", "bandwidth[1].limit: is less than 16KiB a second"),
    ("[{ limit = \"1MiB\" }, { limit = \"2MiB\" }]", "bandwidth[2].limit: is a second limit without from and to"),
    (
      "[{ from = \"Mon 08:00\", to = \"12:00\", limit = \"1MiB\" }, { from = \"11:00\", to = \"13:00\", limit = \"2MiB\" }]",
      "bandwidth[2].from: overlaps with entry 1"
    ),
    (
      "[{ from = \"Sun 22:00\", to = \"06:00\", limit = \"1MiB\" }, { from = \"Mon 05:59\", to = \"07:00\", limit = \"2MiB\" }]",
      "bandwidth[2].from: overlaps with entry 1"
    ),
    ("[{ from = \"Mon,Tue 08:00\", to = \"07:00\", limit = \"1MiB\", till = 1 }]", "bandwidth[1].till: unknown key"),
    ("[3]", "bandwidth: has the integer 3 in it where a table belongs"),
    ("3", "bandwidth: is the integer 3 where a size in quotes belongs"),
  ])
  func refusesInvalidBandwidthPlans(text: String, words: String) throws {
    let problems = try Sample.problems("[daemon]\nbandwidth = \(text)\n" + Sample.smallest, in: directory)
    #expect(problems.count == 1 && problems.first?.contains("daemon.\(words)") == true, "\(problems)")
  }
}
