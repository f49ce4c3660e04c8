import ControlAPI
import Jobs
import Linux

/// The documents and sidecars among files that are added to a spool. Neither is taken without the other.
struct AddedPairs {
  private let pattern: SidecarPattern?
  private let names: [FileName]

  init(_ spool: SpoolMessage, names: [FileName]) {
    // Ignored: a newer daemon may know patterns that this command does not. Then there is nothing to say about pairs.
    pattern = spool.sidecar.flatMap { try? SidecarPattern($0) }
    self.names = names
  }

  /// The first sidecar among the files.
  var sidecar: FileName? { names.first(where: isSidecar) }

  /// True if a name is that of a sidecar.
  func isSidecar(_ name: FileName) -> Bool { pattern?.fits(name) ?? false }

  /// Returns words for the other file of a pair; nil if that is added too or is in the spool, or if the spool has no pairs.
  func partner(of name: FileName, in spool: Directory) -> String? {
    guard let pattern else { return nil }
    if pattern.fits(name) {
      if names.contains(where: { !pattern.fits($0) && pattern.sidecar(of: $0) == name }) { return nil }
      guard let document = pattern.document(of: name) else { return "its document" }
      return isThere(document, spool) ? nil : "its document \(document.shown)"
    }
    let sidecar = pattern.sidecar(of: name)
    return names.contains(sidecar) || isThere(sidecar, spool) ? nil : "its sidecar \(sidecar.shown)"
  }

  private func isThere(_ name: FileName, _ spool: Directory) -> Bool {
    do throws(FileError) {
      _ = try spool.facts(of: name.bytes)
      return true
    } catch {
      return false
    }
  }
}
