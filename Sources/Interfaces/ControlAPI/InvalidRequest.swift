public import Messages

/// An error: a request cannot be accepted as it is. The message says what is accepted. The answer has status 400.
public struct InvalidRequest: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault, for the person who wrote the request.
  public var message: Message

  /// Creates an error from its message.
  public init(_ message: Message) { self.message = message }

  /// The fault in English.
  public var description: String { message.text }
}
