/// A time zone's rule for the future, in the form of the TZ variable: `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX, chapter 8, with the
/// times of RFC 8536, section 3.3.1).
struct TimeZoneRule: Hashable, Sendable {
  /// A day of the year.
  private enum Day: Hashable {
    /// 1 … 365; February 29 is never counted.
    case julian(Int)
    /// 0 … 365, with February 29.
    case zeroBased(Int)
    /// The n-th such weekday of a month; 5 is the last one. Sunday is 0.
    case weekday(month: Int, week: Int, day: Int)
  }

  private struct Change: Hashable {
    var day: Day
    /// Seconds after the day's midnight, by the clock before the change.
    var time: Int
  }

  private struct Summer: Hashable {
    var offset: Int
    var start: Change
    var end: Change
  }

  private let standard: Int
  private let summer: Summer?

  init(_ text: String) throws(TimeZoneRules.Fault) {
    var reader = RuleReader(text)
    try reader.name()
    standard = -(try reader.time(atMost: 24))
    guard !reader.isAtEnd else {
      summer = nil
      return
    }
    try reader.name()
    let offset = reader.next == UInt8(ascii: ",") ? standard + 3600 : -(try reader.time(atMost: 24))
    let start = try Self.change(&reader)
    let end = try Self.change(&reader)
    guard reader.isAtEnd else { throw .rule(text) }
    summer = Summer(offset: offset, start: start, end: end)
  }

  private static func change(_ reader: inout RuleReader) throws(TimeZoneRules.Fault) -> Change {
    try reader.expect(",")
    let day: Day
    if reader.skips("J") {
      day = .julian(try reader.number(in: 1...365))
    } else if reader.skips("M") {
      let month = try reader.number(in: 1...12)
      try reader.expect(".")
      let week = try reader.number(in: 1...5)
      try reader.expect(".")
      day = .weekday(month: month, week: week, day: try reader.number(in: 0...6))
    } else {
      day = .zeroBased(try reader.number(in: 0...365))
    }
    return Change(day: day, time: reader.skips("/") ? try reader.time(atMost: 167) : 2 * 3600)
  }

  func offset(at moment: Int64) -> Int {
    guard let summer else { return standard }
    let last = changes(around: moment, summer).last { $0.moment <= moment }
    return last?.offset ?? standard
  }

  func nextTransition(after moment: Int64) -> Int64? {
    summer.flatMap { changes(around: moment, $0).first { $0.moment > moment }?.moment }
  }

  /// The changes of the years around a moment, in their order. If summer time ends and begins at the same moment, the beginning
  /// counts.
  private func changes(around moment: Int64, _ summer: Summer) -> [(moment: Int64, offset: Int)] {
    let year = Timestamp(seconds: moment).utc.year
    var changes: [(moment: Int64, offset: Int)] = []
    for year in (year - 1)...(year + 1) {
      changes.append((Self.moment(of: summer.end, in: year) - Int64(summer.offset), standard))
      changes.append((Self.moment(of: summer.start, in: year) - Int64(standard), summer.offset))
    }
    // Changes at the same moment keep the order in which they were added, so that the beginning comes last.
    return changes.enumerated().sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }.map(
      \.element)
  }

  /// The moment of a change, as if local time were UTC.
  private static func moment(of change: Change, in year: Int) -> Int64 {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let newYear = Timestamp(year: year, month: 1, day: 1).wholeSeconds / 86_400
    let day: Int64
    switch change.day {
    case .julian(let number): day = newYear + Int64(number - 1 + (isLeap && number >= 60 ? 1 : 0))
    case .zeroBased(let number): day = newYear + Int64(number)
    case .weekday(let month, let week, let weekday):
      let first = Timestamp(year: year, month: month, day: 1).wholeSeconds / 86_400
      let next = month == 12 ? (year + 1, 1) : (year, month + 1)
      let end = Timestamp(year: next.0, month: next.1, day: 1).wholeSeconds / 86_400
      // 1970-01-01 was a Thursday, which is 4.
      let firstWeekday = ((first + 4) % 7 + 7) % 7
      var found = first + (Int64(weekday) - firstWeekday + 7) % 7 + Int64(week - 1) * 7
      while found >= end { found -= 7 }
      day = found
    }
    return day * 86_400 + Int64(change.time)
  }
}

/// Reads the parts of a rule one after the other.
private struct RuleReader {
  private let text: String
  private var rest: Substring.UTF8View

  init(_ text: String) {
    self.text = text
    rest = text[...].utf8
  }

  var isAtEnd: Bool { rest.isEmpty }
  var next: UInt8? { rest.first }

  mutating func skips(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  mutating func expect(_ character: Unicode.Scalar) throws(TimeZoneRules.Fault) {
    guard skips(character) else { throw .rule(text) }
  }

  /// The name of standard or summer time: letters, or anything in angle brackets.
  mutating func name() throws(TimeZoneRules.Fault) {
    if skips("<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { throw .rule(text) }
      rest = rest[rest.index(after: end)...]
      return
    }
    let letters = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
    guard letters.count >= 3 else { throw .rule(text) }
    rest = rest.dropFirst(letters.count)
  }

  mutating func number(in range: ClosedRange<Int>) throws(TimeZoneRules.Fault) -> Int {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard (1...3).contains(digits.count), let number = Int(String(Substring(digits))), range.contains(number) else {
      throw .rule(text)
    }
    rest = rest.dropFirst(digits.count)
    return number
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  mutating func time(atMost hours: Int) throws(TimeZoneRules.Fault) -> Int {
    let isNegative = skips("-")
    if !isNegative { _ = skips("+") }
    var seconds = try number(in: 0...hours) * 3600
    if skips(":") {
      seconds += try number(in: 0...59) * 60
      if skips(":") { seconds += try number(in: 0...59) }
    }
    return isNegative ? -seconds : seconds
  }
}
