import Glibc
package import Jobs
import Linux

/// The place of a claimed file in `.waybill`: `ID~NAME`, or `ID/PATH/NAME` if there is a path to keep, or if `ID~NAME` would
/// be over 255 bytes.
///
/// Names here are those that the files were dropped under, preceded by their path in a recursive spool.
package enum ClaimedPath: Equatable {
  case flat([UInt8])
  /// `folders` are all directories from `ID` down, each by its path.
  case nested(folders: [[UInt8]], name: [UInt8])

  /// NAME_MAX of Linux (limits.h).
  private static let longestName = 255
  private static let idLength = 36
  private static let slash = UInt8(ascii: "/")

  package init(_ id: JobID, _ dropped: FileName) {
    let digits = id.ascii
    if Self.isFlat(dropped) {
      var flat = digits
      flat.reserveCapacity(digits.count + 1 + dropped.bytes.count)
      flat.append(UInt8(ascii: "~"))
      flat += dropped.bytes
      self = .flat(flat)
      return
    }
    var folders = [digits]
    for component in dropped.path.split(separator: Self.slash) {
      folders.append((folders.last ?? digits) + [Self.slash] + component)
    }
    self = .nested(folders: folders, name: dropped.last.bytes)
  }

  /// Returns the directories to create for a claim, like ``folders``.
  static func folders(_ id: JobID, _ dropped: FileName) -> [[UInt8]] {
    isFlat(dropped) ? [] : ClaimedPath(id, dropped).folders
  }

  private static func isFlat(_ dropped: FileName) -> Bool {
    idLength + 1 + dropped.bytes.count <= longestName && !dropped.bytes.contains(slash)
  }

  /// Reads `ID~NAME`; returns nil for a name that no claim makes.
  package static func parse(_ flat: [UInt8]) -> (id: JobID, name: FileName)? {
    guard flat.count > idLength + 1, flat[idLength] == UInt8(ascii: "~"), let id = id(flat[..<idLength]) else {
      return nil
    }
    return (id, FileName(bytes: Array(flat[(idLength + 1)...])))
  }

  /// Reads an id as claims write it. Only the form in lower case is accepted, because only that finds the file again.
  static func id(_ bytes: some Sequence<UInt8>) -> JobID? {
    guard let text = String(validating: Array(bytes), as: UTF8.self), let id = JobID(text), id.description == text
    else { return nil }
    return id
  }

  /// The directories of the claim, from `ID` down; empty for a flat place.
  var folders: [[UInt8]] {
    switch self {
    case .flat: []
    case .nested(let folders, _): folders
    }
  }

  /// The path below `.waybill`.
  var path: [UInt8] {
    switch self {
    case .flat(let name): name
    case .nested(let folders, let name): (folders.last ?? []) + [Self.slash] + name
    }
  }
}

/// Calls that are no error if there is nothing to do.
extension Directory {
  /// Returns the facts of a file; nil if there is none.
  func factsIfPresent(_ name: [UInt8]) throws(FileError) -> FileFacts? {
    try ifPresent { () throws(FileError) in try facts(of: name) }
  }

  /// Removes a file; returns false if there is none.
  @discardableResult
  func removeIfPresent(_ name: [UInt8]) throws(FileError) -> Bool {
    let removal: Void? = try ifPresent { () throws(FileError) in try remove(name) }
    return removal != nil
  }

  /// Makes a directory that only the daemon may enter, unless its name is taken.
  func makeDirectoryIfMissing(_ name: [UInt8]) throws(FileError) {
    do throws(FileError) {
      try makeDirectory(name, permissions: 0o700)
    } catch {
      guard error.errno == EEXIST else { throw error }
    }
  }

  /// Removes directories below this one that are empty, beginning with the last.
  func removeEmpty(_ folders: [[UInt8]]) throws(FileError) {
    for folder in folders.reversed() {
      do throws(FileError) {
        try removeDirectory(folder)
      } catch {
        if error.errno == ENOTEMPTY || error.errno == EEXIST { return }
        guard error.errno == ENOENT else { throw error }
      }
    }
  }

  /// Returns the kind of a name in this directory; nil if it has disappeared meanwhile.
  func kind(of entry: DirectoryListing.Entry) throws(FileError) -> FileFacts.Kind? {
    if let kind = entry.kind { return kind }
    return try factsIfPresent(entry.name)?.kind
  }

  /// Goes through the directories of a claim below this one (``ClaimedPath/nested(folders:name:)``). Those that are removed meanwhile are
  /// left out.
  ///
  /// - Parameters:
  ///   - top: the outermost directory.
  ///   - body: is called with each name that is not a directory's, with its directory, and with the path of that below `top`.
  /// - Returns: the directories, parents before children.
  @discardableResult
  func forEachFile(
    ofClaimIn top: [UInt8], _ body: (Directory, DirectoryListing.Entry, [UInt8]) throws(FileError) -> Void
  ) throws(FileError) -> [[UInt8]] {
    var folders = [top]
    var next = 0
    while next < folders.count {
      let folder = folders[next]
      next += 1
      let opened = try ifPresent { () throws(FileError) -> (Directory, DirectoryListing) in
        let found = try self.directory(folder)
        return (found, try found.listing())
      }
      guard let (directory, listing) = opened else { continue }
      while let entry = try listing.next() {
        if try directory.kind(of: entry) == .directory {
          folders.append(folder + [UInt8(ascii: "/")] + entry.name)
        } else {
          try body(directory, entry, Array(folder.dropFirst(top.count + 1)))
        }
      }
    }
    return folders
  }

  /// Returns the directory of what a claim has below this one, and its name there. Only the daemon changes what is below `.waybill`, so
  /// paths are as safe there as single names.
  func claimedLocation(of id: JobID, _ dropped: FileName) throws(FileError) -> (Directory, [UInt8]) {
    switch ClaimedPath(id, dropped) {
    case .flat(let name): (self, name)
    case .nested(let folders, let name): (try directory(folders[folders.count - 1]), name)
    }
  }
}

extension FileError {
  /// True if the failed call was one that gives a file a name. For other calls the same error number has other meanings.
  var isOfNaming: Bool { operation == "rename" || operation == "link" }

  /// True if a file could not get a name in another directory because that is on another file system.
  var isOfAnotherFileSystem: Bool { isOfNaming && errno == EXDEV }
}
