public import ControlAPI
import Jobs
import Linux

/// The tables of one ledger, as the mirror writes them.
public protocol MirrorStore: Sendable {
  /// Makes a change, all of it or nothing.
  ///
  /// - Throws: ``MirrorMoved`` if the position is not the one that the change begins at.
  func apply(_ batch: MirrorBatch) async throws
}

/// An error: another agent has written the rows of this ledger in the meantime.
public struct MirrorMoved: Error, Hashable, Sendable, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  /// The words.
  public var description: String { "another agent writes for this ledger now" }
}

/// A ledger to read from: its daemon, or a model of one.
public protocol MirrorSource: Sendable {
  /// Returns the events after a sequence and the jobs that changed.
  func changes(_ query: ChangesQuery) async throws -> ChangesMessage
  /// Returns a page of all jobs, in the order of their numbers, and true if it is the last one.
  func jobs(after number: Int64) async throws -> (jobs: [JobMessage], isLast: Bool)
}

/// The local daemon.
extension ControlClient: MirrorSource {
  /// Reads a page of the daemon's jobs.
  public func jobs(after number: Int64) async throws -> (jobs: [JobMessage], isLast: Bool) {
    var query = ListQuery(limit: ListQuery.limits.upperBound)
    if number > 0 { query.after = PageCursor(after: JobNumber(rawValue: number)) }
    let page = try await jobs(query)
    return (page.jobs, page.next == nil)
  }
}

/// Keeps the fleet's tables in agreement with one ledger.
public struct Mirror: Sendable {
  private let source: any MirrorSource
  private let store: any MirrorStore
  private let names: Bool
  /// The present position.
  public private(set) var position: MirrorPosition

  /// Creates a mirror that continues from a position.
  public init(source: any MirrorSource, store: any MirrorStore, position: MirrorPosition, names: Bool = true) {
    self.source = source
    self.store = store
    self.position = position
    self.names = names
  }

  /// Does one round: asks for changes, and applies them; reads all jobs if that is needed.
  ///
  /// - Parameter expecting: the uuid of the ledger; nil for any.
  /// - Returns: true if there are more changes already.
  /// - Throws: ``OtherLedger``, ``MirrorMoved``, or the errors of source and store.
  public mutating func step(wait: Int, expecting uuid: String? = nil) async throws -> Bool {
    let answer = try await source.changes(position.query(wait: wait))
    if let uuid, answer.ledger.uuid != uuid { throw OtherLedger() }
    let now = MessageTime(Timestamp(microseconds: WallClock.nanoseconds / 1000))
    let (batch, readAll) = MirrorPlan.next(answer, position, at: now, names: names)
    try await apply(batch)
    guard let seen = readAll else { return answer.more }
    var after: Int64 = 0
    var isLast = false
    while !isLast {
      let page = try await source.jobs(after: after)
      isLast = page.isLast
      try await apply(
        MirrorPlan.page(
          after: after, page.jobs, isLast: isLast, seen: seen, at: position, last: answer.last, names: names))
      after = page.jobs.last?.job ?? after
    }
    return true
  }

  private mutating func apply(_ batch: MirrorBatch) async throws {
    if !batch.isEmpty { try await store.apply(batch) }
    position = batch.to
  }

  /// An error: the daemon has another ledger than before.
  public struct OtherLedger: Error, Sendable {}
}
