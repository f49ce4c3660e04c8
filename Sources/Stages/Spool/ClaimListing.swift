import Glibc
import Jobs
import Linux

/// A stream of the files in `.waybill`. Names that no claim makes, and everything that is not a regular file or a group, are
/// skipped. If all claims are read, the empty directories of an interrupted claim are removed.
///
/// Not Sendable: one thread reads it.
final class ClaimListing {
  /// The maximum number of files that are set aside, unless only some ids are read. If there are more, the fault is not one of single files,
  /// and the error is thrown.
  private static let mostSetAside = 1024

  /// A claim that has directories below `.waybill` (``ClaimedPath/nested(folders:name:)``).
  private struct Nest {
    let id: JobID
    var folders: [[UInt8]]
    var next = 0
    var directory: Directory?
    var listing: DirectoryListing?
  }

  private let held: LockedSpool
  private let listing: DirectoryListing
  private var nest: Nest?
  private let hasSidecars: Bool
  private let marker: String?
  private let ids: Set<JobID>?
  private let isPatient: (JobID) -> Bool
  /// The files so far that could not be read.
  private(set) var setAside: [SetAside] = []

  /// - Parameters:
  ///   - marker: the pattern of the marker that groups have now.
  ///   - ids: the ids to read; nil for all.
  ///   - isPatient: false for an id whose job is to ask about attributes or a sidecar that cannot be read. While it is true, such
  ///     a file is set aside.
  init(
    _ held: LockedSpool, marker: String?, ids: Set<JobID>? = nil, isPatient: @escaping (JobID) -> Bool = { _ in true }
  ) throws(FileError) {
    self.held = held
    self.marker = marker
    self.ids = ids
    self.isPatient = isPatient
    listing = try held.claims.listing()
    hasSidecars = try !SidecarShelf.all(in: held.claims).isEmpty
  }

  /// Returns the next claim; nil at the end.
  func next() throws(FileError) -> Claim? {
    while true {
      if var nest {
        self.nest = nil
        if try advance(&nest) {
          self.nest = nest
        } else if ids == nil {
          try held.clear(nest.folders)
        }
        if let claim = found {
          found = nil
          return claim
        }
        continue
      }
      guard let entry = try listing.next() else { return nil }
      if let (id, name) = ClaimedPath.parse(entry.name) {
        guard ids?.contains(id) != false else { continue }
        if let claim = try read(held.claims, entry, id, name, mayBeGroup: true) { return claim }
      } else if let id = ClaimedPath.id(entry.name), ids?.contains(id) != false,
        try kind(held.claims, entry) == .directory
      {
        nest = Nest(id: id, folders: [entry.name])
      }
    }
  }

  private var found: Claim?

  /// Reads one name of a nest; returns false after the last one.
  private func advance(_ nest: inout Nest) throws(FileError) -> Bool {
    guard let directory = nest.directory, let listing = nest.listing else {
      guard nest.next < nest.folders.count else { return false }
      do throws(FileError) {
        let directory = try held.claims.directory(nest.folders[nest.next])
        nest.listing = try directory.listing()
        nest.directory = directory
      } catch {
        // The claim was removed meanwhile.
        guard error.errno == ENOENT else { throw error }
        nest.next += 1
      }
      return true
    }
    let folder = nest.folders[nest.next]
    guard let entry = try listing.next() else {
      nest.directory = nil
      nest.listing = nil
      nest.next += 1
      return true
    }
    if try kind(directory, entry) == .directory {
      nest.folders.append(folder + [UInt8(ascii: "/")] + entry.name)
    } else {
      // The first component is the id.
      let path = Array(folder.drop { $0 != UInt8(ascii: "/") }.dropFirst())
      found = try read(
        directory, entry, nest.id, FileName(FileName(bytes: entry.name), in: path), mayBeGroup: false)
    }
    return true
  }

  /// Reads one file, or sets it aside.
  private func read(
    _ directory: Directory, _ entry: DirectoryListing.Entry, _ id: JobID, _ dropped: FileName, mayBeGroup: Bool
  ) throws(FileError) -> Claim? {
    do throws(FileError) {
      guard let facts = try facts(directory, entry.name) else { return nil }
      switch facts.kind {
      case .regular:
        return try held.read(
          id, dropped, at: (directory, entry.name), facts, withSidecar: hasSidecars, isPatient: isPatient(id)
        ).claim
      case .directory where mayBeGroup:
        return try held.group(entry.name, id, dropped, marker: marker, isPatient: isPatient(id))
      case .directory, .symbolicLink, .other: return nil
      }
    } catch {
      if error.errno == ENOENT, try facts(directory, entry.name) == nil { return nil }
      guard setAside.count < ids?.count ?? Self.mostSetAside else { throw error }
      setAside.append(SetAside(id, dropped, error))
      return nil
    }
  }

  private func kind(_ directory: Directory, _ entry: DirectoryListing.Entry) throws(FileError) -> FileFacts.Kind? {
    if let kind = entry.kind { return kind }
    return try facts(directory, entry.name)?.kind
  }

  /// Returns the facts, or nil for a name that has disappeared meanwhile.
  private func facts(_ directory: Directory, _ name: [UInt8]) throws(FileError) -> FileFacts? {
    do throws(FileError) {
      return try directory.facts(of: name)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }
}
