import Jobs

/// The pairs whose claim was begun but failed in a call: the sidecar may be claimed while its document is still in the spool. The
/// next attempt claims them under the same id.
struct BegunPairs {
  /// The maximum number of such pairs; beyond it, some give way (``Crowd``).
  static let most = 1024

  struct Pair {
    let id: JobID
    let owner: UInt32?
    let since: ContinuousClock.Instant
  }

  /// The pairs by their documents.
  private(set) var pairs: [FileName: Pair] = [:]

  /// The id under which the claim of a document's pair was begun; nil if it was not.
  subscript(document: FileName) -> JobID? { pairs.isEmpty ? nil : pairs[document]?.id }

  mutating func add(_ document: FileName, _ id: JobID, owner: UInt32?, now: ContinuousClock.Instant) {
    pairs[document] = Pair(id: id, owner: owner, since: now)
  }

  /// The pairs that are to be given up, because there are too many.
  var leavers: [(document: FileName, id: JobID)] {
    guard pairs.count > Self.most else { return [] }
    let members = pairs.map { Crowd.Member(name: $0, owner: $1.owner, isStuck: true, since: $1.since) }
    return Crowd.leavers(members, Self.most / Crowd.part).compactMap { member in
      pairs[member.name].map { (member.name, $0.id) }
    }
  }

  mutating func forget(_ document: FileName, _ id: JobID) {
    if self[document] == id { pairs[document] = nil }
  }
}
