import FoundationEssentials

/// JSON for the control socket: sorted members, so that equal messages are equal bytes.
public enum ControlJSON {
  /// Returns a message as JSON in one line.
  public static func encode(_ message: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(message))
  }

  /// Reads a message from JSON.
  ///
  /// - Throws: `DecodingError` if the bytes are not JSON.
  public static func decode<Message: Decodable>(_ type: Message.Type, from bytes: some Sequence<UInt8>) throws
    -> Message
  {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
