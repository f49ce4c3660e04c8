import Jobs
import Linux
import Seams

/// A directory of claimed sidecars: `.waybill/sidecars/PATTERN/ID~NAME`, where NAME is the name of the document. So a sidecar is
/// found from its document, and its own name follows from the path alone, whatever the current configuration says.
///
/// Below this directory, a sidecar has the same path as its document has below `.waybill` (``ClaimedPath``).
struct SidecarShelf {
  static let name = Array("sidecars".utf8)

  let pattern: SidecarPattern
  let directory: Directory

  /// Opens the shelf of a pattern; nil if there is none.
  static func find(_ pattern: SidecarPattern, in claims: Directory) throws(FileError) -> SidecarShelf? {
    try ifPresent { () throws(FileError) in
      SidecarShelf(pattern: pattern, directory: try claims.directory(name).directory(Array(pattern.text.utf8)))
    }
  }

  /// Opens the shelf of a pattern, and creates it if there is none. It is durable on return.
  static func make(_ pattern: SidecarPattern, in claims: Directory) throws(FileError) -> SidecarShelf {
    if let shelf = try find(pattern, in: claims) { return shelf }
    try claims.makeDirectoryIfMissing(name)
    let all = try claims.directory(name)
    try all.makeDirectoryIfMissing(Array(pattern.text.utf8))
    Failpoint.sidecarShelfMade.pass()
    try all.sync(.sidecarShelf)
    try claims.sync(.sidecarShelf)
    return SidecarShelf(pattern: pattern, directory: try all.directory(Array(pattern.text.utf8)))
  }

  /// Returns all shelves. Directories whose name is not a pattern are skipped.
  static func all(in claims: Directory) throws(FileError) -> [SidecarShelf] {
    guard let all = try ifPresent({ () throws(FileError) in try claims.directory(name) }) else { return [] }
    var shelves: [SidecarShelf] = []
    let listing = try all.listing()
    while let entry = try listing.next() {
      guard let text = String(validating: entry.name, as: UTF8.self), let pattern = try? SidecarPattern(text) else {
        continue
      }
      shelves.append(SidecarShelf(pattern: pattern, directory: try all.directory(entry.name)))
    }
    return shelves
  }

  /// Returns the directory of a sidecar and its name there.
  func location(_ id: JobID, _ document: FileName) throws(FileError) -> (Directory, [UInt8]) {
    try directory.claimedLocation(of: id, document)
  }

  /// The same, for a sidecar that is about to be claimed; creates the missing directories.
  func makePlace(_ id: JobID, _ document: FileName) throws(FileError) -> (Directory, [UInt8]) {
    for folder in ClaimedPath.folders(id, document) { try directory.makeDirectoryIfMissing(folder) }
    return try location(id, document)
  }

  /// Removes the directories of a nested place that are empty, innermost first.
  func clearPlace(_ id: JobID, _ document: FileName) throws(FileError) {
    try directory.removeEmpty(ClaimedPath.folders(id, document))
  }

  /// Returns the facts of a sidecar; nil if there is none.
  func facts(_ id: JobID, _ document: FileName) throws(FileError) -> FileFacts? {
    try ifPresent { () throws(FileError) -> FileFacts in
      let (directory, name) = try location(id, document)
      return try directory.facts(of: name)
    }
  }

  /// True if the sidecar with these facts also exists under another id, as it does while its document gets that id. A link that
  /// somebody else has made does not count.
  func standsElsewhere(_ facts: FileFacts, _ id: JobID, _ document: FileName) throws(FileError) -> Bool {
    guard facts.links > 1 else { return false }
    let listing = try directory.listing()
    while let entry = try listing.next() {
      guard let other = ClaimedPath.parse(entry.name)?.id ?? ClaimedPath.id(entry.name), other != id else { continue }
      if try self.facts(other, document)?.isSameFile(as: facts) == true { return true }
    }
    return false
  }

  /// Makes the names of these sidecars durable.
  func sync(_ sidecars: [(id: JobID, document: FileName)]) throws(FileError) {
    for (id, document) in sidecars {
      for folder in ClaimedPath.folders(id, document) { try directory.directory(folder).sync(.sidecarPlace) }
    }
    try directory.sync(.sidecarPlace)
  }
}
