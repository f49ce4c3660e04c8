import HTTPTransfer
import Jobs
import Messages
import OpenSSL
import Settings

extension S3Bucket {
  /// Stores, shows, tries to replace and deletes a small object, to find out if the storage takes what jobs send.
  /// - Parameter key: a key that nothing else uses. The object under it has no lock, and is deleted again.
  public func probe(bucket: String, key: String, facts: KeyFacts? = nil) async -> [ProbeFinding] {
    var probe = StorageProbe(bucket: self, address: ObjectAddress(bucket: bucket, key: key), facts: facts)
    await probe.run()
    return probe.findings
  }
}

/// One finding of a probe of a storage. Findings are in the order of the checks.
public struct ProbeFinding: Hashable, Sendable {
  /// The consequence of a finding for the configuration.
  public enum Weight: Hashable, Sendable {
    case fits
    /// The storage works, but another setting would fit better, or there is a fact worth knowing.
    case advice
    /// The storage does not work: jobs would fail because of it.
    case fault
  }

  /// The consequence for the configuration.
  public var weight: Weight
  /// The finding in words and, if needed, the remedy.
  public var words: String
  /// The finding for the eyes of others: without names, keys, addresses and the storage's own words.
  public var report: String

  /// A finding with its words, and those for others if they differ.
  public init(_ weight: Weight, _ words: String, report: String? = nil) {
    (self.weight, self.words, self.report) = (weight, words, report ?? words)
  }
}

private struct StorageProbe {
  /// The metadata that identifies the probe's object. Its value never occurs in an answer by chance.
  private static let signHeader = "x-amz-meta-waybill-probe"
  private static let body = Array("A trial by waybill check; it may be deleted.\n".utf8)

  private let bucket: S3Bucket
  private let address: ObjectAddress
  private let facts: KeyFacts?
  private let sign: String
  private(set) var findings: [ProbeFinding] = []

  init(bucket: S3Bucket, address: ObjectAddress, facts: KeyFacts?) {
    self.bucket = bucket
    self.address = address
    self.facts = facts
    sign = String(Hex.text(SHA256.hash(data: Array(address.key.utf8))).prefix(16))
  }

  private var settings: StorageSettings { bucket.settings }

  mutating func run() async {
    guard await stores(), await shows() else { return }
    await honoursCondition()
    await deletes()
  }

  private mutating func add(_ weight: ProbeFinding.Weight, _ words: String, report: String? = nil) {
    let report = (report ?? words).replacing(DisplayText.escape(address.key), with: "the object")
    findings.append(ProbeFinding(weight, words, report: report))
  }

  /// Adds a finding whose words name an error, of which a report has only the status and the code.
  private mutating func add(_ weight: ProbeFinding.Weight, _ error: any Error, _ words: (String) -> String) {
    let answer = (error as? S3Refusal)?.answer
    let code = answer.map { "HTTP \($0.status)" + ($0.code.map { " \($0.prefix(60))" } ?? "") }
    add(weight, words(Failure(for: error).words), report: words(code ?? "no answer"))
  }

  /// Adds what an answer says of the storage itself.
  private mutating func addFacts(_ response: HTTPResponse) {
    func has(_ name: String) -> Bool { response.headers[first: name] != nil }
    var facts: [String] = []
    if let server = response.headers[first: "Server"] { facts.append("calls itself \(server.prefix(60))") }
    if has("x-amz-version-id") { facts.append("keeps versions") }
    if has("x-amz-checksum-\(settings.checksum.rawValue)") { facts.append("confirms the checksum") }
    let skew =
      response.headers[first: "Date"].flatMap { HTTPDate.parse($0) }.map { ($0 - bucket.now()).wholeSeconds } ?? 0
    if abs(skew) > 2 { facts.append("has a clock that differs from this one by \(skew) s") }
    if !facts.isEmpty { add(abs(skew) > 60 ? .advice : .fits, facts.joined(separator: ", ")) }
  }

  private func put(conditional: Bool) async throws -> HTTPResponse {
    var running = RunningSums(settings.checksum)
    running.update(Self.body)
    let sums = running.finish()
    var headers = [HTTPHeader("Content-Type", "text/plain"), HTTPHeader(Self.signHeader, sign)]
    headers += bucket.configured.ofObjects.filter { !ObjectLock.has(header: $0.name) }
    if let facts { headers += try bucket.templates.withoutLock.render(facts) }
    if conditional { headers.append(HTTPHeader("If-None-Match", "*")) }
    return try await bucket.send(
      S3Bucket.Exchange(
        method: "PUT", place: address, headers: headers + bucket.checksumHeaders(sums), body: .bytes(Self.body),
        payloadHash: sums.payloadHash, isConditional: conditional, answer: .stored(bytes: Int64(Self.body.count))))
  }

  private mutating func stores() async -> Bool {
    do {
      let response: HTTPResponse
      do {
        response = try await put(conditional: !settings.overwrite)
      } catch let refusal as S3Refusal where refusal.isConditionRefused {
        response = try await put(conditional: false)
      }
      add(.fits, "stores an object")
      if let finding = try bucket.encryptionFinding(response) {
        let isFault = finding.weight == .fault
        add(finding.weight, finding.words, report: isFault ? "does not encrypt as it is to" : "encrypts as it is to")
      }
      addFacts(response)
      if bucket.templates.hasLock || bucket.configured.ofObjects.contains(where: { ObjectLock.has(header: $0.name) }) {
        add(.advice, "was given a trial object without the lock of the others, since it is deleted again")
      }
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      // As for a job, HEAD decides, and its result is a separate finding.
      add(.advice, refusal) { "answers a PUT differently from S3, so each object is checked with HEAD: \($0)" }
    } catch {
      add(.fault, error) { "cannot store an object: \($0)" }
      return false
    }
    return true
  }

  /// Returns true if the stored object may exist, so that further checks make sense.
  private mutating func shows() async -> Bool {
    do {
      let response = try await bucket.send(S3Bucket.Exchange(method: "HEAD", place: address))
      if response.headers[first: Self.signHeader] != sign {
        add(.fault, "shows an object without its metadata: Waybill could not recognize its own objects")
        return !response.isHTML
      }
      switch ShownObject(response, settings.checksum).size {
      case Int64(Self.body.count): add(.fits, "shows an object with its metadata")
      case nil: add(.advice, "shows no size of an object: after an answer that was lost, the bytes are sent again")
      default: add(.fault, "shows an object with a different size than was stored")
      }
      return true
    } catch let refusal as S3Refusal where refusal.isAbsence {
      add(
        .fault,
        "says that it has stored an object, but does not have it: it answers like a web server, not like an S3 storage")
      return false
    } catch {
      add(.fault, error) {
        "does not show an object (HEAD): \($0); without HEAD, Waybill cannot tell what became of an upload whose answer was lost"
      }
      let refusal = error as? S3Refusal
      return refusal?.doubt == nil && refusal?.isPage != true
    }
  }

  private mutating func honoursCondition() async {
    let isIgnored = "without {id} in a key, only a HEAD before each upload keeps objects from being replaced"
    // A storage that honours no condition fits a configuration that wants none.
    let weight = settings.overwrite ? ProbeFinding.Weight.fits : .advice
    do {
      _ = try await put(conditional: true)
      add(weight, "ignores If-None-Match: \(isIgnored)")
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      if settings.overwrite {
        add(.advice, "supports If-None-Match: overwrite = false would keep objects from being replaced")
      } else {
        add(.fits, "does not replace objects")
      }
    } catch let refusal as S3Refusal where refusal.isConditionRefused {
      add(weight, "refuses If-None-Match (HTTP \(refusal.answer.status)): \(isIgnored)")
    } catch {
      add(settings.overwrite ? .fits : .fault, error) { "refuses If-None-Match (\($0)): it needs overwrite = true" }
    }
  }

  private mutating func deletes() async {
    let key = DisplayText.escape(address.key)
    do {
      _ = try await bucket.send(S3Bucket.Exchange(method: "DELETE", place: address, answer: .nothing))
      guard await isGone() else { return add(.fault, "says that it has deleted \(key), but still shows it") }
    } catch let refusal as S3Refusal where refusal.answer.status == 404 {
      // The object is gone.
    } catch {
      return add(.advice, error) {
        "does not delete (\($0)): cancel --remove will leave objects, and \(key) was left behind"
      }
    }
    add(.fits, "deletes objects")
  }

  /// True if HEAD does not show the object any more. A refused HEAD counts as true, because it proves nothing.
  private func isGone() async -> Bool {
    do {
      let response = try await bucket.send(S3Bucket.Exchange(method: "HEAD", place: address))
      return response.headers[first: Self.signHeader] != sign && response.headers[first: MetadataHeaders.id] == nil
    } catch {
      return true
    }
  }
}
