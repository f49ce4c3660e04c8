extension Message: Codable {
  enum CodingKeys: String, CodingKey { case code, arguments }

  /// Reads a message. The code may be one that this version does not know.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    code = try container.decode(String.self, forKey: .code)
    arguments = try container.decodeIfPresent([String: Value].self, forKey: .arguments) ?? [:]
  }

  /// Writes code and arguments.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(code, forKey: .code)
    try container.encode(arguments, forKey: .arguments)
  }
}

extension Message.Value: Codable {
  private enum Kind: String, CodingKey { case seconds, bytes, time, code }

  /// Reads a value by its form.
  public init(from decoder: any Decoder) throws {
    // Ignored: these errors say only that the value is of another form.
    if let single = try? decoder.singleValueContainer() {
      if let text = try? single.decode(String.self) {
        self = .text(text)
        return
      }
      if let number = try? single.decode(Int64.self) {
        self = .number(number)
        return
      }
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
    case .text(let text):
      var container = encoder.singleValueContainer()
      try container.encode(text)
    case .number(let number):
      var container = encoder.singleValueContainer()
      try container.encode(number)
    case .duration(let duration):
      var container = encoder.container(keyedBy: Kind.self)
      try container.encode(Self.seconds(duration), forKey: .seconds)
    case .bytes(let bytes):
      var container = encoder.container(keyedBy: Kind.self)
      try container.encode(bytes, forKey: .bytes)
    case .time(let time):
      var container = encoder.container(keyedBy: Kind.self)
      try container.encode(time, forKey: .time)
    case .message(let message): try message.encode(to: encoder)
    }
  }
}
