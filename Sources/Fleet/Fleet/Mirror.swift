import Jobs

/// The position up to which the fleet's tables agree with one ledger.
struct MirrorPosition: Hashable, Sendable {
  /// The generation of the ledger that the rows are of; 0 if there are none.
  var generation: Int64 = 0
  /// The number of the last event that was applied.
  var applied: Int64 = 0
  /// The position up to which all changes of jobs were applied; nil if it is not known, so that all jobs have to be read.
  var seen: String?
}

/// An error: another agent has written the rows of this ledger in the meantime.
struct MirrorMoved: Error, Hashable, Sendable, CustomStringConvertible {
  /// The words.
  var description: String { "another agent writes for this ledger now" }
}

/// Keeps the fleet's tables in agreement with one ledger: asks its daemon for what they lack, and passes on the answers as they are.
///
/// If the daemon does not know what changed, all jobs are read page by page; the position's `seen` stays unknown until the last page,
/// so that a reader that dies on the way begins again.
struct Mirror: Sendable {
  private let store: HostStore
  private let names: Bool
  private let get: @Sendable (String) async throws -> [UInt8]
  /// The present position.
  private(set) var position: MirrorPosition

  /// Creates a mirror that continues from a position.
  ///
  /// - Parameters:
  ///   - names: false if what may name a file must not leave the host.
  ///   - get: returns the daemon's answer to a GET of a path.
  init(
    _ store: HostStore, at position: MirrorPosition, names: Bool = true,
    get: @escaping @Sendable (String) async throws -> [UInt8]
  ) {
    self.store = store
    self.position = position
    self.names = names
    self.get = get
  }

  /// Does one round: asks for changes, and applies them; reads all jobs if that is needed.
  ///
  /// - Parameter wait: the number of seconds to wait if there is no change.
  /// - Returns: true if there are more changes already.
  /// - Throws: ``OtherLedger``, ``MirrorMoved``, or the errors of the daemon's answers and of the database.
  mutating func step(wait: Int) async throws -> Bool {
    let form = "texts=coded" + (names ? "" : "&names=false")
    let seen = position.seen.map { "&seen=\(PercentEncoding.component($0))" } ?? ""
    let answer = try await get("/v1/changes?\(form)&after=\(position.applied)&wait=\(wait)\(seen)")
    let taken = try await store.take(answer, at: position)
    position = taken.position
    guard let whole = taken.whole else { return taken.isMore }
    var (cursor, last): (String?, Int64) = (nil, 0)
    repeat {
      let page = try await get(
        "/v1/jobs?\(form)&limit=500" + (cursor.map { "&after=\(PercentEncoding.component($0))" } ?? ""))
      (cursor, last) = try await store.take(page: page, after: last, upTo: whole, at: position)
    } while cursor != nil
    position.seen = whole
    return true
  }

  /// An error: the daemon has another ledger than before.
  struct OtherLedger: Error, Hashable, Sendable {}
}
