public import Jobs
package import Messages

/// A point in time as messages carry it: RFC 3339 in UTC to the millisecond.
public struct MessageTime: Hashable, Comparable, Sendable, JSONValue {
  /// The point in time.
  public var timestamp: Timestamp

  /// Creates a message's time.
  public init(_ timestamp: Timestamp) { self.timestamp = timestamp }

  /// Creates a message's time from a point in time, if there is one.
  public init?(_ timestamp: Timestamp?) {
    guard let timestamp else { return nil }
    self.timestamp = timestamp
  }

  /// Orders by time.
  public static func < (a: MessageTime, b: MessageTime) -> Bool { a.timestamp < b.timestamp }

  /// Reads RFC 3339 text.
  package init(json: JSONNode) throws(JSONFault) {
    guard let timestamp = Timestamp(rfc3339: try json.text()) else { throw json.another("RFC 3339 time") }
    self.timestamp = timestamp
  }

  /// Writes RFC 3339 text.
  package func write(into text: inout JSONText) {
    text.value(unescaped: { timestamp.rfc3339MillisecondCharacters.append(to: &$0) })
  }
}
