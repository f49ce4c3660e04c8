import ChildProcesses
import Jobs
import Testing

@Suite struct ValueTests {
  /// A disk that is mounted again, as after a power cut, may have another number: its files are the same.
  @Test func fileIdentityIgnoresDeviceNumber() {
    let file = FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
    var other = file
    other.device = 9
    #expect(other == file && other.hashValue == file.hashValue)
    for change in [\FileIdentity.size, \.modified, \.changed] {
      other = file
      other[keyPath: change] += 1
      #expect(other != file)
    }
    other = file
    other.inode += 1
    #expect(other != file)
  }

  @Test func jobIDIsUUIDv7() throws {
    var random: any RandomNumberGenerator = Seeds.numbers()
    let id = JobID.mint(at: .start, random: &random)
    let text = id.description
    #expect(text.count == 36)
    #expect(Array(text)[14] == "7" && "89ab".contains(Array(text)[19]))
    #expect(text.hasPrefix("01a1fb9f-e6f8-7"))  // 1,795,222,923,000 ms
    #expect(JobID(text) == id && JobID(text.uppercased()) == id)
    #expect(JobID(high: id.high, low: id.low) == id)
  }

  /// A file may ask for an id as long as the ledger knows each job that may have had it.
  @Test func askedIDIsKnownToLedger() {
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    let now = Timestamp.start + .seconds(100 * 86_400)
    let (second, day) = (Duration.seconds(1), Duration.seconds(86_400))
    let rows: [(age: Duration, knownFor: Duration, history: Duration, counts: Bool)] = [
      (.zero, .zero, day * 30, true), (second, second, day * 30, true), (second * 2, second, day * 30, false),
      (day - second * 61, day * 9, day * 30, true), (day + second, day * 9, day * 30, false),
      (second * 3600, day * 9, second * 1800, false), (second * 1700, day * 9, second * 1800, true),
      (second, day * 9, second, false), (second * -30, day * 9, second, false),
      (second * -59, .zero, day * 30, true), (second * -61, .zero, day * 30, false),
      (day * -1, day * 9, day * 30, false),
    ]
    for row in rows {
      let id = JobID.mint(at: now + (.zero - row.age), random: &random)
      let counts = id.mayBeAskedFor(at: now, knownSince: now + (.zero - row.knownFor), history: row.history)
      #expect(counts == row.counts, "\(row)")
    }
    #expect(!JobID(high: 1, low: 2).mayBeAskedFor(at: now, knownSince: .start, history: day), "it says no time")
  }

  /// The forms of W3C Trace Context; each time has another parent-id.
  @Test func tracesHaveJobIDAndTime() throws {
    let id = try #require(JobID("01939f5c-7b1a-7c3d-9e4f-0123456789ab"))
    #expect(id.trace == "01939f5c7b1a7c3d9e4f0123456789ab")
    #expect(id.traceparent(at: Timestamp(seconds: 0)) == "00-\(id.trace)-9e4f0123456789ab-01")
    let all = (0..<1000).map { id.traceparent(at: Timestamp(microseconds: $0)) }
    #expect(Set(all).count == 1000 && all.allSatisfy { $0.wholeMatch(of: #/00-[0-9a-f]{32}-[0-9a-f]{16}-01/#) != nil })
    #expect(JobID(high: 0, low: 0).traceparent(at: Timestamp(seconds: 0)).hasSuffix("-0000000000000001-01"))
  }

  @Test(arguments: [
    "", "42", "01939f5c-7b1a-7c3d-9e4f-0123456789a", "01939f5c-7b1a-7c3d-9e4f-0123456789ag",
    "01939f5c07b1a-7c3d-9e4f-0123456789ab", "{1939f5c-7b1a-7c3d-9e4f-0123456789ab",
  ])
  func refusesInvalidJobIDs(_ text: String) {
    #expect(JobID(text) == nil)
  }

  @Test(arguments: [
    (Int64(0), "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (951_868_799, "2000-02-29T23:59:59Z"),
    (1_709_164_800, "2024-02-29T00:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
    (1_795_222_923, "2026-11-21T01:02:03Z"),
  ])
  func formatsTimesInUTC(_ seconds: Int64, _ text: String) {
    #expect(Timestamp(seconds: seconds).rfc3339 == text)
    let parts = Timestamp(seconds: seconds).utc
    #expect(
      Timestamp(
        year: parts.year, month: parts.month, day: parts.day, hour: parts.hour, minute: parts.minute,
        second: parts.second) == Timestamp(seconds: seconds))
  }

  @Test func formatsMillisecondsAndBasicFormat() {
    let time = Timestamp(microseconds: 1_795_222_923_004_567)
    #expect(time.rfc3339Milliseconds == "2026-11-21T01:02:03.004Z")
    #expect(time.iso8601Basic == "20261121T010203Z")
  }

  @Test(
    arguments: [
      ([0x61, 0x20, 0x62], "a b", "a b"), ([0x61, 0xFF, 0x62], "a\\xffb", "a\\xffb"),
      ([0xC3, 0xA4], "ä", "ä"), ([0xC3], "\\xc3", "\\xc3"), ([0x1B, 0x5B, 0x31, 0x6D], "\u{1B}[1m", "\\x1b[1m"),
      ([0x61, 0x0A, 0x62], "a\nb", "a\\nb"), ([0xE2, 0x80, 0xAE, 0x78], "\u{202E}x", "\\u{202e}x"),
      ([0xF0, 0x9F, 0x98, 0x80, 0xFE], "😀\\xfe", "😀\\xfe"),
    ] as [([UInt8], String, String)])
  func escapesNamesForProgramsAndPeople(_ bytes: [UInt8], _ text: String, _ shown: String) {
    let name = FileName(bytes: bytes)
    #expect(name.text == text)
    #expect(name.shown == shown)
  }

  private static let destinations: [(String, Destination)] = [
    ("storage.main", .storage("main")), ("backend.main", .backend("main")), ("storage.a.b", .storage("a.b")),
    ("backend.storage.main", .backend("storage.main")), ("storage..", .storage(".")), ("storage.ä", .storage("ä")),
  ]

  @Test(arguments: destinations)
  func destinationTextRoundTrips(_ text: String, _ destination: Destination) throws {
    let read = try #require(Destination(text))
    #expect(read == destination && read.hashValue == destination.hashValue)
    #expect(read.kind == destination.kind && read.name == destination.name)
    #expect([read.text, destination.text, "\(read)"] == [text, text, text])
  }

  @Test(arguments: [
    "", "storage", "storage.", "main", ".main", "Storage.main", " storage.main", "storages.main", "spool.main", "all",
  ])
  func otherTextsAreNoDestinations(_ text: String) {
    #expect(Destination(text) == nil)
  }

  @Test func jobReferenceAcceptsNumberOrID() {
    #expect(JobReference("42") == .number(JobNumber(rawValue: 42)))
    #expect(JobReference("01939f5c-7b1a-7c3d-9e4f-0123456789ab")?.description == "01939f5c-7b1a-7c3d-9e4f-0123456789ab")
    for text in ["0", "-1", "x", "", "4 2"] { #expect(JobReference(text) == nil) }
  }
}

struct DurationTests {
  @Test(arguments: [
    (Duration.zero, "0s"), (.milliseconds(500), "500ms"), (.milliseconds(1500), "1500ms"), (.microseconds(20), "20us"),
    (.seconds(10), "10s"), (.seconds(300), "5min"), (.seconds(5400), "1h 30min"), (.seconds(7 * 86_400), "7d"),
    (.seconds(-1), "0s"),
  ])
  func durationsUseConfigurationFormat(duration: Duration, words: String) {
    #expect(duration.inUnits == words)
  }
}
