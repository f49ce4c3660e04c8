import Jobs
import Messages
import Spool

/// The part of a document's sidecar that the job needs: its metadata, and its fault if there is one.
struct SidecarFacts {
  /// The top-level members of a JSON sidecar.
  private(set) var values: [String: String] = [:]
  /// Their names, in the order of the document.
  private(set) var names: [String] = []
  /// The fault; nil if all is well, or if the spool has no sidecars.
  private(set) var doubt: SidecarDoubt?

  init(of claim: Claim, in options: SpoolOptions) {
    guard let sidecar = claim.sidecar else {
      if let pattern = options.sidecar, claim.group == nil {
        let name = pattern.sidecar(of: claim.name).shown
        doubt = SidecarDoubt(
          document: claim.name, message: .sidecarDidNotCome(name: name, time: options.sidecarWait),
          remedy: .seeSidecarWriter)
      }
      return
    }
    do throws(SidecarText.Fault) {
      let members = try Self.members(sidecar)
      values = Dictionary(members) { $1 }
      names = members.map(\.0)
    } catch {
      let name = sidecar.sidecar.pattern.sidecar(of: claim.name).shown
      doubt = SidecarDoubt(
        document: claim.name, message: .sidecarUnusable(name: name, why: .text(error.words)), remedy: .sidecarIsKept)
    }
  }

  private static func members(_ sidecar: ClaimedSidecar) throws(SidecarText.Fault) -> [(String, String)] {
    let bytes: [UInt8]
    switch sidecar.content {
    case .bytes(let read): bytes = read
    case .unusable(let words): throw SidecarText.Fault(words: words)
    }
    let text = try SidecarText.text(bytes)
    guard sidecar.sidecar.pattern.format == .json else { return [] }
    let members = try SidecarText.members(ofJSON: Array(text.utf8))
    let size = members.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count }
    guard members.count <= Claim.attributeCount, size <= Claim.attributeBytes else {
      throw SidecarText.Fault(
        words:
          "has \(members.count) members of \(size) bytes; at most \(Claim.attributeCount) of \(Claim.attributeBytes) are taken"
      )
    }
    return members
  }
}
