extension Message.Value: Codable {
  private enum Kind: String, CodingKey { case seconds, bytes, time, code }

  /// Reads a value by its form.
  public init(from decoder: any Decoder) throws {
    // Ignored: these errors say only that the value is of another form.
    if let text = try? String(from: decoder) {
      self = .text(text)
      return
    }
    if let number = try? Int64(from: decoder) {
      self = .number(number)
      return
    }
    let container = try decoder.container(keyedBy: Kind.self)
    if container.contains(.code) {
      self = .message(try Message(from: decoder))
    } else if container.contains(.seconds) {
      self = .duration(Self.duration(try container.decode(Double.self, forKey: .seconds)))
    } else if container.contains(.bytes) {
      self = .bytes(try container.decode(Int64.self, forKey: .bytes))
    } else {
      self = .time(try container.decode(String.self, forKey: .time))
    }
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .text(let text): try text.encode(to: encoder)
    case .number(let number): try number.encode(to: encoder)
    case .duration(let duration): try ["seconds": Self.seconds(duration)].encode(to: encoder)
    case .bytes(let bytes): try ["bytes": bytes].encode(to: encoder)
    case .time(let time): try ["time": time].encode(to: encoder)
    case .message(let message): try message.encode(to: encoder)
    }
  }
}
