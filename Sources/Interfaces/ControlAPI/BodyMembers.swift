import Jobs
import Messages

/// The members of a request's body, a JSON object that has only known ones.
struct BodyMembers {
  private let values: [String: JSONNode]

  /// Reads a body.
  ///
  /// - Parameter known: the names that it may have.
  init(_ bytes: [UInt8], known: [String]) throws(InvalidRequest) {
    let object: JSONObject
    do throws(JSONFault) {
      object = try JSONReader.object(bytes)
    } catch {
      throw InvalidRequest("The body is not a JSON object: \(DisplayText.escape(error.words))")
    }
    try self.init(object, known: known)
  }

  /// Checks the members of an object in a body.
  init(_ object: JSONObject, known: [String]) throws(InvalidRequest) {
    for member in object.members {
      guard known.contains(member.name) else {
        let others = known.isEmpty ? "there are none" : "there are \(known.joined(separator: ", "))"
        throw InvalidRequest("member \"\(member.name)\" is not known here; \(others)")
      }
      // a variable that is empty by mistake must not match everything
      if case .null = member.value {
        throw InvalidRequest("\(member.name) is null: leave it out, or give it a value")
      }
    }
    values = Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
  }

  /// Returns a member that is a text; nil if it is not there.
  func text(_ name: String) throws(InvalidRequest) -> String? {
    try value(name) { (node: JSONNode) throws(JSONFault) -> String in try node.text() }
  }

  /// Returns a member that is a whole number; nil if it is not there.
  func number(_ name: String) throws(InvalidRequest) -> Int64? {
    try value(name) { (node: JSONNode) throws(JSONFault) -> Int64 in try node.integer() }
  }

  /// Returns a member that is true or false; nil if it is not there.
  func flag(_ name: String) throws(InvalidRequest) -> Bool? {
    try value(name) { (node: JSONNode) throws(JSONFault) -> Bool in try node.flag() }
  }

  /// Returns a member as a function reads it; nil if it is not there.
  func value<Value>(
    _ name: String, _ read: (JSONNode) throws(JSONFault) -> Value
  ) throws(InvalidRequest) -> Value? {
    guard let node = values[name] else { return nil }
    do throws(JSONFault) {
      return try read(node)
    } catch {
      throw InvalidRequest("\(name): \(DisplayText.escape(error.words))")
    }
  }
}
