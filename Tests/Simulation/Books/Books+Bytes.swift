extension Books {
  /// Objects that are not what is said of them: each registered SHA-256 is that of the object that has the job's id under its key, from the
  /// registration on, and each object has the SHA-256 with which it was sent.
  func otherBytes(_ servers: Servers) -> [String] {
    var wrong: [String] = []
    for storage in servers.all.compactMap(\.storage) {
      for event in storage.history {
        guard let object = event.object, let told = object.metadata[first: "waybill-sha256"] else { continue }
        if !has(object, told) { wrong.append("\(event.key) was stored with the SHA-256 of other bytes") }
      }
    }
    let registrations = servers.all.compactMap(\.backend).flatMap(\.registrations.entries).map(\.value)
    for registration in registrations {
      let document = registration.document
      // A person has had it removed, or a later registration of the job is about what has taken its place.
      guard let sha256 = document.sha256, document.files == nil, !removed.contains(document.job),
        !registrations.contains(where: { $0.document.job == document.job && $0.at > registration.at }),
        let storage = servers.storage(bucket: document.bucket)
      else { continue }
      let own = storage.history.filter { $0.key == document.key && $0.object?.id == document.job }
      let there = own.last { $0.at <= registration.at }.map { [$0] } ?? []
      for event in there + own.filter({ $0.at > registration.at }) {
        guard let object = event.object, !has(object, sha256) else { continue }
        wrong.append("\(document.name) is registered as \(document.id), and its object of \(event.at) has other bytes")
      }
    }
    return wrong
  }

  private func has(_ object: ModelObject, _ sha256: String) -> Bool {
    if object.pieces.count == 1 { return object.pieces[0].sha256 == sha256 }
    let parts = entries.flatMap(\.versions).flatMap(\.contents.parts)
    return parts.contains { $0.sum.sha256 == sha256 && $0.isHeld(by: object.pieces) }
  }
}
