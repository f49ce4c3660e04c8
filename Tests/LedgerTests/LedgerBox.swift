import ChildProcesses
import Foundation
import Jobs
import Synchronization

@testable import Ledger

/// A ledger in a folder of its own, with a clock that only moves when it is told to.
final class LedgerBox: Sendable {
  private let folder: TemporaryFolder
  let time = TestTime()
  let commits = Mutex<[Commit]>([])
  let problems = Mutex<[String]>([])

  init() throws { folder = try TemporaryFolder() }

  var directory: String { folder.path }

  func open(longestWait: Duration = RetryPolicy.longestWait, boot: String? = nil) throws -> JobLedger {
    let ledger = try JobLedger.open(directory: directory, clock: time.clock, longestWait: longestWait, boot: boot)
    ledger.observe(self)
    return ledger
  }

  func run(_ body: (JobLedger) async throws -> Void) async throws {
    let ledger = try open()
    try await body(ledger)
    try ledger.close()
  }

  /// The ledger's files as they stand, in another place, as after the end of the process: the index is not worth anything then, and
  /// the lock goes with its holder. They are copies, or the same files.
  func crashed(sameFiles: Bool = false) throws -> LedgerBox {
    let other = try LedgerBox()
    other.time.pass(time.now - other.time.now)
    // in order, so that the log of writes stays the newest
    for name in try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    where !name.hasSuffix("-shm") && name != "ledger.lock" {
      let place =
        sameFiles
        ? FileManager.default.linkItem(atPath:toPath:) : FileManager.default.copyItem(atPath:toPath:)
      try place(directory + "/" + name, other.directory + "/" + name)
    }
    return other
  }

  var events: [JobEvent] { commits.withLock { $0.flatMap(\.events) } }
}

extension LedgerBox: LedgerObserver {
  func committed(_ commit: Commit) { commits.withLock { $0.append(commit) } }

  func writingFailed(_ error: LedgerError?) { problems.withLock { $0.append(error?.words ?? "recovered") } }
}

final class TestTime: Sendable {
  private let reading = Mutex(Timestamp(year: 2026, month: 11, day: 21))
  private let wrong = Mutex(Duration.zero)

  var clock: Clock { Clock(now: { self.now + self.wrong.withLock { $0 } }, steady: { self.now }) }
  var now: Timestamp { reading.withLock { $0 } }
  func pass(_ duration: Duration) { reading.withLock { $0 = $0 + duration } }
  /// Sets the clock that people see, by so much off the other one.
  func setWall(by duration: Duration) { wrong.withLock { $0 = duration } }
  /// A daemon that starts begins its steady clock at the wall-clock time.
  func restart() {
    pass(wrong.withLock(\.self))
    setWall(by: .zero)
  }
}

extension Admission {
  static func sample(
    _ name: String, spool: String = "documents", priority: Int = 0, size: Int64 = 3, storage: String = "main",
    backend: String = "main", captures: [String: String] = [:], parcel: Parcel = .file, withheld: [String] = []
  ) -> Admission {
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    let id = JobID.mint(at: Timestamp(seconds: 1_795_222_923), random: &random)
    return Admission(
      id: id, identity: FileIdentity(device: 1, inode: 2, size: size, modified: 4, changed: .max)
    ) { _ in
      Ticket(
        id: id, spool: spool, name: FileName(name), storage: storage, backend: backend, bucket: "documents",
        key: "1/a", contentType: "text/plain", metadata: ["a": "ä\n"], priority: priority,
        createdAt: Timestamp(seconds: 1_795_222_923), parcel: parcel, withheld: withheld, captures: captures)
    }
  }
}

let both = Lanes.wide([.backend("main"), .storage("main")])

extension Lanes {
  static func wide(_ destinations: [Destination]) -> Lanes { Lanes(concurrency: 1000, destinations: destinations) }
}

extension StoredLink {
  static let sample = StoredLink(
    link: "s3://documents/a.pdf",
    receipt: UploadReceipt(
      bucket: "documents", key: "1/a", size: 3, etag: "e", version: nil, sha256: "00",
      checksum: Checksum(algorithm: "sha256", type: .full, value: "AA=="), contentType: "text/plain",
      uploadedAt: Timestamp(seconds: 1)), body: Array("{}".utf8))
}

extension RegistrationReceipt {
  static let sample = RegistrationReceipt(
    status: 201, location: "/documents/1", body: "ok", registeredAt: Timestamp(seconds: 2))
}

extension Caller {
  static let alice = Caller(uid: 1000, user: "alice")
  /// In whose name a daemon recovers.
  static let recovery = Caller(uid: 0, user: "waybilld")
}

extension JobLedger {
  func beginDue(upTo limit: Int, in lanes: Lanes) async throws -> [Job] {
    try await writer.perform { batch in try batch.beginDue(upTo: limit, in: lanes) }
  }

  func beginDueCleanups(upTo limit: Int, in lanes: Lanes) async throws -> [Cleanup] {
    try await writer.perform { batch in try batch.beginDueCleanups(upTo: limit, in: lanes) }
  }
}

extension JobFilter {
  init(_ change: (inout JobFilter) -> Void) {
    self.init()
    change(&self)
  }
}

extension EventFilter {
  init(_ change: (inout EventFilter) -> Void) {
    self.init()
    change(&self)
  }
}

extension JobTally {
  var byState: [JobState: Int] {
    Dictionary(uniqueKeysWithValues: JobState.allCases.map { ($0, self[$0]) }).filter { $0.value != 0 }
  }
}
