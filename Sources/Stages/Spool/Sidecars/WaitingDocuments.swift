import Jobs

/// The documents that wait for a sidecar, by the sidecar's name: with `{stem}`, that name does not tell the document's.
///
/// An entry is a hint. ``Candidates`` knows whether the document still waits.
struct WaitingDocuments {
  private var documents: [FileName: [FileName]] = [:]

  mutating func add(_ document: FileName, for sidecar: FileName) {
    if documents[sidecar]?.contains(document) != true { documents[sidecar, default: []].append(document) }
  }

  /// Takes out the documents that a sidecar was waited for by.
  mutating func remove(for sidecar: FileName) -> [FileName] { documents.removeValue(forKey: sidecar) ?? [] }

  /// Forgets the entries of documents that wait no more, once there are many of them.
  mutating func prune(toAbout count: Int, isWaiting: (FileName) -> Bool) {
    guard documents.count > 2 * count + 1024 else { return }
    documents = documents.mapValues { $0.filter(isWaiting) }.filter { !$0.value.isEmpty }
  }
}
