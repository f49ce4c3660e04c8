import Jobs
import Messages

/// Reads the text of a sidecar, and the members of one in JSON.
package enum SidecarText {
  /// The reason why a sidecar cannot be used; the words follow its name.
  package struct Fault: Error, Hashable {
    package let words: String
  }

  /// The bytes as text: UTF-8, with or without a byte order mark.
  package static func text(_ bytes: [UInt8]) throws(Fault) -> String {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let content = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Fault(words: "is not UTF-8")
    }
    return text
  }

  /// Returns the members of a JSON object that are texts, numbers, true or false, as texts, in the order of the document. A number stays
  /// as it is written. Members that are null, objects or arrays are left out, and so are names that begin with `waybill-`: they are
  /// reserved.
  package static func members(ofJSON bytes: [UInt8]) throws(Fault) -> [(String, String)] {
    var members: [(String, String)] = []
    do throws(JSONFault) {
      for member in try JSONReader.object(bytes).members {
        let name = member.name
        guard let value = member.value.scalar, !name.isEmpty, !name.lowercased().utf8.starts(with: "waybill-".utf8)
        else {
          continue
        }
        members.append((name, value))
      }
    } catch {
      throw Fault(words: "is no JSON object that can be used: \(DisplayText.escape(error.words))")
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
