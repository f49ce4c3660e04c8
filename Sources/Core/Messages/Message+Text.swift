extension Message {
  /// The message in English. A code that this version does not know is shown with its arguments.
  public var text: String { text { $0 } }

  /// Returns the message in English, with each moment in it as the function shows it, such as in the reader's time zone.
  public func text(times: (String) -> String) -> String {
    if code == "text", case .text(let words)? = arguments["text"] { return words }
    guard let form = MessageTable.forms[code] else { return unknown(times) }
    return form.english.reduce(into: "") { words, piece in
      switch piece {
      case .words(let text): words += text
      case .value(let name, let style): words += arguments[name]?.text(style, times) ?? "…"
      }
    }
  }

  private func unknown(_ times: (String) -> String) -> String {
    let values = arguments.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text(.plain, times))" }
    return values.isEmpty ? code : "\(code) (\(values.joined(separator: ", ")))"
  }
}

extension Message.Value {
  func text(_ style: MessageForm.Style, _ times: (String) -> String) -> String {
    switch self {
    case .text(let text): style == .noun || style == .capitalNoun ? Self.noun(text, style) : text
    case .number(let number): String(number)
    case .duration(let duration): style == .seconds ? duration.description : Self.units(duration)
    case .bytes(let bytes): Self.size(bytes)
    case .time(let time): times(time)
    case .message(let message): Self.words(message.text(times: times), style)
    }
  }

  /// The server's own words may end with a full stop.
  private static func words(_ text: String, _ style: MessageForm.Style) -> String {
    style == .clause && text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// The noun for a step.
  private static func noun(_ step: String, _ style: MessageForm.Style) -> String {
    let noun = step == "register" ? "registration" : step
    return style == .noun ? noun : noun.prefix(1).uppercased() + noun.dropFirst()
  }

  /// Returns a span of time as the configuration writes it, e.g. `500ms`, `10s` or `1h 30min`; never negative.
  package static func units(_ duration: Duration) -> String {
    let all = max(0, duration.microseconds)
    if all % 1_000_000 != 0 { return all < 1000 ? "\(all)us" : "\((all +| 500) / 1000)ms" }
    let seconds = all / 1_000_000
    let units = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
    ]
    let words = units.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }
    return words.isEmpty ? "0s" : words.joined(separator: " ")
  }

  /// Returns a size in the largest unit that leaves it at least 1, e.g. `12.3 MiB`.
  private static func size(_ bytes: Int64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    let tenths = Int((value * 10).rounded(.down))
    return unit == 0 || tenths % 10 == 0
      ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
