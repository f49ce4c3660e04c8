import Failpoints
import Glibc
import Jobs
import LinuxFiles

/// A sidecar leaves after its document, in the same way.
extension HeldSpool {
  /// Removes the sidecar of a document that is gone, or moves it into the archive beside it. One that was written to since it
  /// was claimed holds bytes that nobody has read: it is put back beside where its document was.
  ///
  /// - Returns: the result; `changed` if it was put back.
  func disposeSidecar(
    _ sidecar: Parcel.Sidecar, _ id: JobID, _ document: FileName, on terms: DisposalTerms, job: JobNumber?,
    archive: Archive?, documentWas: FileIdentity
  ) throws(FileError) -> Disposal {
    guard let shelf = try SidecarShelf.find(sidecar.pattern, in: claims) else { return .alreadyGone }
    let lease: ReadLease?
    let (from, place): (Directory, [UInt8])
    // Links and modes change the ctime, and no bytes.
    if let now = try shelf.facts(id, document).map({ FileIdentity($0) }), !now.mayHoldBytes(of: sidecar.identity) {
      return try giveBack(shelf, id, document, now)
    }
    do throws(FileError) {
      (from, place) = try shelf.location(id, document)
      var terms = terms
      terms.identity = FileIdentity(try from.facts(of: place))
      let (held, refusal) = try finality(of: place, in: from, on: terms)
      if let refusal { return refusal }
      lease = held
    } catch {
      guard error.errno == ENOENT else { throw error }
      try shelf.clearPlace(id, document)
      return .alreadyGone
    }
    if let archive {
      let names = archivedName(of: document, job, id)
      let root = try archive.open()
      let directory = try open(names.directories, below: root)
      let archived = try self.archive(
        from, place, shelf.pattern, names, documentWas, temporary: Array(".waybill-\(id).sidecar".utf8), in: directory)
      if let index = archive.index {
        let path = (names.directories + [archived]).joined(separator: CollectionOfOne(UInt8(ascii: "/")))
        index.add(Array(path), in: directory, of: root, holding: sidecar.identity, at: terms.now)
      }
    } else {
      try from.remove(place)
    }
    Failpoint.sidecarRemoved.pass()
    withExtendedLifetime(lease) {}
    try shelf.clearPlace(id, document)
    return .removed
  }

  private func giveBack(
    _ shelf: SidecarShelf, _ id: JobID, _ document: FileName, _ now: FileIdentity
  ) throws(FileError) -> Disposal {
    let folder = document.path.isEmpty ? spool : try spool.directory(below: document.path).reopened()
    guard try putBack(shelf, id, document, into: folder) else {
      throw FileError(
        "put back", path: "\(shelf.directory.path)/\(shelf.pattern.sidecar(of: document).shown)", errno: EEXIST)
    }
    return .changed(now)
  }

  /// The sidecar gets the name that belongs to its document's name in the archive, which is returned.
  private func archive(
    _ from: Directory, _ place: [UInt8], _ pattern: SidecarPattern, _ names: ArchivedName, _ documentWas: FileIdentity,
    temporary: [UInt8], in directory: Directory
  ) throws(FileError) -> [UInt8] {
    let choices = try names.choices(of: documentWas, in: directory).map {
      pattern.sidecar(of: FileName(bytes: $0)).bytes
    }
    do throws(FileError) {
      let archived = try Self.first(of: choices) { choice throws(FileError) in
        try from.rename(place, into: directory, as: choice)
      }
      Failpoint.sidecarArchived.pass()
      return archived
    } catch {
      guard error.isOfAnotherFileSystem else { throw error }
      return try archiveCopy(of: from, place, as: choices, temporary: temporary, in: directory)
    }
  }

  private func archiveCopy(
    of from: Directory, _ place: [UInt8], as choices: [[UInt8]], temporary: [UInt8], in directory: Directory
  ) throws(FileError) -> [UInt8] {
    let file = try from.openOurs(place)
    var archived = try placed(file, choices, directory)
    if archived == nil {
      let copy = try StagedCopy(
        of: file, in: directory, as: temporary, permissions: try file.facts().permissions & 0o777)
      do throws(FileError) {
        archived = try Self.first(of: choices) { choice throws(FileError) in try copy.place(as: choice) }
        Failpoint.sidecarArchived.pass()
      } catch {
        try copy.remove()
        throw error
      }
    }
    try directory.sync(.archiveEntry)
    try from.remove(place)
    return archived ?? []
  }

  /// Gives a sidecar a place in the directory that its document is released to. The claimed name stays, as the document's does.
  func linkOrCopySidecar(
    _ sidecar: Parcel.Sidecar, _ id: JobID, _ document: FileName, into directory: Directory
  ) throws(FileError) {
    guard let shelf = try SidecarShelf.find(sidecar.pattern, in: claims), try shelf.facts(id, document) != nil else {
      return
    }
    let (from, place) = try shelf.location(id, document)
    try linkOrCopy(
      from, place, as: sidecar.pattern.sidecar(of: document).last, into: directory,
      temporary: Array(".waybill-\(id).sidecar".utf8))
    Failpoint.sidecarReleased.pass()
    try directory.sync(.releaseEntry)
  }

  /// Throws EEXIST if another file has the name of a sidecar in the directory that it is to be released to. So a release that
  /// cannot be whole is not begun.
  func requireRoom(
    for sidecar: Parcel.Sidecar, _ id: JobID, _ document: FileName, in directory: Directory
  ) throws(FileError) {
    guard let shelf = try SidecarShelf.find(sidecar.pattern, in: claims), try shelf.facts(id, document) != nil else {
      return
    }
    let name = sidecar.pattern.sidecar(of: document).last
    do throws(FileError) {
      _ = try directory.facts(of: name.bytes)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return
    }
    let (from, place) = try shelf.location(id, document)
    guard try isThere(from, place, directory, name) else {
      throw FileError("release", path: "\(directory.path)/\(name.shown)", errno: EEXIST)
    }
  }
}

extension ArchivedName {
  /// The choices, beginning with the one under which a document of these facts stands; if none does, all of them, or the one with the id
  /// where the job's number is not known.
  fileprivate func choices(of document: FileIdentity, in directory: Directory) throws(FileError) -> ArraySlice<[UInt8]>
  {
    for index in choices.indices {
      do throws(FileError) {
        let facts = try directory.facts(of: choices[index])
        if facts.kind == .regular, FileIdentity(facts).mayHoldBytes(of: document) { return choices[index...] }
      } catch {
        guard error.errno == ENOENT else { throw error }
      }
    }
    // Without the job's number the document may have a name that is not known here: no other document's is taken.
    return isNumbered ? choices[...] : choices[(choices.endIndex - 1)...]
  }
}
