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
}

/// One probe in progress.
struct StorageProbe {
  /// The storage, with the first settings that stored an object.
  var bucket: S3Bucket
  let name: String
  let key: String
  let facts: KeyFacts?
  private(set) var findings: [ProbeFinding] = []
  /// The keys under which objects may remain.
  var made: [String] = []
  /// True if the storage checks the hash that a request is signed with; nil while that is unknown.
  var checksSignedHash: Bool?
  /// The metadata that identifies the probe's object. Its value never occurs in an answer by chance.
  static let mark = "x-amz-meta-waybill-probe"
  let sign: String
  static let body = Array("A trial by waybill check; it may be deleted.\n".utf8)

  init(bucket: S3Bucket, name: String, key: String, facts: KeyFacts?) {
    self.bucket = bucket
    self.name = name
    self.key = key
    self.facts = facts
    sign = String(Hex.text(SHA256.hash(data: Array(key.utf8))).prefix(16))
  }

  var settings: StorageSettings { bucket.settings }

  mutating func run() async {
    guard await stores(), await shows() else { return }
    await keepsCondition()
    await checksHash()
    await checksChecksums()
    await takesParts()
    await deletes()
  }

  mutating func add(_ weight: ProbeFinding.Weight, _ words: String) {
    findings.append(ProbeFinding(weight, words))
  }

  func place(_ key: String) -> BareAddress { BareAddress(bucket: name, key: key) }

  /// The text of an error.
  static func words(_ error: any Error) -> String {
    switch error {
    case UploadFailure.failed(let failure), UploadFailure.changed(let failure, _), UploadFailure.corrupted(let failure):
      failure.words
    default: S3Bucket.adapters.failure(for: error).words
    }
  }

  /// A PUT as a job would send it.
  mutating func put(
    _ key: String, conditional: Bool, _ sums: Sums, hash: String? = nil, headers: [HTTPHeader]? = nil
  ) async throws -> HTTPResponse {
    made.append(key)
    var all = [HTTPHeader("Content-Type", "text/plain"), HTTPHeader(Self.mark, sign)]
    all += bucket.configured.ofObjects.filter { !$0.name.lowercased().hasPrefix(ObjectLock.prefix) }
    if let facts { all += try bucket.templates.render(facts, locked: false) }
    if conditional { all.append(HTTPHeader("If-None-Match", "*")) }
    all += headers ?? bucket.checksumHeaders(sums)
    return try await bucket.send(
      S3Bucket.Exchange(
        method: "PUT", object: place(key), headers: all, body: .bytes(Self.body),
        payloadHash: hash ?? sums.payloadHash, isConditional: conditional))
  }

  func sums(_ algorithm: ChecksumAlgorithm, of bytes: [UInt8] = Self.body) -> Sums {
    var running = RunningSums(algorithm)
    running.update(bytes)
    return running.finish()
  }
}
