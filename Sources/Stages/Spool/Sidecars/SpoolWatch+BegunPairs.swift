import Jobs
import Linux

/// The pairs whose claim was begun and failed.
extension SpoolWatch {
  /// Returns true if the sidecar of a document was claimed by an earlier attempt. It is true too if that cannot be determined:
  /// the claim of the sidecar will show it.
  func stands(_ pattern: SidecarPattern, _ id: JobID, _ document: FileName, _ held: LockedSpool) -> Bool {
    do throws(FileError) {
      return try held.hasSidecar(pattern, id, document)
    } catch {
      return true
    }
  }

  /// Puts the sidecar of a document that is not claimed back into the spool. If that fails, the pair stays begun.
  func putBackSidecar(
    of document: FileName, _ id: JobID, _ pattern: SidecarPattern, _ held: LockedSpool, into directory: Directory
  ) throws(FileError) {
    if try held.putBack(pattern, id, document, into: try directory.reopened()) {
      scanIsWanted = true
    } else {
      problems.report(.strandedSidecar(options, pattern.sidecar(of: document)))
    }
    begunPairs.forget(document, id)
  }

  /// Gives up begun pairs if there are too many: their sidecars are put back.
  func limitBegunPairs(_ pattern: SidecarPattern, _ held: LockedSpool) {
    for (document, id) in begunPairs.leavers {
      do throws(FileError) {
        if try held.hasSidecar(pattern, id, document) {
          let (directory, _) = try whereabouts(document)
          try putBackSidecar(of: document, id, pattern, held, into: directory)
        }
      } catch {
        problems.report(.strandedSidecar(options, pattern.sidecar(of: document)))
      }
      begunPairs.forget(document, id)
    }
  }

  /// Puts back the sidecars of begun pairs whose documents have disappeared from the spool.
  func endBegunPairs() {
    guard !begunPairs.pairs.isEmpty, let pattern = options.sidecar, let held = spool.present else { return }
    for (document, pair) in begunPairs.pairs where candidates.table[document] == nil {
      let id = pair.id
      do throws(FileError) {
        let (directory, last) = try whereabouts(document)
        let isToBeClaimed = try held.exists(last, in: directory)
        let isClaimed = try held.stands(ClaimReference(id, document))
        guard !isToBeClaimed, !isClaimed else { continue }
        if try held.hasSidecar(pattern, id, document) {
          try putBackSidecar(of: document, id, pattern, held, into: directory)
        } else {
          begunPairs.forget(document, id)
        }
      } catch {
        guard error.isOfSomethingGone else { continue }
        problems.report(.strandedSidecar(options, pattern.sidecar(of: document)))
        begunPairs.forget(document, id)
      }
    }
  }
}
