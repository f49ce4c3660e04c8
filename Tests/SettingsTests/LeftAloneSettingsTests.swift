import ChildProcesses
import Foundation
import Jobs
import Settings
import Testing

@Suite struct LeftAloneSettingsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func keepIsRead() throws {
    let spool = try Sample.load(
      Sample.smallest + "after = \"keep\"\nrecursive = true\n", in: directory
    ).spools[0]
    #expect(spool.after == .keep && spool.keepsFiles)
    #expect(spool.archivePath == nil && spool.inPlaceState == nil)
    let usual = try Sample.load(Sample.smallest, in: directory).spools[0]
    #expect(!usual.keepsFiles)
  }

  @Test(
    arguments: Broken.rows(
      #"""
      + [daemon]⏎timezone = "Europe/Berln"
        F:11: daemon.timezone: the time zone "Europe/Berln" cannot be read: cannot open /usr/share/zoneinfo/Europe/Berln: No such file or directory (ENOENT); write a name like "Europe/Berlin"; timedatectl list-timezones shows them all. The package tzdata has them
      + [daemon]⏎timezone = "../../../etc/passwd"
        F:11: daemon.timezone: "../../../etc/passwd" is not a time zone; write a name like "Europe/Berlin"; timedatectl list-timezones shows them all
      + [daemon]⏎timezone = "zone.tab"
        F:11: daemon.timezone: "zone.tab" is not a time zone; write a name like "Europe/Berlin"; timedatectl list-timezones shows them all
      + [daemon]⏎timezone = "right/Europe/Berlin"
        F:11: daemon.timezone: the time zone "right/Europe/Berlin" counts leap seconds, which the system's clock does not; write a name like "Europe/Berlin"; timedatectl list-timezones shows them all
      + key = "{metadata.}/{id}"
        F:10: spool.documents.key: unknown placeholder "{metadata.}"; did you mean {metadata.NAME}?
      + duplicates = "drop"
        F:10: spool.documents.duplicates: "drop" is not known; it may be "send", "skip"
      + marker = "done"⏎duplicates = "skip"
        F:11: spool.documents.duplicates: does not go with marker; a group has many files: leave one of them out
      + after = "keep"⏎sidecar = "{name}.json"
        F:11: spool.documents.sidecar: does not go with after = "keep"; a pair is claimed by two renames: leave one of them out
      + after = "keep"⏎marker = "*.done"
        F:11: spool.documents.marker: does not go with after = "keep"; a group is claimed by a rename: leave one of them out
      3 bucket = "documents"⏎tags = { "a;b" = "x", t = "{nope}", u = "x#", v = 1 }
        F:4: storage.main.tags."a;b": is no name of a tag: it has the character ; in it, and S3 takes letters, digits, spaces and + - = . _ : / @
        F:4: storage.main.tags.t: unknown placeholder "{nope}"; it may have {spool} {yyyy} {mm} {dd} {id} {name} {stem} {ext} {job} {host} {path} {spread} {metadata.NAME}
        F:4: storage.main.tags.u: "x#" is no value of a tag: it has the character # in it, and S3 takes letters, digits, spaces and + - = . _ : / @
        F:4: storage.main.tags.v: is the integer 1 where a string belongs; write it like v = "{ext}"
      3 bucket = "documents"⏎tags = { a = "b" }⏎headers = { "X-Amz-Tagging" = "a=b" }
        F:4: storage.main.tags: says the same as the header X-Amz-Tagging; leave that header out
      3 bucket = "documents"⏎object_lock = { mode = "compliance" }
        F:4: storage.main.object_lock.retain: missing; add a line like retain = "7y"
      3 bucket = "documents"⏎object_lock = { retain = "1h", mode = "governance" }
        F:4: storage.main.object_lock.retain: "1h" is out of range; it may be 1d to 100y
      3 bucket = "documents"⏎checksum = "none"⏎object_lock = { legal_hold = true }
        F:5: storage.main.object_lock: needs a checksum in a header, as S3 demands it for locked objects; leave out checksum = "none"
      """#)
      + [
        Broken(
          .line(3, "bucket = \"documents\"\ntags = { \((1...11).map { "t\($0) = \"\"" }.joined(separator: ", ")) }"),
          "F:4: storage.main.tags: has 11 tags; S3 takes at most 10 for an object")
      ])
  func refusesWhatDoesNotFit(broken: Broken) throws { try broken.check(in: directory) }

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
    #expect(storage.objectLock?.retention?.span == .seconds(2557 * 86_400))
    #expect(storage.headers == ["x-amz-storage-class": "{metadata.class}"])
  }
}
