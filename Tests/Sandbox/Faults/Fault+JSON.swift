import FoundationEssentials
import HTTPTypes

/// A fault that makes no sense; the words name the key and the correct form.
struct FaultError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A fault as `PUT /_admin/faults` gives it: a key that no fault has is refused too.
struct GivenFault: Decodable {
  let fault: Fault

  init(from decoder: any Decoder) throws {
    let known = Fault.CodingKeys.allCases.map(\.rawValue).sorted()
    for key in try decoder.singleValueContainer().decode([String: Ignored].self).keys where !known.contains(key) {
      throw FaultError("a fault has no key \"\(key)\"; the keys are \(known.joined(separator: ", "))")
    }
    fault = try Fault(from: decoder)
    try fault.check()
  }

  private struct Ignored: Decodable { init(from decoder: any Decoder) {} }
}

extension Fault {
  /// Refuses a fault that makes no sense, before it is in force.
  func check() throws(FaultError) {
    if status != nil, !(statuses ?? []).isEmpty { throw FaultError("give either status or statuses, not both") }
    if let status { try Step.status(status).check() }
    for step in statuses ?? [] { try step.check() }
    if let latency, !(0...600_000).contains(latency) { throw FaultError("latency_ms is 0 to 600000") }
    if let retryAfter, retryAfter < 0 { throw FaultError("retry_after is in seconds, 0 or more") }
    if let times, times < 1 { throw FaultError("times is 1 or more") }
    for (name, value) in headers ?? [:] where HTTPField.Name(name) == nil || !HTTPField.isValidValue(value) {
      throw FaultError("\"\(name)\" with that value is not an HTTP header")
    }
    if isSpent { throw FaultError("a fault needs status, statuses, cut, hold or latency_ms") }
  }
}

extension Fault.Step: Codable {
  /// Reads `503` or `cut-after`.
  init(_ text: some StringProtocol) throws(FaultError) {
    if let status = Int(text) {
      self = .status(status)
    } else if text.hasPrefix("cut-"), let cut = Fault.Cut(rawValue: String(text.dropFirst(4))) {
      self = .cut(cut)
    } else {
      throw FaultError("\"\(text)\" is neither a status nor cut-before, cut-after or cut-mid")
    }
    try check()
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {  // not a text: then it has to be a number, which says so itself
      self = try Self(text)
    } else {
      self = .status(try value.decode(Int.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .status(let status): try value.encode(status)
    case .cut(let cut): try value.encode("cut-" + cut.rawValue)
    }
  }

  func check() throws(FaultError) {
    guard case .status(let status) = self, !(200...599).contains(status) else { return }
    throw FaultError("\(status) is not a final HTTP status, 200 to 599")
  }
}
