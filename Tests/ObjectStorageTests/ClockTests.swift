import ChildProcesses
import HTTPTransfer
import Jobs
import Linux
import LoopbackPeer
import Messages
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

/// Signatures by a clock that is wrong.
@Suite(.slot) struct ClockTests {
  private static let there = Timestamp(year: 2026, month: 11, day: 21, hour: 1, minute: 2, second: 3)

  // MARK: the rules

  private static let minute = Duration.seconds(60)
  private static let day = Duration.seconds(86_400)

  /// The time here less the storage's, with the correction that counts and that of the signature, and what that means.
  private static let findings: [(here: Duration, value: Duration, signed: Duration, ClockOffset.Finding)] = [
    (.zero, .zero, .zero, .agrees), (minute * 5, .zero, .zero, .agrees), (minute * -5, .zero, .zero, .agrees),
    (minute * 6, .zero, .zero, .differs(minute * -6)), (minute * -6, .zero, .zero, .differs(minute * 6)),
    (day * -7, .zero, .zero, .differs(day * 7)), (day * 7, .zero, .zero, .differs(day * -7)),
    (day * -8, .zero, .zero, .isTooFar(day * 8)), (day * 8, .zero, .zero, .isTooFar(day * -8)),
    (minute * -60, minute * 60, minute * 60, .agrees), (minute * -60, minute * 60, .zero, .isCorrected),
    (.zero, minute * 60, minute * 60, .differs(.zero)), (minute * -90, minute * 60, minute * 60, .differs(minute * 90)),
  ]

  @Test func storageTimeExplainsRefusal() {
    for (here, value, signed, expected) in Self.findings {
      var offset = ClockOffset()
      _ = offset.correct(value, value)
      let now = Self.there + here
      #expect(offset.value == value && offset.finding(Self.there, signed: now + signed, here: now) == expected)
    }
  }

  @Test func correctionNeedsTwoAgreeingDates() {
    var offset = ClockOffset()
    #expect(!offset.correct(.seconds(7200), .seconds(7261)) && offset.value == .zero)
    #expect(!offset.correct(.seconds(7200), .seconds(-7200)) && offset.value == .zero)
    #expect(offset.correct(.seconds(7200), .seconds(7201)) && offset.value == .seconds(7201))
    #expect(offset.correct(.zero, .seconds(2)) && offset.value == .zero, "the clock here is right again")
  }

  // MARK: a storage that refuses what is 15 minutes off

  private final class Storage: Sendable {
    /// The troubles that were told, and the time here less the storage's.
    final class Facts: Sendable {
      let told = Mutex<[Message?]>([])
      let here: Mutex<Duration>

      init(here: Duration) { self.here = Mutex(here) }
    }

    let facts: Facts
    let peer: LoopbackPeer
    let bucket: S3Bucket

    /// - Parameters:
    ///   - lie: what its `Date` is away from its time, by the number of the answer.
    ///   - refusal: the status and the body of a refusal.
    init(
      here: Duration, headers: [String: String] = [:], lie: @escaping @Sendable (Int) -> Duration = { _ in .zero },
      refusal: (Int, String) = (403, "<Error><Code>RequestTimeTooSkewed</Code></Error>")
    ) throws {
      let facts = Facts(here: here)
      self.facts = facts
      let count = Mutex(0)
      peer = try LoopbackPeer { request in
        let number = count.withLock { count in
          count += 1
          return count
        }
        let date = ["Date": ClockTests.date(ClockTests.there + lie(number))].merging(headers) { $1 }
        let signed = request["x-amz-date"].flatMap(ClockTests.time) ?? Timestamp(seconds: 0)
        guard abs((signed - ClockTests.there).inSeconds) <= 900 else { return .answer(refusal.0, date, refusal.1) }
        return .answer(200, date.merging(["ETag": "\"e\""]) { $1 })
      }
      let options = StorageSettings(peer.url) { $0.overwrite = true }
      bucket = try S3Bucket(
        options,
        .init(
          transport: Transport(maxConnections: 2), workers: WorkerThreads(count: 1, name: "test"),
          now: { ClockTests.there + facts.here.withLock(\.self) }, userAgent: "waybill/test",
          clockTrouble: { _, trouble in facts.told.withLock { $0.append(trouble) } }),
        signingKey: { TestBucket.key })
      bucket.trust.prove()
    }

    func upload() async throws -> Jobs.Failure? {
      switch await bucket.upload(try TestFile([1, 2, 3]).object()) {
      case .success: nil
      case .failure(.failed(let failure)): failure
      case .failure(let other): try #require(nil, "\(other)")
      }
    }

    var methods: [String] { peer.requests.map(\.method) }
    var told: [Message?] { facts.told.withLock(\.self) }
  }

  private static func date(_ time: Timestamp) -> String {
    let parts = time.rfc3339.split { "-T:Z.".contains($0) }
    return "Sat, \(parts[2]) Nov \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
  }

  private static func time(_ stamp: String) -> Timestamp? {
    let digits = Array(stamp)
    let parts = [0..<4, 4..<6, 6..<8, 9..<11, 11..<13, 13..<15].map { String(digits[$0]) }
    return Timestamp(rfc3339: "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z")
  }

  @Test(arguments: [Duration.seconds(-3 * 3600), .seconds(3600), .seconds(-6 * 86_400)])
  func correctsSkewAndReportsOnce(_ here: Duration) async throws {
    let storage = try Storage(here: here)
    let corrected: Message =
      here > .zero
      ? .clockAheadCorrected(time: here, storage: "storage.main")
      : .clockBehindCorrected(time: .zero - here, storage: "storage.main")
    #expect(try await storage.upload() == nil)
    #expect(storage.methods == ["PUT", "HEAD", "PUT"])
    #expect(try await storage.upload() == nil)
    #expect(storage.methods == ["PUT", "HEAD", "PUT", "PUT"])
    #expect(storage.told == [corrected])
    // Somebody sets the clock.
    storage.facts.here.withLock { $0 = .zero }
    #expect(try await storage.upload() == nil)
    #expect(try await storage.upload() == nil)
    #expect(storage.told == [corrected, nil])
  }

  @Test func successReportsOnceWithoutProbe() async throws {
    let storage = try Storage(here: .seconds(600))
    #expect(try await storage.upload() == nil)
    #expect(try await storage.upload() == nil)
    #expect(storage.methods == ["PUT", "PUT"] && storage.told == [nil])
  }

  /// The difference is measured once a minute (59 s are too few), at once when the clock was set back, and without a refusal.
  @Test func differenceIsMeasuredEachMinute() async throws {
    let storage = try Storage(here: .seconds(-130))
    #expect(storage.bucket.clockDifference == nil)
    for (here, difference) in [(-130, 130), (-71, 130), (-70, 70), (-90, 90)] {
      storage.facts.here.withLock { $0 = .seconds(here) }
      #expect(try await storage.upload() == nil)
      #expect(storage.bucket.clockDifference == .seconds(difference), "\(here)")
    }
  }

  /// A `Date` from a cache says nothing.
  @Test func cachedDateIsNotMeasured() async throws {
    let storage = try Storage(here: .seconds(-130), headers: ["Age": "100"])
    #expect(try await storage.upload() == nil)
    #expect(storage.bucket.clockDifference == nil)
  }

  @Test func excessiveSkewWaitsWithoutProbe() async throws {
    let storage = try Storage(here: .seconds(-8 * 86_400))
    for _ in 1...2 {
      let failure = try #require(try await storage.upload())
      #expect(failure.kind == .network && failure.words.contains("the clock here says 2026-11-13T01:02:03Z"))
    }
    #expect(storage.methods == ["PUT", "PUT"])
    #expect(storage.told == [.clockTooFarBehind(time: .seconds(8 * 86_400), storage: "storage.main")])
    storage.facts.here.withLock { $0 = .zero }
    storage.bucket.trust.prove()
    #expect(try await storage.upload() == nil)
    #expect(storage.told.last == .some(nil))
  }

  @Test func unsteadyDateCorrectsNothing() async throws {
    let storage = try Storage(here: .seconds(-3600), lie: { .seconds(180 * $0) })
    for _ in 1...2 { #expect(try await storage.upload()?.kind == .network) }
    #expect(storage.methods == ["PUT", "HEAD", "PUT", "HEAD"])
    #expect(storage.told == [.clockUnsteady(storage: "storage.main")])
  }

  @Test func revertsWrongCorrection() async throws {
    let storage = try Storage(here: .seconds(-3600), lie: { _ in .seconds(7200) })
    #expect(try await storage.upload()?.kind == .destination)
    #expect(storage.methods == ["PUT", "HEAD", "PUT"])
    #expect(storage.bucket.clock.time == Self.there + .seconds(-3600))
  }

  @Test func ignoresCachedDate() async throws {
    let storage = try Storage(here: .seconds(-3600), headers: ["Age": "7"])
    #expect(try await storage.upload()?.kind == .destination)
    #expect(storage.methods == ["PUT"])
  }

  /// Not each storage says that it is the clock.
  @Test(arguments: [
    (403, "<Error><Code>SignatureDoesNotMatch</Code></Error>"), (403, "<Error><Code>AccessDenied</Code></Error>"),
    (400, "<Error><Code>InvalidRequest</Code><Message>Date is too old</Message></Error>"),
  ])
  func retriesRefusalWithServerTime(_ status: Int, _ body: String) async throws {
    let storage = try Storage(here: .seconds(-86_400), refusal: (status, body))
    #expect(try await storage.upload() == nil)
    #expect(storage.methods == ["PUT", "HEAD", "PUT"])
    let far = try Storage(here: .seconds(-8 * 86_400), refusal: (status, body))
    #expect(try await far.upload()?.kind == .network)
  }

  @Test func refusalAfterCorrectionStands() async throws {
    let denied = LoopbackPeer.Reply.answer(
      403, ["Date": Self.date(Self.there)], "<Error><Code>AccessDenied</Code></Error>")
    let peer = try LoopbackPeer { _ in denied }
    let here = Self.there + .seconds(-3600)
    let bucket = try TestBucket.make(peer.url, overwrite: true, now: { here })
    let failure = try await bucket.upload(TestFile([1]).object()).requireFailed()
    #expect(failure.kind == .destination, "by the corrected time, a right is missing")
    #expect(peer.requests.map(\.method) == ["PUT", "HEAD", "PUT"])
  }
}
