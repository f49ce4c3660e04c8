import Glibc
import Jobs
import Linux

/// The place of claimed sidecars: `.waybill/sidecars/PATTERN/ID~NAME`, where NAME is the name of the document. So a sidecar is
/// found from its document, and its own name follows from the place alone, whatever the configuration says by now.
///
/// Below its directory, a sidecar's place has the form that its document's place has in `.waybill` (``ClaimedPlace``).
struct SidecarShelf {
  static let name = Array("sidecars".utf8)

  let pattern: SidecarPattern
  let directory: Directory

  /// Opens the shelf of a pattern; nil if there is none.
  static func find(_ pattern: SidecarPattern, in claims: Directory) throws(FileError) -> SidecarShelf? {
    do throws(FileError) {
      return SidecarShelf(
        pattern: pattern, directory: try claims.directory(name).directory(Array(pattern.text.utf8)))
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }

  /// Opens the shelf of a pattern, and makes it if there is none. It is durable on return.
  static func make(_ pattern: SidecarPattern, in claims: Directory) throws(FileError) -> SidecarShelf {
    if let shelf = try find(pattern, in: claims) { return shelf }
    try makeDirectory(name, in: claims)
    let all = try claims.directory(name)
    try makeDirectory(Array(pattern.text.utf8), in: all)
    Failpoint.sidecarShelfMade.pass()
    try all.sync(.sidecarShelf)
    try claims.sync(.sidecarShelf)
    return SidecarShelf(pattern: pattern, directory: try all.directory(Array(pattern.text.utf8)))
  }

  /// Returns all shelves. Directories whose name is no pattern are left alone.
  static func all(in claims: Directory) throws(FileError) -> [SidecarShelf] {
    let all: Directory
    do throws(FileError) {
      all = try claims.directory(name)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return []
    }
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

  private static func makeDirectory(_ name: [UInt8], in directory: Directory) throws(FileError) {
    do throws(FileError) {
      try directory.makeDirectory(name, permissions: 0o700)
    } catch {
      guard error.errno == EEXIST else { throw error }
    }
  }

  /// Returns the directory of a sidecar and its name there.
  func location(_ id: JobID, _ document: FileName) throws(FileError) -> (Directory, [UInt8]) {
    switch ClaimedPlace(id, document) {
    case .flat(let name): (directory, name)
    case .nested(let folders, let name): (try directory.directory(folders[folders.count - 1]), name)
    }
  }

  /// Does the same for one that is about to be claimed, and makes the missing directories.
  func makePlace(_ id: JobID, _ document: FileName) throws(FileError) -> (Directory, [UInt8]) {
    for folder in ClaimedPlace.folders(id, document) { try Self.makeDirectory(folder, in: directory) }
    return try location(id, document)
  }

  /// Removes the directories of a place, if it has some, as far as they are empty.
  func clearPlace(_ id: JobID, _ document: FileName) throws(FileError) {
    for folder in ClaimedPlace.folders(id, document).reversed() {
      do throws(FileError) {
        try directory.removeDirectory(folder)
      } catch {
        if error.errno == ENOTEMPTY || error.errno == EEXIST { return }
        guard error.errno == ENOENT else { throw error }
      }
    }
  }

  /// Returns the facts of a sidecar; nil if there is none.
  func facts(_ id: JobID, _ document: FileName) throws(FileError) -> FileFacts? {
    do throws(FileError) {
      let (directory, name) = try location(id, document)
      return try directory.facts(of: name)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }

  /// True if a sidecar with these facts stands under another id too, as while its document gets that id. A link that somebody else has
  /// made is no second place.
  func standsElsewhere(_ facts: FileFacts, _ id: JobID, _ document: FileName) throws(FileError) -> Bool {
    guard facts.links > 1 else { return false }
    let listing = try directory.listing()
    while let entry = try listing.next() {
      guard let other = ClaimedPlace.parse(entry.name)?.id ?? ClaimedPlace.id(entry.name), other != id else { continue }
      if try self.facts(other, document)?.isSameFile(as: facts) == true { return true }
    }
    return false
  }

  /// Makes the places of these sidecars durable.
  func sync(_ sidecars: [(id: JobID, document: FileName)]) throws(FileError) {
    for (id, document) in sidecars {
      for folder in ClaimedPlace.folders(id, document) { try directory.directory(folder).sync(.sidecarPlace) }
    }
    try directory.sync(.sidecarPlace)
  }
}
