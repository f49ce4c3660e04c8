import Jobs
import Messages

/// The members of a request's body, a JSON object that has only known ones.
package struct BodyMembers {
  private let values: [String: JSONNode]

  /// Reads a body.
  /// - Parameter known: the names that it may have.
  /// - Throws: ``InvalidRequest`` that names a member.
  package init(_ bytes: [UInt8], known: [String]) throws(InvalidRequest) {
    let object: JSONObject
    do throws(JSONFault) {
      object = try JSONReader.object(bytes)
    } catch {
      throw InvalidRequest(.bodyNotJson(why: DisplayText.escape(error.words)))
    }
    for member in object.members {
      guard known.contains(member.name) else {
        throw InvalidRequest(
          known.isEmpty
            ? .memberNeedless(name: member.name)
            : .memberUnknown(name: member.name, known: known.joined(separator: ", ")))
      }
      // a variable that is empty by mistake must not match everything
      if case .null = member.value { throw InvalidRequest(.valueNull(name: member.name)) }
    }
    values = Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
  }

  func value<Value: JSONValue>(_ name: String) throws(InvalidRequest) -> Value? {
    try value(name) { (node: JSONNode) throws(JSONFault) -> Value in try Value(json: node) }
  }

  func revision() throws(InvalidRequest) -> Int64? {
    let revision: Int64? = try value("revision")
    guard revision ?? 0 >= 0 else { throw InvalidRequest(.valueHasToBe(name: "revision", form: .formAnswered)) }
    return revision
  }

  func value<Value>(
    _ name: String, _ read: (JSONNode) throws(JSONFault) -> Value
  ) throws(InvalidRequest) -> Value? {
    guard let node = values[name] else { return nil }
    do throws(JSONFault) {
      return try read(node)
    } catch {
      throw InvalidRequest(.memberUnfit(name: name, why: DisplayText.escape(error.words)))
    }
  }
}
