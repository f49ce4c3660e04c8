import Glibc
import Jobs
import Linux

/// The two things that every claim needs: a rename into `.waybill`, and a look at what stands there. A file system that fails for a
/// moment leaves nothing there that nobody knows of, and has nothing sent without what belongs to it.
extension HeldSpool {
  /// The result of a rename into `.waybill`.
  enum Move {
    /// It has its claimed name.
    case done
    /// There is no such thing to claim any more.
    case gone
    /// Nobody can tell which name it has.
    case unknown(FileError)
  }

  /// Gives something in the spool its claimed name. Throws only if it is certain that it did not get it: an error of the rename
  /// alone does not say so, since a file server may have done it and its answer was lost.
  func move(
    _ name: [UInt8], of source: Directory, to directory: Directory, as claimed: [UInt8]
  ) throws(FileError) -> Move {
    do throws(FileError) {
      try source.rename(name, intoOurs: directory, as: claimed)
      return .done
    } catch {
      do throws(FileError) {
        if try exists(claimed, in: directory) { return .done }
      } catch {
        return .unknown(error)
      }
      guard error.errno == ENOENT else { throw error }
      return .gone
    }
  }

  /// True if a claim stands in its place.
  func stands(_ id: JobID, _ dropped: FileName) throws(FileError) -> Bool {
    do throws(FileError) {
      _ = try facts(id, dropped)
      return true
    } catch {
      guard error.isOfSomethingGone else { throw error }
      return false
    }
  }

  /// Returns the claim of a file that stands in its place, with all that belongs to it.
  ///
  /// - Parameters:
  ///   - facts: those of the file. Nobody else can put another file in its place in `.waybill`.
  ///   - withSidecar: true if it may have a sidecar.
  ///   - isPatient: true if the error of a reading is thrown, so that it is tried again. If it is false, the job asks about it.
  func read(
    _ id: JobID, _ dropped: FileName, at place: ClaimPlace, _ facts: FileFacts,
    withSidecar: Bool, isPatient: Bool = true
  ) throws(FileError) -> (claim: Claim, loss: AttributeLoss?) {
    var unread: FileError?
    var (attributes, loss): ([String: [UInt8]], AttributeLoss?) = ([:], nil)
    do throws(FileError) {
      (attributes, loss) = try self.attributes(place.directory, place.name, facts)
    } catch {
      if isPatient { throw error }
      unread = error
    }
    var sidecar: ClaimedSidecar?
    if withSidecar { sidecar = try self.sidecar(id, dropped, unread: isPatient ? nil : { unread = $0 }) }
    let claim = Claim(
      id: id, dropped: dropped, identity: FileIdentity(facts), attributes: attributes, sidecar: sidecar, unread: unread)
    return (claim, loss)
  }

  /// Returns the extended attributes of a claimed file; none if the daemon may not read it, which the job asks about separately.
  private func attributes(
    _ directory: Directory, _ claimed: [UInt8], _ facts: FileFacts
  ) throws(FileError) -> ([String: [UInt8]], AttributeLoss?) {
    guard directory.mayHaveAttributes(claimed) else { return ([:], nil) }
    let file: OpenFile
    do throws(FileError) {
      file = try directory.open(claimed, whose: facts)
    } catch {
      guard error.errno == EACCES else { throw error }
      return ([:], nil)
    }
    let attributes = try file.attributes(
      where: Claim.isWanted, count: Claim.attributeCount, bytes: Claim.attributeBytes)
    let loss = attributes.wasCut ? AttributeLoss.tooMany : attributes.doubled.first.map { .doubled($0) }
    return (attributes.values, loss)
  }
}
