package import Jobs
import Linux
package import Messages

/// The reason why a spool cannot be used, or a problem in it, in words for the person who can act (journal entry `spool-problem`). Two
/// causes end the daemon: ``Cause/locked`` at its start (exit 78), and ``Cause/sync`` (exit 74).
package struct SpoolProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of problem. While one lasts, it is reported once per spool and cause.
  package enum Cause: String, Sendable, CaseIterable {
    case missing
    case notADirectory = "not-a-directory"
    case rights
    /// Others could move or replace the directory of claimed files.
    case exposed
    /// Users who drop files could have files sent that are not theirs.
    case links
    case readOnly = "read-only"
    /// `.waybill` is not a directory that the daemon made.
    case foreign
    case locked
    case unsupported
    /// A finished file could not be claimed; it stays where it is.
    case claim
    /// Something that is not a file replaced a file while it was claimed.
    case notAFile = "not-a-file"
    case attributes
    /// The kernel's queue of events was full; a scan follows.
    case overflow
    case watch
    /// The directory disappeared or was replaced while the daemon ran; it is looked for.
    case lost
    case scan
    /// There are more directories, or longer paths, than are searched.
    case folders
    case sync
    /// The file of a job that is over could not be disposed of.
    case disposal
    /// A file was written to after its upload; it has become a job of its own.
    case rewritten
    /// A sidecar did not arrive, cannot be used, or cannot be put back.
    case sidecar
    /// Claimed files cannot be read, so that they have no jobs yet.
    case unread
    /// Files that stay where they are meet an `after` that moves them, or the other way round.
    case kept
    /// More files stay in the spool than the list of sent files takes.
    case keepFiles = "keep-files"

    /// True if it prevents files from being claimed or disposed of until somebody fixes it.
    package var lasts: Bool {
      switch self {
      case .missing, .notADirectory, .rights, .readOnly, .foreign, .locked, .unsupported, .claim, .watch, .lost, .scan,
        .folders, .sync, .disposal, .unread, .kept, .keepFiles:
        true
      case .exposed, .links, .notAFile, .attributes, .overflow, .rewritten, .sidecar:
        false
      }
    }
  }

  package let spool: String
  package let path: String
  package let cause: Cause
  package let message: Message
  package let advice: Message?
  package let errno: Int32?

  package init(_ options: SpoolOptions, _ cause: Cause, _ message: Message, remedy: Message?, errno: Int32? = nil) {
    self.spool = options.name
    self.path = options.path
    self.cause = cause
    self.message = message
    self.advice = remedy
    self.errno = errno
  }

  init(_ options: SpoolOptions, _ cause: Cause, _ error: FileError, remedy: Message?) {
    self.init(options, cause, error.message, remedy: remedy, errno: error.errno)
  }

  package var reason: String { message.text }
  /// The remedy in English; empty if nothing needs to be done.
  package var remedy: String { advice?.text ?? "" }

  static func ofScan(_ options: SpoolOptions, _ error: FileError) -> SpoolProblem {
    SpoolProblem(options, .scan, error, remedy: .grantReading(user: UserName.of(ProcessRights.user)))
  }

  static func unwatched(_ options: SpoolOptions, _ error: FileError) -> SpoolProblem {
    SpoolProblem(
      options, .watch, .polledInstead(why: error.message, time: options.poll), remedy: .raiseInotify, errno: error.errno
    )
  }

  /// The same problem for a file that was to be claimed, with the addition that the file stays in the spool.
  func ofClaim(_ options: SpoolOptions) -> SpoolProblem {
    SpoolProblem(options, cause, .staysInSpool(why: message), remedy: advice, errno: errno)
  }

  /// The problem in one sentence: `spool documents: REASON; REMEDY`.
  package var said: Message {
    let what = Message.ofSpool(spool: spool, why: message)
    return advice.map { .and(what: what, more: $0) } ?? what
  }

  package var description: String { said.text }
}

/// Reports each problem once while it lasts, and reports its end. A problem has ended if neither the last scan met it, nor
/// anything else since the scan before. (A file that a scan finds may be claimed only after the end of that scan.)
struct ProblemReports {
  private struct Key: Hashable {
    let cause: SpoolProblem.Cause
    let errno: Int32?
  }

  private let intake: any SpoolIntake
  private var told: Set<Key> = []
  private var met: Set<Key> = []
  private var metBefore: Set<Key> = []

  init(_ intake: any SpoolIntake) { self.intake = intake }

  /// True if there is a problem that keeps files from being taken.
  var hasLasting: Bool { told.contains { $0.cause.lasts } }

  func isTold(_ cause: SpoolProblem.Cause) -> Bool { told.contains { $0.cause == cause } }

  mutating func report(_ problem: SpoolProblem) {
    let key = Key(cause: problem.cause, errno: problem.errno)
    met.insert(key)
    if told.insert(key).inserted { intake.report(problem) }
  }

  mutating func beginScan() {
    metBefore = met
    met = []
  }

  mutating func endScan() {
    let (met, metBefore) = (met, metBefore)
    end { !met.contains($0) && !metBefore.contains($0) }
  }

  mutating func forget() { forget { _ in true } }

  mutating func forget(_ cause: SpoolProblem.Cause) { forget { $0.cause == cause } }

  /// Ends all problems except those of `cause` and the given one.
  mutating func forgetAll(but cause: SpoolProblem.Cause, and problem: SpoolProblem) {
    forget { $0.cause != cause && $0 != Key(cause: problem.cause, errno: problem.errno) }
  }

  private mutating func forget(where isOver: (Key) -> Bool) {
    end(where: isOver)
    met = met.filter { !isOver($0) }
    metBefore = metBefore.filter { !isOver($0) }
  }

  private mutating func end(where isOver: (Key) -> Bool) {
    for key in told where isOver(key) {
      told.remove(key)
      intake.reportEnd(of: key.cause, key.errno)
    }
  }
}

extension SpoolProblem {
  /// Adds to a remedy that the unit's sandbox may hide the directory (systemd.exec(5): ProtectHome=, PrivateTmp=).
  static func toSee(_ path: String, _ remedy: Message) -> Message {
    func isIn(_ folder: String) -> Bool { path == folder || path.hasPrefix(folder + "/") }
    if let folder = ["/tmp", "/var/tmp"].first(where: isIn) {
      return .and(what: remedy, more: .useDirectoryElsewhere(folder: folder))
    }
    return ["/home", "/root", "/run/user"].contains(where: isIn)
      ? .and(what: remedy, more: .showHomes(path: path)) : remedy
  }
}
