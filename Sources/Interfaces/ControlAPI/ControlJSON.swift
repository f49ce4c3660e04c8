import FoundationEssentials
import Linux

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
    try JSONDecoder().decode(type, from: Data(seen(Array(bytes))))
  }

  /// The bytes that a daemon sent; tests may give their numbers extreme values.
  static func seen(_ bytes: [UInt8]) -> [UInt8] {
    #if DEBUG || SIMULATION
      ExtremeNumbers.altered(json: bytes)
    #else
      bytes
    #endif
  }
}
