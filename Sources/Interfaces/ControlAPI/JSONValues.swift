public import Jobs
package import Messages

extension Message: JSONValue {
  package func write(into text: inout JSONText) { text.value(self) }
}

extension String: JSONValue {
  package init(json: JSONNode) throws(JSONFault) { self = try json.text() }

  package func write(into text: inout JSONText) { text.value(self) }
}

extension Bool: JSONValue {
  package init(json: JSONNode) throws(JSONFault) { self = try json.flag() }

  package func write(into text: inout JSONText) { text.value(self) }
}

extension Double: JSONValue {
  package init(json: JSONNode) throws(JSONFault) { self = try json.double() }

  package func write(into text: inout JSONText) { text.value(self) }
}

/// A point in time is RFC 3339 in UTC to the millisecond.
extension Timestamp: JSONValue {
  package init(json: JSONNode) throws(JSONFault) {
    guard let time = Timestamp(rfc3339: try json.text()) else { throw json.another("RFC 3339 time") }
    self = time
  }

  package func write(into text: inout JSONText) { text.value(rfc3339Milliseconds) }
}

extension JSONValue where Self: FixedWidthInteger {
  package init(json: JSONNode) throws(JSONFault) {
    // beyond 64 bits with a sign there are only the numbers of devices and inodes
    if case .number(let digits) = json, let number = Self(digits) {
      self = number
    } else if let number = Self(exactly: try json.integer()) {
      self = number
    } else {
      throw json.another("whole number of \(Self.bitWidth) bits")
    }
  }

  package func write(into text: inout JSONText) {
    if let number = Int64(exactly: self) { text.value(number) } else { text.value(UInt64(clamping: self)) }
  }
}

extension Int: JSONValue {}
extension Int32: JSONValue {}
extension Int64: JSONValue {}
extension UInt32: JSONValue {}
extension UInt64: JSONValue {}

extension JSONValue where Self: RawRepresentable, RawValue == String {
  package init(json: JSONNode) throws(JSONFault) {
    guard let value = Self(rawValue: try json.text()) else { throw json.another("one of its words") }
    self = value
  }

  package func write(into text: inout JSONText) { text.value(rawValue) }
}

extension Step: JSONValue {}
extension JobState: JSONValue {}
extension JobPhase: JSONValue {}
extension Remote: JSONValue {}
extension Failure.Kind: JSONValue {}
extension Checksum.Extent: JSONValue {}

extension Array: JSONValue where Element: JSONValue {
  package init(json: JSONNode) throws(JSONFault) {
    let nodes = try json.array()
    self.init()
    reserveCapacity(nodes.count)
    for node in nodes { append(try Element(json: node)) }
  }

  package func write(into text: inout JSONText) {
    text.array { text in for element in self { element.write(into: &text) } }
  }
}

/// A name of a member where the names are values.
package protocol JSONName: Hashable, Sendable {
  /// Reads a name; nil for one that is not known.
  init?(jsonName: String)
  var jsonName: String { get }
}

extension String: JSONName {
  package init?(jsonName: String) { self = jsonName }

  package var jsonName: String { self }
}

extension JobState: JSONName {
  package init?(jsonName: String) { self.init(rawValue: jsonName) }

  package var jsonName: String { rawValue }
}

extension Dictionary: JSONValue where Key: JSONName, Value: JSONValue {
  package init(json: JSONNode) throws(JSONFault) {
    self.init()
    for member in try json.object().members {
      // Ignored: a later version may have names that are not known here.
      guard let name = Key(jsonName: member.name) else { continue }
      self[name] = try Value(json: member.value)
    }
  }

  package func write(into text: inout JSONText) {
    text.object { text in
      for (name, value) in map({ ($0.key.jsonName, $0.value) }).sorted(by: { $0.0 < $1.0 }) {
        text.member(name, value: value)
      }
    }
  }
}
