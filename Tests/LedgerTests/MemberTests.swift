import Jobs
import SQLite
import Synchronization
import Testing

@testable import Ledger

@Suite struct MemberTests {
  private static func file(_ path: String, size: Int64 = 1) -> (path: FileName, identity: FileIdentity) {
    (FileName(path), FileIdentity(device: 1, inode: 2, size: size, modified: 3, changed: 4))
  }

  private static func receipt(_ etag: String) -> UploadReceipt {
    UploadReceipt(
      bucket: "", key: "", size: 1, etag: etag, version: "v", sha256: "s",
      checksum: Checksum(algorithm: "crc64nvme", type: .composite, value: "c"), crc64nvme: "n", contentType: "t/t",
      uploadedAt: Timestamp(seconds: 5))
  }

  @Test func listedFileKeepsReceiptUntilChange() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let job = try #require(try await ledger.admit([.sample("run")], begin: 1, in: both).first)
    let files = ["b", "a/c", "a"].map { Self.file($0) }
    try await ledger.list(files, of: job.number)
    try await ledger.store(Self.receipt("one"), of: FileName("a/c"), job.number)
    try await ledger.list(files, of: job.number)
    #expect(try await ledger.progress(of: job.number) == (3, 1))
    var all = try await ledger.members(of: job.number, after: nil, limit: 10)
    #expect(all.map(\.path.text) == ["a", "a/c", "b"])
    #expect(all[1].receipt == Self.receipt("one") && !all[1].mayBeStale)
    #expect(
      try await ledger.members(of: job.number, after: FileName("a"), unstored: true, limit: 10).map(\.path.text) == [
        "b"
      ])

    let upload = MultipartUpload(id: "u", partSize: 5, checksum: "none", file: files[1].identity)
    #expect(try await ledger.began(upload, of: FileName("b"), job))
    try await ledger.list([Self.file("a/c", size: 2), Self.file("b")], of: job.number)
    all = try await ledger.members(of: job.number, after: nil, limit: 10)
    #expect(all[1].receipt == nil && all[1].mayBeStale && all[1].identity.size == 2)
    #expect(all[2].multipart?.id == "u" && all[2].multipart?.file.isUnwritten(since: files[0].identity) == true)
    try await ledger.store(Self.receipt("two"), of: FileName("a/c"), job.number)
    #expect(try ledger.members([FileName("a/c"), FileName("x")], of: job.number).keys.map(\.text) == ["a/c"])
    try await ledger.unstore([FileName("a/c")], job.number)
    #expect(try await ledger.progress(of: job.number) == (3, 0))
    // another job's files are its own
    #expect(try await ledger.progress(of: JobNumber(rawValue: 99)) == (0, 0))
  }

  @Test func forgetsMissingFilesUnlessSent() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let job = try #require(try await ledger.admit([.sample("run")], begin: 1, in: both).first)
    let files = ["gone", "begun", "stored", "there"].map { Self.file($0) }
    try await ledger.list(files, of: job.number)
    let upload = MultipartUpload(id: "u", partSize: 5, checksum: "none", file: files[1].identity)
    #expect(try await ledger.began(upload, of: FileName("begun"), job))
    try await ledger.store(Self.receipt("one"), of: FileName("stored"), job.number)
    try await ledger.forget(["gone", "begun", "stored", "unknown"].map { FileName($0) }, of: job) { "run/" + $0.text }
    let left = try await ledger.members(of: job.number, after: nil, limit: 10)
    #expect(left.map(\.path.text) == ["stored", "there"])
    // A cleanup is owed for each that may have been sent, under its key, and the job goes on.
    let owed = try await ledger.beginDueCleanups(upTo: 9, in: both).sorted { $0.key < $1.key }
    #expect(owed.map(\.key) == ["run/begun", "run/gone"] && owed.map(\.uploadID) == ["u", nil])
    #expect(owed.allSatisfy { $0.aim == .look && $0.uploadUnheardAt == box.time.now })
    #expect(try await ledger.job(.number(job.number))?.state == .active)
    // One that is back is looked after by the job again.
    try await ledger.areBack(["run/gone"], in: job.number)
    for cleanup in owed { try await ledger.finish(cleanup, .left, landing: .zero) }
    #expect(try await ledger.cleanupsOwed() == 0)
    let told = box.commits.withLock { $0.flatMap(\.occurrences) }.map(\.message)
    #expect(told == ["The object run/begun of job 1 stays at storage.main"])
    #expect(try await ledger.job(.number(job.number))?.remote == nil)
  }

  @Test func memberUploadAfterCancelIsRefused() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let job = try #require(try await ledger.admit([.sample("run")], begin: 1, in: both).first)
    try await ledger.list([Self.file("a")], of: job.number)
    let caller = Caller(uid: 1, user: "anna")
    _ = try await ledger.carryOut(.cancel(remove: true), on: .number(job.number), by: caller)
    let upload = MultipartUpload(id: "u", partSize: 5, checksum: "none", file: Self.file("a").identity)
    #expect(try await !ledger.began(upload, of: FileName("a"), job))
    let members = try await ledger.members(of: job.number, after: nil, limit: 10)
    #expect(members.map(\.multipart?.id) == ["u"])
  }

  @Test func parcelIsReadAsWritten() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let far = FileIdentity(device: .max, inode: 1 << 63, size: 0, modified: -1, changed: .max)
    let parcels: [Parcel] = [
      .file, .inPlace, .group(Parcel.Group(marker: nil, files: nil)),
      .group(Parcel.Group(marker: "a *.done", files: nil)),
      .group(Parcel.Group(marker: nil, files: 12)), .group(Parcel.Group(marker: " ", files: 0)),
      .withSidecar(Parcel.Sidecar(pattern: try SidecarPattern("of {name} .json"), identity: far)),
    ]
    let admissions = parcels.map { Admission.sample("a", parcel: $0, withheld: ["a", "b \"c"]) }
    _ = try await ledger.admit(admissions)
    let jobs = try await ledger.jobs(JobFilter(), limit: 100)
    #expect(jobs.map(\.ticket.parcel) == parcels)
    #expect(jobs.allSatisfy { $0.ticket.withheld == ["a", "b \"c"] })
  }

  /// An upload in parts of a single file has a row for as long as it is under way, and is no file of a group.
  @Test func singleFileHasRowDuringParts() async throws {
    let box = try LedgerBox()
    let upload = MultipartUpload(id: "u", partSize: 5, checksum: "crc32c whole", file: Self.file("a").identity)
    let job = try await {
      let ledger = try box.open()
      let job = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
      #expect(try await ledger.beganParts(job, upload))
      try ledger.close()
      return job
    }()
    let ledger = try box.open()
    #expect(try await ledger.job(.number(job.number))?.multipart == upload)
    #expect(try await ledger.members(of: job.number).isEmpty)
    #expect(try await ledger.progress(of: job.number) == (0, 0))
    let again = try #require(try await ledger.beginDue(upTo: 1, in: both).first)
    _ = try await ledger.finish(again, .uploaded(.sample), thenTakeIn: nil)
    #expect(try await ledger.job(.number(job.number))?.multipart == nil)
    let rows: Int? = try await ledger.read { db in try db.value("SELECT count(*) FROM member") }
    #expect(rows == 0)
  }
}
