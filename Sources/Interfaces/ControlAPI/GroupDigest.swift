package import Jobs
package import Messages
import OpenSSL

/// The record of a group of jobs as it was shown. An answer to the group carries it, and applies only to those jobs.
///
/// Jobs leave a busy group all the time, so a digest that fits only exactly these jobs could never be used there. This one
/// distinguishes three cases. A job that came later was changed after ``newest``, and is not touched. If jobs have left, there
/// are only fewer. Anything else is another group than the one that was shown.
///
/// Programs must not interpret its text.
public struct GroupDigest: Hashable, Sendable {
  /// A hash of the properties that the jobs share, and of the rest of the filter.
  var key: String
  package private(set) var count: Int = 0
  /// The sum of a hash of each job's number and revision.
  var sum: UInt64 = 0
  /// The time at which one of the jobs changed last.
  package private(set) var newest = Timestamp(microseconds: .min)
  /// The milliseconds by which the wall clock is ahead of the steady clock. Another value means that somebody has set the clock,
  /// or that the daemon was restarted.
  var clock: Int64

  /// Creates the record of a group without jobs yet.
  package init(_ key: ReasonKey, _ filter: JobFilter, clock: Duration) {
    let ofGroup: Set = ["state", "step", "like"]
    let terms = filter.written.filter { !ofGroup.contains($0.name) }
    self.key = Self.hash(
      [key.state.rawValue, key.step.rawValue, key.kind, key.status.map { String($0) }, key.pattern]
        + terms.flatMap { [$0.name, String(decoding: $0.value, as: UTF8.self)] })
    self.clock = clock.milliseconds
  }

  package init(key: String, count: Int, sum: UInt64, newest: Timestamp) {
    (self.key, self.count, self.sum, self.newest, clock) = (key, count, sum, newest, 0)
  }

  package func wasShown(changedAt time: Timestamp) -> Bool { time <= newest }

  /// Returns true if the jobs of a group now are those that were shown, or some of them. Those that came later do not count.
  /// - Parameter mayShrink: false for a group that is held: a pause or a gate moves jobs between groups without changing them.
  package func isAnswerable(now: GroupDigest, mayShrink: Bool = true) -> Bool {
    guard now.key == key, now.count > 0 else { return false }
    if now.count == count { return now.sum == sum }
    // After somebody has set the clock, jobs may have changed before the time at which the group was shown.
    return now.count < count && mayShrink && (now.clock -| clock).magnitude < 1000
  }

  package mutating func add(_ job: JobMessage) {
    count += 1
    sum &+= Self.hash(job)
    newest = max(newest, job.updatedAt)
  }

  /// Returns 128 bits of SHA-256 over texts, so that nobody can find other texts with the same hash. A missing text and an empty
  /// one give different hashes.
  package static func hash(_ texts: [String?]) -> String {
    var hash = SHA256()
    for text in texts {
      hash.update(data: Array((text.map { "\($0.utf8.count):" } ?? "-").utf8))
      hash.update(data: Array((text ?? "").utf8))
    }
    return Hex.text(hash.finalize().prefix(16))
  }

  private static func hash(_ job: JobMessage) -> UInt64 {
    mixed(mixed(UInt64(bitPattern: job.job)) ^ UInt64(bitPattern: job.revision))
  }

  /// The mixing function of SplitMix64.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

extension GroupDigest: LosslessStringConvertible, JSONValue {
  /// The text of the digest, in the form in which answers carry it.
  public var description: String {
    [key, String(count), String(sum, radix: 16), String(newest.microseconds), String(clock)].joined(separator: ".")
  }

  /// Reads the text of a digest; nil for any other text.
  public init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false)
    guard description.utf8.count <= 128, parts.count == 5, parts[0].utf8.count == 32, parts[0].allSatisfy(\.isHexDigit),
      let count = Int(parts[1]), let sum = UInt64(parts[2], radix: 16), let newest = Int64(parts[3]),
      let clock = Int64(parts[4])
    else { return nil }
    (key, self.count, self.sum, self.clock) = (String(parts[0]), count, sum, clock)
    self.newest = Timestamp(microseconds: newest)
  }

  package init(json: JSONNode) throws(JSONFault) {
    guard let digest = GroupDigest(try json.text()) else { throw json.another("digest of a group") }
    self = digest
  }

  package func write(into text: inout JSONText) { text.value(description) }
}
