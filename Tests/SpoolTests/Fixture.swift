import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Synchronization
import Testing

@testable import Spool

final class Collector: SpoolIntake {
  private let batches = Mutex<[[Claim]]>([])
  private let found = Mutex<[Claim]>([])
  private let told = Mutex<[SpoolProblem]>([])
  private let watchings = Mutex(0)
  /// The numbers of waits for room that began, and that were ended.
  private let waits = Atomic(0)
  private let ends = Atomic(0)
  private let ownHooks = Mutex(Hooks())
  let free: Atomic<Int>

  /// Things that a test does before calls of the spool, and the answers to its questions.
  struct Hooks: Sendable {
    var beforeRoom: (@Sendable () -> Void)?
    var beforeAdmission: (@Sendable () async throws -> Void)?
    var whenWatched: (@Sendable () -> Void)?
    var jobless: (@Sendable ([JobID]) -> [JobID])?
    var asker: (@Sendable () -> ClaimReference?)?
    var list: SentList?
  }

  var hooks: Hooks {
    get { ownHooks.withLock { $0 } }
    set { ownHooks.withLock { $0 = newValue } }
  }

  init(room: Int = 10_000) { free = Atomic(room) }

  var admitted: [[Claim]] { batches.withLock { $0 } }
  var claims: [Claim] { admitted.flatMap { $0 } }
  var names: [String] { claims.map(\.name.text) }
  /// What stood claimed in a spool that was lost and is back.
  var returned: [Claim] { found.withLock { $0 } }
  var problems: [SpoolProblem] { told.withLock { $0 } }
  var watchCount: Int { watchings.withLock { $0 } }

  func admitted(_ name: String) -> Bool { names.contains(name) }

  var waitCount: Int { waits.load(ordering: .acquiring) }

  func room() async -> Int {
    hooks.beforeRoom?()
    let known = ends.load(ordering: .acquiring)
    waits.add(1, ordering: .acquiringAndReleasing)
    while !Task.isCancelled, ends.load(ordering: .acquiring) == known {
      let free = free.load(ordering: .relaxed)
      if free > 0 { return free }
      await pause()
    }
    return 0
  }

  func stopWaiting() { ends.add(1, ordering: .acquiringAndReleasing) }

  func isFree(_ id: JobID) async -> Bool { true }

  func admit(_ claims: [Claim]) async throws {
    try await hooks.beforeAdmission?()
    batches.withLock { $0.append(claims) }
    hooks.list?.add(claims.compactMap(\.kept))
  }

  func adoptAll(_ claims: Batches<ClaimListing>) async throws {
    while case let batch = try claims.next(upTo: 64), !batch.isEmpty { try await adopt(batch) }
  }

  func adopt(_ claims: [Claim]) async throws { found.withLock { $0 += claims } }

  func isWatched() {
    hooks.whenWatched?()
    watchings.withLock { $0 += 1 }
  }

  func report(_ problem: SpoolProblem) { told.withLock { $0.append(problem) } }

  func reportEnd(of cause: SpoolProblem.Cause, _ code: Int32?) {}

  func withoutJob(_ ids: [JobID]) async throws -> [JobID] { hooks.jobless?(ids) ?? [] }

  func asking(for sidecars: Set<FileName>) async throws -> [ClaimReference] {
    guard let asker = hooks.asker?(), sidecars.contains(FileName(asker.name.text + ".json")) else { return [] }
    return [asker]
  }

  func begin(_ source: KeptSource) async throws -> String { "ledger" }

  func standing(of files: [KeptFile]) async throws -> [KeptStanding] {
    await hooks.list?.standing(of: files) ?? files.map { _ in .new }
  }

  func scannedAll() async throws { hooks.list?.scannedAll() }
}

/// A moment's sleep in a loop that waits for a condition; cancelling cuts it short.
func pause() async { _ = try? await Task.sleep(for: .milliseconds(2)) }

final class Place: Sendable {
  /// Longer than any test: what waits for it does not happen.
  static let never = Duration.seconds(3600)

  private let folder: TemporaryFolder
  var root: String { folder.path }
  var path: String { folder.file("spool") }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["spool", "outside"] { _ = try folder.folder(name) }
  }

  func options(settle: Duration = Place.never, settleUnseen: Duration = Place.never) -> SpoolOptions {
    var options = SpoolOptions(name: "test", path: path)
    (options.settle, options.settleUnseen, options.settleEmpty) = (settle, settleUnseen, min(settle, settleUnseen))
    return options
  }

  func paired(_ pattern: String = "{name}.json", wait: Duration = Place.never) throws -> SpoolOptions {
    var options = options(settle: .milliseconds(30), settleUnseen: .milliseconds(60))
    (options.sidecar, options.sidecarWait) = (try SidecarPattern(pattern), wait)
    return options
  }

  /// The directory that stands for `.waybill` of a spool whose files stay where they are.
  var inPlaceState: String {
    get throws {
      _ = try folder.folder("state")
      return root + "/state/in-place/test"
    }
  }

  func keeping() throws -> SpoolOptions {
    var options = options(settle: .milliseconds(20), settleUnseen: .milliseconds(20))
    (options.after, options.inPlaceState) = (.keep, try inPlaceState)
    (options.settleOpen, options.longestLook) = (.milliseconds(20), .milliseconds(50))
    return options
  }

  /// Writes a file beside the spool, and returns when nobody has it open for writing.
  ///
  /// A program that another test starts in this moment has a copy of the descriptor until it is executed. If the file is in
  /// the spool by then, the end of that copy is the closing of a writer there.
  func prepare(_ name: [UInt8], _ text: String = "content") throws {
    let outside = try Directory(path: root + "/outside")
    try outside.create(name, permissions: 0o600).write(Array(text.utf8), path: "outside")
    try awaitNoWriter(of: name, in: outside)
  }

  /// Waits until no program that another test starts has a file open for writing.
  func awaitNoWriter(of path: String) throws {
    let url = URL(filePath: path)
    try awaitNoWriter(
      of: Array(url.lastPathComponent.utf8), in: Directory(path: url.deletingLastPathComponent().path))
  }

  private func awaitNoWriter(of name: [UInt8], in folder: Directory) throws {
    let end = ContinuousClock.now + patience
    while folder.writers(of: name, whose: try folder.facts(of: name)) == .some {
      guard ContinuousClock.now < end else { throw Missing("somebody keeps \(folder.path)/\(name) open") }
      usleep(1000)
    }
  }

  func moveIn(_ name: [UInt8]) throws {
    try Directory(path: root + "/outside").rename(name, into: Directory(path: path), as: name)
  }

  func drop(_ name: String, _ text: String = "content") throws {
    try prepare(Array(name.utf8), text)
    try moveIn(Array(name.utf8))
  }

  func drop(_ name: String, _ text: String = "content", claimedBy collector: Collector) async throws {
    try drop(name, text)
    try await until("\(name) to be claimed") { collector.admitted(name) }
  }

  func takeAway(_ spool: SpoolDirectory) async throws {
    try FileManager.default.moveItem(atPath: path, toPath: root + "/away")
    try await until("the loss to be noticed") { !spool.status.isPresent }
  }

  func putBack() throws { try FileManager.default.moveItem(atPath: root + "/away", toPath: path) }

  func create(_ name: String) throws -> Descriptor {
    try Directory(path: path).create(Array(name.utf8), permissions: 0o600)
  }

  func write(_ name: String, _ text: String = "content") throws {
    try create(name).write(Array(text.utf8), path: name)
  }

  var left: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != ".waybill" }.sorted() }
  }

  var outside: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: root + "/outside") }
  }

  var claimed: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: path + "/.waybill").filter { $0 != "lock" }.sorted()
    }
  }
}

/// Runs a spool around a body, and sees that it ends by cancelling alone.
func running(
  _ spool: SpoolDirectory, _ collector: Collector, _ body: () async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      await #expect(throws: CancellationError.self) { try await spool.run(collector) }
    }
    try await until("the directory to be watched") { collector.watchCount > 0 }
    do {
      try await body()
    } catch {
      Issue.record("\(error)\nclaimed: \(collector.claims.count), problems: \(collector.problems), \(spool.status)")
      group.cancelAll()
      throw error
    }
    group.cancelAll()
  }
}

extension SpoolOptions {
  init(
    settle: Duration, settleUnseen: Duration, settleOpen: Duration, settleEmpty: Duration,
    settleRenamed: Duration = .zero
  ) {
    self.init(name: "test", path: "/test")
    (self.settle, self.settleUnseen, self.settleOpen) = (settle, settleUnseen, settleOpen)
    (self.settleEmpty, self.settleRenamed) = (settleEmpty, settleRenamed)
  }
}

extension Timestamp {
  /// Longer ago than any file has to be still for.
  static let longAgo = Timestamp(microseconds: 0)
}

extension SpoolDirectory {
  func successor(_ options: SpoolOptions) throws -> SpoolDirectory {
    try #require(SpoolDirectory(options, joining: lock, on: machine))
  }

  func claimed() throws(FileError) -> [Claim] {
    let batches = try claimBatches()
    var claims: [Claim] = []
    while true {
      let batch = try batches.next(upTo: 64)
      if batch.isEmpty { return claims }
      claims += batch
    }
  }

  /// Disposes of a file whose bytes count as changed with any of its facts.
  func dispose(
    _ id: JobID, _ name: FileName, expecting identity: FileIdentity, job: JobNumber = JobNumber(rawValue: 42),
    archive: Archive? = nil
  ) throws(FileError) -> Disposal {
    try held().dispose(ClaimReference(id, name), identity, on: terms(.longAgo), job: job, archive: archive) {
      _ throws(FileError) in false
    }
  }

  func open(_ claim: ClaimReference) throws(FileError) -> OpenFile { try held().open(claim) }

  func open(_ id: JobID, _ name: FileName) throws(FileError) -> OpenFile { try open(ClaimReference(id, name)) }

  func identity(_ claim: ClaimReference) throws(FileError) -> FileIdentity { FileIdentity(try held().facts(claim)) }

  func identity(_ id: JobID, _ name: FileName) throws(FileError) -> FileIdentity {
    try identity(ClaimReference(id, name))
  }

  func path(_ id: JobID, _ name: FileName) -> FileName { path(ClaimReference(id, name)) }
}
