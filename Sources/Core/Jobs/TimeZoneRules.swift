import Messages

/// The rules of a time zone: the offset from UTC at every moment, past and future.
///
/// They come from a file of the system's time zone database (RFC 8536, "TZif"): a table of transitions, and a rule for the time
/// after the last of them.
public struct TimeZoneRules: Hashable, Sendable {
  /// The reason why bytes are no time zone.
  public enum Fault: Error, Hashable, Sendable {
    /// They are not a whole TZif file.
    case notTZif
    /// The zone counts leap seconds (those below `right/`), and the daemon's clock does not.
    case leapSeconds
    /// The rule for the future is not understood.
    case rule(String)
  }

  /// The zone's name, e.g. `Europe/Berlin`.
  public let name: String
  /// The moments at which the offset changes, in seconds since the Unix epoch, ascending.
  private let moments: [Int64]
  /// The offset that begins at each of these moments, in seconds east of UTC.
  private let offsets: [Int]
  /// The offset before the first of them.
  private let first: Int
  /// The rule from the last of them on; nil if the last offset stays.
  private let rule: TimeZoneRule?

  /// UTC, which needs no file.
  public static let utc = TimeZoneRules(name: "UTC", moments: [], offsets: [], first: 0, rule: nil)

  private init(name: String, moments: [Int64], offsets: [Int], first: Int, rule: TimeZoneRule?) {
    self.name = name
    self.moments = moments
    self.offsets = offsets
    self.first = first
    self.rule = rule
  }

  /// Reads the bytes of a TZif file.
  public init(name: String, tzif bytes: [UInt8]) throws(Fault) {
    var reader = TZifReader(bytes)
    var header = try reader.header()
    let is64 = header.version >= UInt8(ascii: "2")
    if is64 {
      try reader.skip(header.blockSize(timeSize: 4))
      header = try reader.header()
    }
    guard header.leaps == 0 else { throw .leapSeconds }
    guard header.types > 0 else { throw .notTZif }
    let moments = try reader.times(header.times, is64: is64)
    let indexes = try reader.bytes(header.times)
    let types = try reader.offsets(header.types)
    try reader.skip(header.characters + header.standards + header.universals)
    guard indexes.allSatisfy({ Int($0) < types.count }) else { throw .notTZif }
    guard zip(moments, moments.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .notTZif }
    let text = is64 ? try reader.footer() : ""
    self.init(
      name: name, moments: moments, offsets: indexes.map { types[Int($0)] }, first: types[0],
      rule: text.isEmpty ? nil : try TimeZoneRule(text))
  }

  /// The offset in seconds east of UTC at a moment, in seconds since the Unix epoch.
  public func offset(at moment: Int64) -> Int {
    guard let last = moments.last else { return rule?.offset(at: moment) ?? first }
    if moment >= last { return rule?.offset(at: moment) ?? offsets[offsets.count - 1] }
    let index = firstIndex(after: moment)
    return index == 0 ? first : offsets[index - 1]
  }

  /// The first moment after this one at which the offset may change; nil if it never changes again.
  public func nextTransition(after moment: Int64) -> Int64? {
    if let last = moments.last, moment < last { return moments[firstIndex(after: moment)] }
    return rule?.nextTransition(after: moment)
  }

  /// Returns the index of the first transition after a moment, which is the number of transitions up to that moment.
  private func firstIndex(after moment: Int64) -> Int {
    var (low, high) = (0, moments.count)
    while low < high {
      let middle = (low + high) / 2
      if moments[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Timestamp {
  /// Year to microsecond in a time zone.
  public func parts(in zone: TimeZoneRules) -> CalendarParts {
    if zone == .utc { return utc }
    return Timestamp(microseconds: microseconds +| Int64(zone.offset(at: wholeSeconds)) * 1_000_000).utc
  }

  /// The seconds since Monday, 00:00, in a time zone.
  public func secondOfWeek(in zone: TimeZoneRules) -> Int {
    // 1970-01-01 was a Thursday.
    let local = wholeSeconds + Int64(zone.offset(at: wholeSeconds)) + 3 * 86_400
    let remainder = local % 604_800
    return Int(remainder < 0 ? remainder + 604_800 : remainder)
  }

  /// The whole seconds since the Unix epoch, rounded down.
  public var wholeSeconds: Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// Reads the parts of a TZif file one after the other (RFC 8536, section 3).
private struct TZifReader {
  struct Header {
    var version: UInt8
    var universals: Int
    var standards: Int
    var leaps: Int
    var times: Int
    var types: Int
    var characters: Int

    /// The number of bytes of the block after the header.
    func blockSize(timeSize: Int) -> Int {
      times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standards + universals
    }
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func bytes(_ count: Int) throws(TimeZoneRules.Fault) -> ArraySlice<UInt8> {
    guard count >= 0, rest.count >= count else { throw .notTZif }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func skip(_ count: Int) throws(TimeZoneRules.Fault) { _ = try bytes(count) }

  mutating func header() throws(TimeZoneRules.Fault) -> Header {
    guard try bytes(4).elementsEqual("TZif".utf8) else { throw .notTZif }
    let version = try bytes(1).first ?? 0
    try skip(15)
    var counts: [Int] = []
    for _ in 0..<6 { counts.append(Int(try number(4))) }
    return Header(
      version: version, universals: counts[0], standards: counts[1], leaps: counts[2], times: counts[3],
      types: counts[4], characters: counts[5])
  }

  mutating func times(_ count: Int, is64: Bool) throws(TimeZoneRules.Fault) -> [Int64] {
    var times: [Int64] = []
    for _ in 0..<count {
      times.append(is64 ? Int64(bitPattern: try number(8)) : Int64(Int32(truncatingIfNeeded: try number(4))))
    }
    return times
  }

  /// The offsets of the local time types, in seconds east of UTC.
  mutating func offsets(_ count: Int) throws(TimeZoneRules.Fault) -> [Int] {
    var offsets: [Int] = []
    for _ in 0..<count {
      let offset = Int(Int32(truncatingIfNeeded: try number(4)))
      try skip(2)
      guard abs(offset) <= 26 * 3600 else { throw .notTZif }
      offsets.append(offset)
    }
    return offsets
  }

  /// The rule between two line feeds.
  mutating func footer() throws(TimeZoneRules.Fault) -> String {
    guard rest.popFirst() == UInt8(ascii: "\n"), let end = rest.firstIndex(of: UInt8(ascii: "\n")),
      let text = String(validating: rest[..<end], as: UTF8.self)
    else {
      throw .notTZif
    }
    return text
  }

  private mutating func number(_ size: Int) throws(TimeZoneRules.Fault) -> UInt64 {
    try bytes(size).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
