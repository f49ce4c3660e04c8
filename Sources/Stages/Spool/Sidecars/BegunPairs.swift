import Jobs

/// The pairs whose claim was begun but failed in a call: the sidecar may be claimed while its document is still in the spool. The
/// next attempt claims them under the same id.
struct BegunPairs {
  /// The maximum number of such pairs. At this number, no further pair is claimed.
  static let most = 1024

  private(set) var ids: [FileName: JobID] = [:]

  var isFull: Bool { ids.count >= Self.most }

  /// The id under which the claim of a document's pair was begun; nil if it was not.
  subscript(document: FileName) -> JobID? { ids.isEmpty ? nil : ids[document] }

  mutating func add(_ document: FileName, _ id: JobID) { ids[document] = id }

  mutating func forget(_ document: FileName, _ id: JobID) {
    if self[document] == id { ids[document] = nil }
  }
}
