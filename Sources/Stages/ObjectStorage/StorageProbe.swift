import HTTPTransfer
import Jobs
import OpenSSL
import Settings

extension S3Bucket {
  /// Stores, shows and deletes small objects, one of them in parts, to find out which optional features the storage supports.
  ///
  /// - Parameters:
  ///   - bucket: the bucket.
  ///   - key: a key that nothing else uses. Objects are stored under it and under keys that begin with it, without a lock, and
  ///     are deleted again.
  ///   - facts: the facts for tags and headers with placeholders; nil leaves these out.
  public func probe(bucket: String, key: String, facts: KeyFacts? = nil) async -> [ProbeFinding] {
    var probe = StorageProbe(bucket: self, name: bucket, key: key, facts: facts)
    await probe.run()
    return probe.findings
  }

  /// The same storage with other settings, of which nothing is known yet.
  func with(_ change: (inout StorageSettings) -> Void) -> S3Bucket {
    var other = self
    change(&other.settings)
    other.putShape = Self.shape(other.settings, "PUT", silence: other.settings.stallTimeout)
    other.configured = ConfiguredHeaders(other.settings.plainHeaders)
    other.trust = StorageTrust { _ in }
    return other
  }

  /// The same storage, in which objects are made that can be deleted at once.
  fileprivate var withoutLock: S3Bucket {
    var other = with { settings in
      settings.headers = settings.headers.filter { !ObjectLock.has(header: $0.key) }
    }
    other.templates = templates.withoutLock
    return other
  }
}

/// One probe in progress.
struct StorageProbe {
  /// The storage, with the first settings that stored an object, and without a lock of objects.
  var bucket: S3Bucket
  /// True if the objects of jobs have a lock.
  let leavesLockOut: Bool
  let name: String
  let key: String
  let facts: KeyFacts?
  private(set) var findings: [ProbeFinding] = []
  /// The keys under which objects may remain.
  var made: [String] = []
  /// The metadata that identifies the probe's object. Its value never occurs in an answer by chance.
  static let mark = "x-amz-meta-waybill-probe"
  let sign: String
  static let body = Array("A trial by waybill check; it may be deleted.\n".utf8)

  init(bucket: S3Bucket, name: String, key: String, facts: KeyFacts?) {
    self.bucket = bucket.withoutLock
    leavesLockOut = bucket.templates.hasLock || bucket.configured.values.keys.contains(where: ObjectLock.has(header:))
    self.name = name
    self.key = key
    self.facts = facts
    sign = String(Hex.text(SHA256.hash(data: Array(key.utf8))).prefix(16))
  }

  var settings: StorageSettings { bucket.settings }

  mutating func run() async {
    guard await stores(), await shows() else { return }
    await keepsCondition()
    await checksChecksums(hash: await checksHash())
    await takesParts()
    await deletes()
  }

  mutating func add(_ weight: ProbeFinding.Weight, _ words: String) {
    findings.append(ProbeFinding(weight, words))
  }

  func place(_ key: String) -> BareAddress { BareAddress(bucket: name, key: key) }

  static func words(_ error: any Error) -> String {
    switch error {
    case UploadFailure.failed(let failure), UploadFailure.changed(let failure, _), UploadFailure.corrupted(let failure):
      failure.words
    default: Failure(for: error).words
    }
  }

  mutating func put(
    _ key: String, conditional: Bool, _ sums: Sums, hash: String? = nil, headers: [HTTPHeader]? = nil
  ) async throws -> HTTPResponse {
    made.append(key)
    var all = [HTTPHeader("Content-Type", "text/plain"), HTTPHeader(Self.mark, sign)]
    all += bucket.configured.ofObjects
    if let facts { all += try bucket.templates.render(facts) }
    if conditional { all.append(HTTPHeader("If-None-Match", "*")) }
    all += headers ?? bucket.checksumHeaders(sums)
    return try await bucket.send(
      S3Bucket.Exchange(
        method: "PUT", place: place(key), headers: all, body: .bytes(Self.body),
        payloadHash: hash ?? sums.payloadHash, isConditional: conditional,
        answer: .stored(bytes: Int64(Self.body.count))))
  }

  func sums(_ algorithm: ChecksumAlgorithm, of bytes: [UInt8] = Self.body) -> Sums {
    var running = RunningSums(algorithm)
    running.update(bytes)
    return running.finish()
  }
}

/// One finding of a probe of a storage. Findings are in the order of the checks.
public struct ProbeFinding: Hashable, Sendable {
  /// The consequence of a finding for the configuration.
  public enum Weight: Hashable, Sendable {
    /// The storage behaves as configured.
    case fits
    /// It works, but another setting would fit better, or there is a fact worth knowing.
    case advice
    /// It does not work: jobs would fail because of it.
    case fault
  }

  /// The consequence for the configuration.
  public var weight: Weight
  /// The finding in words and, if needed, the remedy: lines of the configuration that fit the storage.
  public var words: String

  /// A finding with its words.
  public init(_ weight: Weight, _ words: String) {
    self.weight = weight
    self.words = words
  }
}

/// Other settings that a probe tries if a storage refuses a request with the configured ones.
extension StorageProbe {
  typealias Change = @Sendable (inout StorageSettings) -> Void

  /// Looks for settings with which an attempt succeeds that failed with the configured ones. The first error is the one to report.
  ///
  /// - Parameter changes: the settings to try: those that change the least first.
  /// - Returns: the storage with these settings, and their lines in the configuration; nil if there are none.
  mutating func other(
    _ changes: [Change], _ attempt: (inout StorageProbe) async throws -> Void
  ) async -> (bucket: S3Bucket, lines: String)? {
    let configured = bucket
    defer { bucket = configured }
    for change in changes {
      bucket = configured.with(change)
      do { try await attempt(&self) } catch { continue }
      return (bucket, Self.lines(from: configured.settings, to: settings))
    }
    return nil
  }

  /// The settings to try for an object in one piece.
  var changesForObject: [Change] {
    let checksums = settings.checksum.isCRC ? [Self.using(.sha256)] : []
    guard !settings.overwrite else { return checksums }
    let overwriting: Change = { $0.overwrite = true }
    return [overwriting] + checksums
      + checksums.map { change in
        { settings in
          overwriting(&settings)
          change(&settings)
        }
      }
  }

  /// The settings to try for an upload in parts: the other algorithms.
  var changesForParts: [Change] {
    guard settings.checksum != .none else { return [] }
    return [.sha256, .crc64nvme, .crc32c].filter { $0 != settings.checksum }.map(Self.using)
  }

  private static func using(_ algorithm: ChecksumAlgorithm) -> Change { { $0.checksum = algorithm } }

  /// Returns the lines of the configuration that change some settings into others, joined by "and".
  private static func lines(from old: StorageSettings, to new: StorageSettings) -> String {
    var lines: [String] = []
    if new.checksum != old.checksum { lines.append("checksum = \"\(new.checksum.rawValue)\"") }
    if new.overwrite != old.overwrite {
      lines.append("overwrite = \(new.overwrite) (only if each key has {id}, or files of one name replace each other)")
    }
    return lines.joined(separator: " and ")
  }
}

extension S3Refusal {
  /// True if the storage may accept the same request with other settings, because it does not know a header or its value.
  var mayBeOfSettings: Bool {
    doubt == nil && !isPage && failure.kind != .credentials
      && [400, 405, 411, 415, 422, 501].contains(answer.status)
  }
}
