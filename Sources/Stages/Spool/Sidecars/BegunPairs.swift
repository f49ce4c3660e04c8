import Jobs

/// The pairs whose claim was begun and could not be ended, because a call failed: the sidecar may stand claimed, and its document in
/// the spool. They are claimed under the same id at the next try.
struct BegunPairs {
  /// The most that are kept. While there are so many, no other pair is claimed.
  static let most = 1024

  private(set) var ids: [FileName: JobID] = [:]

  var isFull: Bool { ids.count >= Self.most }

  /// The id under which the pair of a document was begun; nil if it was not.
  subscript(document: FileName) -> JobID? { ids.isEmpty ? nil : ids[document] }

  mutating func add(_ document: FileName, _ id: JobID) { ids[document] = id }

  mutating func forget(_ document: FileName, _ id: JobID) {
    if self[document] == id { ids[document] = nil }
  }
}
