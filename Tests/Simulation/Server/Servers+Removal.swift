extension Servers {
  /// Removes the object with which a file was registered last. Returns the documents of all registrations that are about it.
  package mutating func removeObject(ofFile name: String, at now: Duration) -> [RegisteredDocument] {
    let registrations = all.compactMap(\.backend).flatMap(\.registrations.entries).map(\.value)
    guard let last = registrations.filter({ $0.document.name == name }).max(by: { $0.at < $1.at })?.document,
      let index = all.firstIndex(where: { $0.storage?.options.bucket == last.bucket })
    else { return [] }
    all[index].storage?.remove(last.key, at: now)
    return registrations.map(\.document).filter { $0.bucket == last.bucket && $0.key == last.key }
  }
}
