package import Jobs
import Ledger
import Linux
import Messages
import Registration
import Spool

/// Finds the spool that has a job's file: the configuration may have given its directory another name, and the name another directory.
extension Stages {
  /// Returns the spool of another name that has a job's file, or what a crash has left of its disposal; nil if none has it.
  func otherPart(holding job: Job) -> SpoolPart? {
    // A file of this name in another spool is another file.
    guard job.ticket.parcel != .inPlace else { return nil }
    for (name, part) in parts.sorted(by: { $0.key < $1.key }) where name != job.ticket.spool {
      // Ignored: a spool that cannot be looked at now is searched once it can be.
      if (try? part.directory.held().hasClaim(job.ticket.claim)) == true { return part }
    }
    return nil
  }

  package func placeOfFile(of job: Job) -> String? { otherPart(holding: job)?.directory.options.path }

  /// Returns the name that a spool has now; nil if its directory is not configured.
  func name(of directory: SpoolDirectory) -> String? {
    parts.first { $0.value.directory.options.path == directory.options.path }?.key
  }

  /// Puts the file of a job into another directory, durably; throws if the spool is not configured, or the directory is the daemon's own.
  package func release(_ job: Job, to path: String) async throws {
    guard let directory = parts[job.ticket.spool]?.directory else {
      throw Failure(.configuration, .notConfigured(name: "spool.\(job.ticket.spool)"))
    }
    let ticket = job.ticket
    try await workers.run { [reserved] in
      let target = try LockedSpool.target(path)
      try reserved.requireFree(target, for: ticket.claim.names.map(\.bytes))
      try directory.held().release(ticket.claim, into: target)
    }
  }

  /// Returns the text of a job's sidecar if the backend's fields need it; nil if it is not text, as was found at the admission.
  /// - Throws: a failure if the sidecar is gone. The body is fixed together with the link, and would never get the description.
  func sidecarText(of job: Job, for backend: Backend) async throws(Failure) -> String? {
    let ticket = job.ticket
    guard let sidecar = ticket.parcel.sidecar, backend.wantsSidecars else { return nil }
    guard let directory = parts[ticket.spool]?.directory else {
      throw Failure(.configuration, .notConfigured(name: "spool.\(ticket.spool)"))
    }
    do {
      return try await workers.run {
        // Ignored: the admission has found that these bytes are not text, so there is none to send.
        try directory.held().sidecarBytes(sidecar, ticket.id, ticket.dropped).flatMap { try? SidecarText.text($0) }
      }
    } catch {
      let why = (error as? FileError)?.message ?? .otherError(why: "\(error)")
      let name = sidecar.pattern.sidecar(of: ticket.name).shown
      throw Failure(.file, .sidecarUnreadable(name: name, why: why), code: (error as? FileError)?.code)
    }
  }
}

/// Attempts on files that stay where they are: the medium may be taken out at any time.
extension Stages {
  /// The time until a job is tried again after its medium was missing for the first time: the medium may only have failed to respond.
  static let firstPauseWhileAway = Duration.seconds(30)
  /// The time until each later try, the longest wait that there is. A medium that is noticed makes its jobs due at once.
  static let pauseWhileAway = Duration.seconds(3600)
  /// The time from a job's admission after which a person is asked about the missing medium, which may never come back.
  static let patienceInPlace = Duration.seconds(7 * 86_400)

  /// The time until a job is tried again while another one has the same file, whose end makes it due earlier (`LedgerBatch.giveName`).
  private static let pauseBehindNamesake = Duration.seconds(3600)

  /// Returns the result of an attempt while another job holds the file's name: the other goes first.
  static func goesAfter(_ other: JobNumber, _ job: Job) -> AttemptResult {
    let words = Message.fileOfAnotherJob(job: other.rawValue, name: job.ticket.name.shown)
    return .failed(Failure(.file, words, code: Failure.nameHeldCode), .wait(after: pauseBehindNamesake))
  }

  /// Makes a job hold the name of its file for its registration; returns nil if the job must be registered. Of two stored jobs of one
  /// file, the second waits for the first, and is skipped if the first was registered with the same bytes.
  static func holdName(of job: Job, _ stored: StoredLink, _ ledger: JobLedger) async throws -> AttemptResult? {
    if let other = try await ledger.holdName(of: job) { return goesAfter(other, job) }
    guard let receipt = stored.receipt, let sha256 = receipt.sha256, !job.sendsDuplicate else { return nil }
    let sent = try await ledger.sentFiles(like: job, sha256: sha256)
    guard let same = sent.first(where: { $0.name == job.ticket.dropped && $0.job != job.number }) else { return nil }
    // The earlier object was replaced under the same key.
    let earlier = try await ledger.job(.number(same.job))?.stored?.receipt
    guard job.ticket.hasOwnKey || earlier.map({ $0.key != receipt.key }) == true else { return nil }
    return .recognized(Recognized(job: same.job, sha256: sha256))
  }

  /// Returns the result of an attempt whose file could not be read because its medium is missing; nil for another reason.
  func awayInPlace(_ failure: Failure, _ job: Job, _ part: SpoolPart) async -> AttemptResult? {
    guard failure.kind == .file, part.options.keepsFiles else { return nil }
    let (directory, identity) = (part.directory, job.identity)
    // A file that was claimed under another `after` counts as missing only if the directory is there.
    guard job.ticket.parcel == .inPlace || !directory.status.isPresent else { return nil }
    // Ignored: the call throws nothing.
    guard (try? await workers.run { directory.isAway(identity) }) ?? false else { return nil }
    let away = Failure(.file, .inPlaceAway(name: job.ticket.name.shown), code: Failure.awayCode)
    let age = clock.now() - job.ticket.createdAt
    // A clock that was set back so far proves as little as one that was set forward: a person is asked.
    let patience = Self.patienceInPlace - max(age, .zero - age)
    guard patience > .zero else { return .failed(away, .ask) }
    let isKnown = job.failure?.code == Failure.awayCode
    let pause = isKnown ? max(Self.firstPauseWhileAway, min(Self.pauseWhileAway, patience)) : Self.firstPauseWhileAway
    return .failed(away, .wait(after: pause))
  }
}
