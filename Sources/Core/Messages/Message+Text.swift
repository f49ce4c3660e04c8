extension Message {
  /// The message in English. A code that this version does not know is shown with its arguments.
  public var text: String { text(in: .english) }

  /// Returns the message in a language, with each moment in it as the function shows it, such as in the reader's time zone.
  public func text(in language: ReaderLanguage, times: (String) -> String = \.self) -> String {
    if code == "text", case .text(let words)? = arguments["text"] { return words }
    guard let form = MessageTable.forms[code] else { return unknown(language, times) }
    return form.pieces(language).reduce(into: "") { words, piece in
      switch piece {
      case .words(let text): words += text
      case .value(let name, let style): words += arguments[name]?.text(style, language, times) ?? "…"
      }
    }
  }

  private func unknown(_ language: ReaderLanguage, _ times: (String) -> String) -> String {
    let values = arguments.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text(.plain, language, times))" }
    return values.isEmpty ? code : "\(code) (\(values.joined(separator: ", ")))"
  }
}

extension Message.Value {
  func text(_ style: MessageForm.Style, _ language: ReaderLanguage, _ times: (String) -> String) -> String {
    switch self {
    case .text(let text): Self.word(text, style, language)
    case .number(let number): String(number)
    case .duration(let duration): Self.span(duration, style, language)
    case .bytes(let bytes): Self.size(bytes, language)
    case .time(let time): times(time)
    case .message(let message): Self.words(message.text(in: language, times: times), style)
    }
  }

  /// The server's own words may end with a full stop.
  private static func words(_ text: String, _ style: MessageForm.Style) -> String {
    style == .clause && text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  private static func word(_ text: String, _ style: MessageForm.Style, _ language: ReaderLanguage) -> String {
    switch (style, language) {
    case (.noun, .english): noun(text)
    case (.capitalNoun, .english): noun(text).prefix(1).uppercased() + noun(text).dropFirst()
    case (.word, .english): text.replacing("-", with: " ")
    case (.word, .chinese), (.name, .chinese), (.noun, .chinese), (.capitalNoun, .chinese): chinese[text] ?? text
    default: text
    }
  }

  private static func noun(_ step: String) -> String { step == "register" ? "registration" : step }

  /// The names of the interface, of a side and of a call on files in Chinese.
  static let chinese = [
    "upload": "上传", "register": "登记", "queued": "排队中", "active": "传输中", "deferred": "稍后重试",
    "awaiting-confirmation": "等待确认", "awaiting-credentials": "等待密钥", "awaiting-network": "等待网络",
    "registered": "已登记", "skipped": "已跳过", "aborted": "已中止", "cancelled": "已取消", "discarded": "已丢弃",
    "confirmed": "已确认重试", "retried": "已重新开始", "released": "已取回",
    "storage": "存储", "backend": "后端", "open": "打开", "read": "读取", "list": "列出", "make": "创建", "write": "写入",
    "remove": "删除", "rename": "重命名", "link": "链接", "watch": "监视", "sync": "同步", "look": "查看", "lock": "锁定",
    "map": "映射", "use": "使用", "take": "接收", "examine": "检查", "copy": "复制", "release into": "取回到", "archive into": "归档到",
  ]

  private static func span(_ duration: Duration, _ style: MessageForm.Style, _ language: ReaderLanguage) -> String {
    guard language == .chinese else { return style == .seconds ? duration.description : units(duration) }
    if duration > .seconds(1), duration.microseconds % 1_000_000 != 0 { return "\(seconds(duration)) 秒" }
    return units(duration).split(separator: " ").map { part in
      let unit = part.drop { $0.isNumber }
      return "\(part.prefix { $0.isNumber }) \(chineseUnits[String(unit)] ?? String(unit))"
    }.joined(separator: " ")
  }

  private static let chineseUnits = ["d": "天", "h": "小时", "min": "分钟", "s": "秒", "ms": "毫秒", "us": "微秒"]

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
  private static func size(_ bytes: Int64, _ language: ReaderLanguage) -> String {
    let units = [language == .chinese ? "字节" : "bytes", "KiB", "MiB", "GiB", "TiB"]
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
