/// Something that is not there and without which a test cannot go on.
public struct Missing: Error, CustomStringConvertible {
  /// What is missing, in words.
  public let description: String

  /// Says what is missing.
  public init(_ description: String) { self.description = description }
}
