public import Jobs

/// A point in time as messages carry it: RFC 3339 in UTC to the millisecond.
public struct MessageTime: Hashable, Comparable, Sendable, Codable {
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
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let timestamp = Timestamp(rfc3339: text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 time: \(text)")
    }
    self.timestamp = timestamp
  }

  /// Writes RFC 3339 text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(timestamp.rfc3339Milliseconds)
  }
}
