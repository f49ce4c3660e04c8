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

/// The documents that wait for a sidecar, by the sidecar's name. With `{stem}`, the document's name does not follow from the
/// sidecar's.
///
/// An entry is only a hint: ``Candidates`` knows whether the document still waits.
struct WaitingDocuments {
  private var documents: [FileName: Set<FileName>] = [:]
  private var count = 0

  /// The maximum number of documents that are told of one sidecar: only one can have it. The others are looked at again when they are due.
  private static let mostTold = 64

  mutating func add(_ document: FileName, for sidecar: FileName) {
    if documents[sidecar, default: []].insert(document).inserted { count += 1 }
  }

  /// Removes and returns documents that wait for a sidecar, and are still waiting.
  mutating func remove(for sidecar: FileName, where isWaiting: (FileName) -> Bool) -> [FileName] {
    var told: [FileName] = []
    while told.count < Self.mostTold, let document = documents[sidecar]?.popFirst() {
      count -= 1
      if isWaiting(document) { told.append(document) }
    }
    if documents[sidecar]?.isEmpty == true { documents[sidecar] = nil }
    return told
  }

  /// Removes the entries of documents that do not wait any more, once there are many entries.
  mutating func prune(toAbout waiting: Int, isWaiting: (FileName) -> Bool) {
    guard count > 2 * waiting + 1024 else { return }
    documents = documents.mapValues { $0.filter(isWaiting) }.filter { !$0.value.isEmpty }
    count = documents.values.reduce(0) { $0 + $1.count }
  }
}
