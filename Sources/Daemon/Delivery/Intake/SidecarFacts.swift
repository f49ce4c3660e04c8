import Jobs
package import Messages
import Spool

/// The facts of a document's sidecar that the job needs: its metadata, and its fault if there is one, such as that it did not come.
struct SidecarFacts {
  /// The top-level members of a JSON sidecar.
  private(set) var values: [String: String] = [:]
  private(set) var names: [String] = []
  /// The fault, such as `its sidecar a.json did not come within 30s`, and the remedy; nil if all is well.
  private(set) var fault: (words: Message, remedy: Message)?

  /// Reads the sidecar of a claim; nil for a claim that has none and needs none.
  init?(of claim: Claim, in options: SpoolOptions) {
    guard let sidecar = claim.sidecar else {
      guard let pattern = options.sidecar, claim.group == nil else { return nil }
      let name = pattern.sidecar(of: claim.name).shown
      fault = (.sidecarDidNotCome(name: name, time: options.sidecarWait), .seeSidecarWriter)
      return
    }
    do throws(SidecarText.Fault) {
      let members = try Self.members(sidecar)
      values = Dictionary(members) { $1 }
      names = members.map(\.0)
    } catch {
      let name = sidecar.sidecar.pattern.sidecar(of: claim.name).shown
      fault = (.sidecarUnusable(name: name, why: error.message), .sidecarIsKept)
    }
  }

  private static func members(_ sidecar: ClaimedSidecar) throws(SidecarText.Fault) -> [(String, String)] {
    let bytes: [UInt8]
    switch sidecar.content {
    case .bytes(let read): bytes = read
    case .unusable(let why): throw SidecarText.Fault(message: why)
    }
    let text = try SidecarText.text(bytes)
    guard sidecar.sidecar.pattern.format == .json else { return [] }
    let members = try SidecarText.members(ofJSON: Array(text.utf8))
    let size = members.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count }
    guard members.count <= Claim.attributeCount, size <= Claim.attributeBytes else {
      throw SidecarText.Fault(
        message: .sidecarMembers(
          count: members.count, size: size, most: Claim.attributeCount, limit: Claim.attributeBytes))
    }
    return members
  }
}

package enum SidecarText {
  /// The reason why a sidecar cannot be used; the words follow its name.
  package struct Fault: Error, Hashable {
    package let message: Message
  }

  package static func text(_ bytes: [UInt8]) throws(Fault) -> String {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let content = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    guard let text = String(validating: content, as: UTF8.self) else { throw Fault(message: .sidecarNotText) }
    return text
  }

  /// Returns the members of a JSON object that are texts, numbers, true or false, as texts, in the order of the document. Names that begin
  /// with `waybill-` are reserved, and left out.
  package static func members(ofJSON bytes: [UInt8]) throws(Fault) -> [(String, String)] {
    var members: [(String, String)] = []
    do throws(JSONFault) {
      for member in try JSONReader.object(bytes).members {
        let name = member.name
        guard let value = member.value.scalar, !name.isEmpty, !FileMetadata.isReserved(name) else { continue }
        members.append((name, value))
      }
    } catch {
      throw Fault(message: .sidecarNotJson(why: DisplayText.escape(error.words)))
    }
    return members
  }
}

extension JSONNode {
  /// A text, the number as it is written, `true` or `false`; nil for null, an object or an array.
  fileprivate var scalar: String? {
    switch self {
    case .text(let text), .number(let text): text
    case .flag(let flag): "\(flag)"
    case .null, .object, .array: nil
    }
  }
}
