import Delivery
import FoundationEssentials

/// What a sidecar says is what Foundation's reader of JSON says too, and nothing that is reserved.
enum SidecarInput {
  static func take(_ bytes: [UInt8]) {
    let text: String
    let members: [String: String]
    do {
      text = try SidecarText.text(bytes)
      members = Dictionary(try SidecarText.members(ofJSON: Array(text.utf8))) { $1 }
    } catch {
      return promiseIsShowable("\(error.message)")
    }
    guard let theirs = try? JSONDecoder().decode([String: Scalar].self, from: Data(text.utf8)) else { return }
    for (name, value) in members {
      promise(!name.isEmpty && !name.lowercased().hasPrefix("waybill-"), "a reserved name")
      switch theirs[name] {
      case .text(let text): promise(Array(text.utf8) == Array(value.utf8), "another text of \(name)")
      case .truth(let truth): promise(String(truth) == value, "another truth of \(name)")
      case .number(let number): promise(Double(value) == number, "another number of \(name)")
      // its digits are kept as they are
      case .numberBeyondDouble: break
      case .other, nil: promise(false, "a value of \(name) that is none")
      }
    }
    let scalars = theirs.filter {
      if case .other = $0.value { return false }
      return !$0.key.isEmpty && !$0.key.lowercased().utf8.starts(with: "waybill-".utf8)
    }
    promise(scalars.count == members.count, "a member that is missing")
  }

  private enum Scalar: Decodable {
    case text(String)
    case number(Double)
    case truth(Bool)
    case numberBeyondDouble
    case other

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if let truth = try? value.decode(Bool.self) {
        self = .truth(truth)
      } else if let number = try? value.decode(Double.self) {
        self = .number(number)
      } else {
        self = Self.isNone(value) ? .other : .numberBeyondDouble
      }
    }

    private static func isNone(_ value: any SingleValueDecodingContainer) -> Bool {
      value.decodeNil() || (try? value.decode([Scalar].self)) != nil
        || (try? value.decode([String: Scalar].self)) != nil
    }
  }
}
