import FoundationEssentials
import HTTPTypes

/// A fault that makes no sense; the words name the key and the correct form.
struct FaultError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Fault: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case statuses, status, cut, hold, code, message, body, headers, times
    case latency = "latency_ms"
    case retryAfter = "retry_after"
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    for key in try decoder.container(keyedBy: AnyKey.self).allKeys where Key(rawValue: key.stringValue) == nil {
      let known = Key.allCases.map(\.rawValue).sorted().joined(separator: ", ")
      throw FaultError("a fault has no key \"\(key.stringValue)\"; the keys are \(known)")
    }
    let values = try decoder.container(keyedBy: Key.self)
    statuses = try values.decodeIfPresent([Step].self, forKey: .statuses) ?? []
    status = try values.decodeIfPresent(Int.self, forKey: .status)
    cut = try values.decodeIfPresent(Cut.self, forKey: .cut)
    latency = try values.decodeIfPresent(Int.self, forKey: .latency)
    hold = try values.decodeIfPresent(Bool.self, forKey: .hold)
    retryAfter = try values.decodeIfPresent(Int.self, forKey: .retryAfter)
    code = try values.decodeIfPresent(String.self, forKey: .code)
    message = try values.decodeIfPresent(String.self, forKey: .message)
    body = try values.decodeIfPresent(String.self, forKey: .body)
    headers = try values.decodeIfPresent([String: String].self, forKey: .headers) ?? [:]
    times = try values.decodeIfPresent(Int.self, forKey: .times)
    try check()
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    if !statuses.isEmpty { try values.encode(statuses, forKey: .statuses) }
    try values.encodeIfPresent(status, forKey: .status)
    try values.encodeIfPresent(cut, forKey: .cut)
    try values.encodeIfPresent(latency, forKey: .latency)
    try values.encodeIfPresent(hold, forKey: .hold)
    try values.encodeIfPresent(retryAfter, forKey: .retryAfter)
    try values.encodeIfPresent(code, forKey: .code)
    try values.encodeIfPresent(message, forKey: .message)
    try values.encodeIfPresent(body, forKey: .body)
    if !headers.isEmpty { try values.encode(headers, forKey: .headers) }
    try values.encodeIfPresent(times, forKey: .times)
  }

  /// Refuses a fault that makes no sense, before it is in force.
  func check() throws(FaultError) {
    if status != nil, !statuses.isEmpty { throw FaultError("give either status or statuses, not both") }
    if let status { try Step.status(status).check() }
    for step in statuses { try step.check() }
    if let latency, !(0...600_000).contains(latency) { throw FaultError("latency_ms is 0 to 600000") }
    if let retryAfter, retryAfter < 0 { throw FaultError("retry_after is in seconds, 0 or more") }
    if let times, times < 1 { throw FaultError("times is 1 or more") }
    for (name, value) in headers where HTTPField.Name(name) == nil || !HTTPField.isValidValue(value) {
      throw FaultError("\"\(name)\" with that value is not an HTTP header")
    }
    if isSpent { throw FaultError("a fault needs status, statuses, cut, hold or latency_ms") }
  }
}

extension Fault.Step: Codable {
  /// Reads `503` or `cut-after`, as they are written in `--fault`.
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
