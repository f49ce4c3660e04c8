/// A job's identity for machines: a UUIDv7 (RFC 9562, section 5.7), minted at the claim and the same for life.
///
/// The identity names the claimed file, the object (`x-amz-meta-waybill-id`) and the registration (`Idempotency-Key`), unless the
/// registration has another id (``StoredLink/id``).
public struct JobID: Hashable, Sendable, CustomStringConvertible {
  /// The upper eight of the sixteen bytes in network order.
  public let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Mints a new identity: 48 bits of Unix time in milliseconds, version and variant, 74 random bits.
  public static func mint(at now: Timestamp, random: inout some RandomNumberGenerator) -> JobID {
    let milliseconds = UInt64(max(0, now.microseconds) / 1000) & 0xFFFF_FFFF_FFFF
    let randomA = UInt64.random(in: 0...0xFFF, using: &random)
    let randomB = UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF, using: &random)
    let id = JobID(high: milliseconds << 16 | 0x7000 | randomA, low: 0x8000_0000_0000_0000 | randomB)
    assert(id.mintedAt != nil, "no UUIDv7")
    return id
  }

  /// Reads the usual 36-character form, in either case; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = Array(text.utf8).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [8, 4, 4, 4, 12],
      let bytes = Hex.bytes(String(decoding: parts.joined(), as: UTF8.self))
    else { return nil }
    let words = [bytes[..<8], bytes[8...]].map { $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } }
    self.init(high: words[0], low: words[1])
  }

  /// The time at which it was minted, to the millisecond; nil if it is not a UUIDv7.
  public var mintedAt: Timestamp? {
    guard high >> 12 & 0xF == 7 else { return nil }
    return Timestamp(microseconds: Int64(high >> 16) * 1000)
  }

  /// The age up to which a file may request an id.
  private static let asking = Duration.seconds(86_400)
  /// The difference between the clocks of the program that minted an id and of this machine.
  private static let clockDoubt = Duration.seconds(60)

  /// True if a file may request the id (`user.waybill.id`): it was minted within a day, and so recently that the ledger knows any job
  /// that had it.
  /// - Parameter history: the time for which the ledger knows a job after its end.
  public func mayBeAskedFor(at now: Timestamp, knownSince since: Timestamp, history: Duration) -> Bool {
    guard let mintedAt else { return false }
    // The id's time is in milliseconds.
    let oldest = max(since, now + Self.clockDoubt + (.zero - min(Self.asking, history))) + .milliseconds(-1)
    return mintedAt >= oldest && mintedAt <= now + Self.clockDoubt
  }

  /// The usual form in lower case, e.g. `01939f5c-7b1a-7c3d-9e4f-0123456789ab`.
  public var description: String { String(decoding: ascii, as: UTF8.self) }

  /// The 36 characters of ``description``.
  public var ascii: [UInt8] {
    var text = [UInt8](repeating: UInt8(ascii: "-"), count: 36)
    var place = 0
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { place += 1 }
      let word = index < 8 ? high : low
      let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
      (text[place], text[place + 1]) = (Hex.digit(byte >> 4), Hex.digit(byte & 0xF))
      place += 2
    }
    return text
  }
}

/// The trace of a job's requests (W3C Trace Context, level 1, section 3.2): the trace-id is the job's id.
extension JobID {
  /// The name of the header.
  public static let traceHeader = "traceparent"

  /// The trace-id: the id in hex, without dashes.
  public var trace: String {
    var text: [UInt8] = []
    text.reserveCapacity(32)
    Self.append(high, to: &text)
    Self.append(low, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the header's value for a request at a time, from which the parent-id follows. The trace counts as sampled.
  public func traceparent(at time: Timestamp) -> String {
    // Fibonacci hashing gives each microsecond another number; 0 is no parent-id.
    let parent = max(1, low ^ UInt64(bitPattern: time.microseconds) &* 0x9E37_79B9_7F4A_7C15)
    var text: [UInt8] = []
    text.reserveCapacity(55)
    text += "00-".utf8
    Self.append(high, to: &text)
    Self.append(low, to: &text)
    text.append(UInt8(ascii: "-"))
    Self.append(parent, to: &text)
    text += "-01".utf8
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ word: UInt64, to text: inout [UInt8]) {
    for shift in stride(from: 56, through: 0, by: -8) {
      Hex.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)), to: &text)
    }
  }
}

/// A job's number for people: 1, 2, 3 …; never reused, not even after the job has left the ledger.
public struct JobNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number itself.
  public let rawValue: Int64

  /// Wraps a number that the ledger gave out.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Orders jobs by their admission.
  public static func < (a: JobNumber, b: JobNumber) -> Bool { a.rawValue < b.rawValue }

  /// The number in decimal digits.
  public var description: String { String(rawValue) }
}
