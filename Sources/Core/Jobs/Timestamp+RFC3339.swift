extension Timestamp {
  /// Reads a date and time in the form of RFC 3339 (section 5.6), e.g. `2026-11-21T01:02:03.5+01:00`; nil for anything else.
  ///
  /// Digits beyond microseconds are cut off. A space before the offset stands for a `+`, which a form's decoding turns into a
  /// space. A leap second counts as the first second of the next minute.
  public init?(rfc3339 text: some StringProtocol) { self.init(rfc3339: Array(text.utf8)[...]) }

  /// Reads the same from bytes.
  public init?(rfc3339 text: ArraySlice<UInt8>) {
    var scanner = DigitScanner(text)
    guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
      let day = scanner.digits(2), scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2), scanner.skip(":"),
      let second = scanner.digits(2), (1...12).contains(month),
      (1...Self.days(in: month, of: year)).contains(day), hour < 24, minute < 60, second <= 60,
      let fraction = scanner.microseconds(), let offset = scanner.offset(), scanner.isAtEnd
    else { return nil }
    let start = Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    self.init(microseconds: start.microseconds + fraction - offset * 60_000_000)
    // In UTC the time may fall into a year that the form has no digits for.
    guard (0...9999).contains(utc.year) else { return nil }
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// Walks over text of digits and marks.
private struct DigitScanner {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  /// Reads exactly that many digits.
  mutating func digits(_ count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    guard let next, next == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  /// Reads `.` and digits, if they are there, as microseconds.
  mutating func microseconds() -> Int64? {
    guard skip(".") else { return 0 }
    guard var value = digit().map({ Int64($0) * 100_000 }) else { return nil }
    var unit: Int64 = 10_000
    while let digit = digit() {
      value += Int64(digit) * unit
      unit /= 10
    }
    return value
  }

  /// Reads `Z` or `±HH:MM`, as minutes.
  mutating func offset() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let isNegative = next == UInt8(ascii: "-")
    guard skip("+") || skip("-") || skip(" "), let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24,
      minutes < 60
    else { return nil }
    let offset = Int64(hours * 60 + minutes)
    return isNegative ? -offset : offset
  }

  private mutating func digit() -> Int? {
    guard let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) else { return nil }
    position += 1
    return Int(next - UInt8(ascii: "0"))
  }
}
