import Jobs

/// The documents that wait for a sidecar, by the sidecar's name. With `{stem}`, the document's name does not follow from the
/// sidecar's.
///
/// An entry is only a hint: ``Candidates`` knows whether the document still waits.
struct WaitingDocuments {
  private var documents: [FileName: [FileName]] = [:]

  mutating func add(_ document: FileName, for sidecar: FileName) {
    if documents[sidecar]?.contains(document) != true { documents[sidecar, default: []].append(document) }
  }

  /// Removes and returns the documents that wait for a sidecar.
  mutating func remove(for sidecar: FileName) -> [FileName] { documents.removeValue(forKey: sidecar) ?? [] }

  /// Removes the entries of documents that do not wait any more, once there are many entries.
  mutating func prune(toAbout count: Int, isWaiting: (FileName) -> Bool) {
    guard documents.count > 2 * count + 1024 else { return }
    documents = documents.mapValues { $0.filter(isWaiting) }.filter { !$0.value.isEmpty }
  }
}
