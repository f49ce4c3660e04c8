/// The name of a member of JSON as it is written, with its quotes and its colon: made once, where the member is written thousands of
/// times.
package struct JSONName: Sendable {
  let bytes: [UInt8]

  /// Creates the name.
  package init(_ name: String) { bytes = Array((JSONText.quoted(name) + ":").utf8) }
}

extension JSONText {
  /// Writes a member with a text; nil is null.
  package mutating func member(_ name: JSONName, _ text: String?) {
    key(name)
    if let text { value(text) } else { null() }
  }

  /// Writes a member with a number; nil is null.
  package mutating func member(_ name: JSONName, _ number: Int64?) {
    key(name)
    if let number { value(number) } else { null() }
  }

  /// Writes a member with a message; nil is null.
  package mutating func member(_ name: JSONName, _ message: Message?) {
    key(name)
    if let message { value(message) } else { null() }
  }

  /// Writes a member with what is JSON already; nil is null.
  package mutating func member(_ name: JSONName, json: [UInt8]?) {
    key(name)
    if let json { value(json: json) } else { null() }
  }
}
