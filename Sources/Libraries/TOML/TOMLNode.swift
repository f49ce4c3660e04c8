/// A value of a TOML document, with its line.
public struct TOMLNode: Hashable, Sendable {
  /// TOML's types (toml.io/en/v1.0.0). Dates and times of all four kinds are kept as they are written.
  public indirect enum Value: Hashable, Sendable {
    case table([String: TOMLNode])
    case array([TOMLNode])
    case string(String)
    case integer(Int)
    case float(Double)
    case boolean(Bool)
    case date(String)
  }

  /// The value, of whichever type.
  public let value: Value
  /// The line of the value, counted from 1: of a table the one of its header; nil where the parser does not tell it.
  public let line: Int?
}
