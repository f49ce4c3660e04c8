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
    var terms = terms
    let lease: ReadLease?
    let refusal: Disposal?
    let (from, place): (Directory, [UInt8])
    do throws(FileError) {
      (from, place) = try shelf.location(id, document)
      // Looked at once, so that whatever changes after this is seen. Links and modes change the ctime, and no bytes.
      terms.identity = FileIdentity(try from.facts(of: place))
      let isSent = terms.identity.mayHoldBytes(of: sidecar.identity)
      (lease, refusal) = isSent ? try finality(of: place, in: from, on: terms) : (nil, .changed(terms.identity))
    } catch {
      guard error.errno == ENOENT else { throw error }
      if let archive { removeUnfinished(Self.unfinished(id), of: document, in: archive) }
      try shelf.clearPlace(id, document)
      return .alreadyGone
    }
    let disposal: Disposal
    if let refusal {
      disposal = refusal
    } else {
      disposal = try remove(shelf, from, place, id, document, on: terms, job, archive, documentWas)
    }
    withExtendedLifetime(lease) {}
    guard case .changed(let now?) = disposal else {
      if disposal == .removed {
        Failpoint.sidecarRemoved.pass()
        try shelf.clearPlace(id, document)
      }
      return disposal
    }
    // One whose ctime alone has changed is looked at once more.
    guard !now.mayHoldBytes(of: sidecar.identity) else { return .beingWritten }
    if let archive { removeUnfinished(Self.unfinished(id), of: document, in: archive) }
    return try giveBack(shelf, id, document, now)
  }

  /// The name in an archive of a copy that is not whole yet.
  private static func unfinished(_ id: JobID) -> [UInt8] { Archive.unfinished(id) + Array(".sidecar".utf8) }

  /// Removes a sidecar whose bytes are final, or moves it into the archive, under the name that belongs to its document's there.
  private func remove(
    _ shelf: SidecarShelf, _ from: Directory, _ place: [UInt8], _ id: JobID, _ document: FileName,
    on terms: DisposalTerms, _ job: JobNumber?, _ archive: Archive?, _ documentWas: FileIdentity
  ) throws(FileError) -> Disposal {
    guard let archive else {
      try from.remove(place)
      return .removed
    }
    let names = archivedName(of: document, job, id)
    let disposal = try archiveFile(
      id, from, place, terms, below: names.directories,
      as: { directory throws(FileError) in
        try names.choices(of: documentWas, in: directory).map { shelf.pattern.sidecar(of: FileName(bytes: $0)).bytes }
      }, Self.unfinished(id), archive)
    if disposal == .removed { Failpoint.sidecarArchived.pass() }
    return disposal
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
