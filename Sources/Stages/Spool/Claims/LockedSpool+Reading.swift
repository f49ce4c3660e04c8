import Glibc
import Jobs
package import Linux

/// The two operations that every claim needs: the rename into `.waybill`, and reading what is there. Both bear with a file system
/// that fails for a moment: no file stays in `.waybill` unknown, and no file is sent without its attributes or its sidecar.
extension LockedSpool {
  /// The result of a rename into `.waybill`.
  enum Move {
    /// It has its claimed name.
    case done
    /// There is nothing under this name to claim.
    case gone
    /// It is not known which of the two names it has.
    case unknown(FileError)
  }

  /// Renames a file or directory of the spool to its claimed name. It throws only if the rename certainly did not happen. An
  /// error of the rename alone does not prove that: a file server may have done the rename although its answer was lost.
  func move(_ name: [UInt8], of source: Directory, to place: ClaimPlace) throws(FileError) -> Move {
    do throws(FileError) {
      try source.rename(name, intoOurs: place.directory, as: place.name)
      return .done
    } catch {
      do throws(FileError) {
        if try exists(place.name, in: place.directory) { return .done }
      } catch {
        return .unknown(error)
      }
      guard error.errno == ENOENT else { throw error }
      return .gone
    }
  }

  /// True if a claim is in its place. Throws if that is not known because the medium of a file that stays where it is is not there.
  package func stands(_ claim: ClaimReference) throws(FileError) -> Bool {
    do throws(FileError) {
      _ = try facts(claim)
      return true
    } catch {
      guard error.isOfSomethingGone else { throw error }
      if claim.parcel == .inPlace, let keptRoot, !keptRoot.canBeRead() { throw error }
      return false
    }
  }

  /// Reads the claim of a file that is in its place, with everything that belongs to it.
  ///
  /// - Parameters:
  ///   - facts: the facts of the file. Nobody else can replace a file in `.waybill`.
  ///   - opened: the same file, if it is open.
  ///   - withSidecar: true if it may have a sidecar.
  ///   - isPatient: true to throw the error of a failed read if it may pass, so that the read is tried again. Any other is returned in the
  ///     claim, so that the job asks about it and holds up no other file.
  func read(
    _ id: JobID, _ dropped: FileName, at place: ClaimPlace, _ facts: FileFacts,
    opened: OpenFile? = nil, withSidecar: Bool, isPatient: Bool = true
  ) throws(FileError) -> (claim: Claim, loss: AttributeLoss?) {
    var unread: FileError?
    func ask(_ error: FileError) throws(FileError) {
      if isPatient, error.mayPass || error.isOfSomethingGone { throw error }
      unread = error
    }
    var (attributes, loss): ([String: [UInt8]], AttributeLoss?) = ([:], nil)
    do throws(FileError) {
      (attributes, loss) = try self.attributes(place, facts, opened)
    } catch {
      try ask(error)
    }
    var sidecar: ClaimedSidecar?
    if withSidecar { sidecar = try self.sidecar(id, dropped, unread: ask) }
    let claim = Claim(
      id: id, dropped: dropped, identity: FileIdentity(facts), attributes: attributes, sidecar: sidecar, unread: unread)
    return (claim, loss)
  }

  /// Returns the extended attributes of a claimed file; none if the daemon may not read the file, which the job asks about
  /// separately.
  private func attributes(
    _ place: ClaimPlace, _ facts: FileFacts, _ opened: OpenFile?
  ) throws(FileError) -> ([String: [UInt8]], AttributeLoss?) {
    if let opened { return try attributes(of: opened) }
    guard place.directory.mayHaveAttributes(place.name) else { return ([:], nil) }
    let file = try unless(EACCES) { () throws(FileError) in try place.directory.open(place.name, whose: facts) }
    return try file.map { file throws(FileError) in try attributes(of: file) } ?? ([:], nil)
  }

  /// The same, of an open file.
  func attributes(of file: OpenFile) throws(FileError) -> ([String: [UInt8]], AttributeLoss?) {
    let attributes = try file.attributes(
      where: Claim.isWanted, count: Claim.attributeCount, bytes: Claim.attributeBytes)
    let loss = attributes.wasCut ? AttributeLoss.tooMany : attributes.doubled.first.map { .doubled($0) }
    return (attributes.values, loss)
  }
}
