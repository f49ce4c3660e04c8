import Linux
package import Messages
import Seams

/// A value in a message of the control API.
package protocol JSONValue: Hashable, Sendable {
  init(json: JSONNode) throws(JSONFault)
  func write(into text: inout JSONText)
}

/// A message of the control API, or an object in one: the types that are made from `share/waybill-api.yaml`.
package protocol JSONMessage: JSONValue {
  func writeMembers(into text: inout JSONText)
}

extension JSONMessage {
  package func write(into text: inout JSONText) { text.object { writeMembers(into: &$0) } }

  package init(bytes: [UInt8]) throws(JSONFault) {
    #if DEBUG || SIMULATION
      // the bytes that a daemon sent; tests may give their numbers extreme values
      try self.init(json: JSONReader.value(ExtremeNumbers.altered(json: bytes)))
    #else
      try self.init(json: JSONReader.value(bytes))
    #endif
  }

  /// Returns the message as JSON in one line.
  package func json(texts: TextForm = .words(.english)) -> [UInt8] {
    var text = JSONText(texts: texts)
    write(into: &text)
    return text.bytes
  }
}

extension JSONText {
  /// Writes a member; nil is null.
  package mutating func member(_ name: String, value: (some JSONValue)?) {
    key(name)
    if let value { value.write(into: &self) } else { null() }
  }
}

extension JSONObject {
  /// Reads a member; nil if it is null, or not there.
  package mutating func value<Value: JSONValue>(_ name: String) throws(JSONFault) -> Value? {
    guard let node = optional(name) else { return nil }
    do throws(JSONFault) {
      return try Value(json: node)
    } catch {
      throw JSONFault(words: "\(name): \(error.words)")
    }
  }

  package mutating func required<Value: JSONValue>(_ name: String) throws(JSONFault) -> Value {
    guard let value: Value = try value(name) else { throw JSONFault(words: "there is no \(name)") }
    return value
  }

  /// Reads a member; nil if it is of a form that only a later version knows.
  package mutating func lenient<Value: JSONValue>(_ name: String) -> Value? {
    do throws(JSONFault) {
      return try value(name)
    } catch {
      // Ignored: the message makes sense without it.
      return nil
    }
  }
}
