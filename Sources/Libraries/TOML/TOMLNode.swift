/// A value of a TOML document, with its line.
public struct TOMLNode: Hashable, Sendable {
  /// TOML's types (toml.io/en/v1.0.0). Dates and times of all four kinds are stored as text.
  public indirect enum Value: Hashable, Sendable {
    case table([String: TOMLNode])
    case array([TOMLNode])
    case string(String)
    case integer(Int)
    case float(Double)
    case boolean(Bool)
    case date(String)
  }

  /// The value.
  public let value: Value
  /// The line of the value, counted from 1; for a table, the line of its header. Nil if the parser does not report it.
  public let line: Int?
}
