import Digests
import Failures
import HTTPTransfer
import Jobs
import XML

/// One finding of a probe of a storage. Findings are in the order of the trials.
public struct ProbeFinding: Hashable, Sendable {
  /// The meaning of a finding for the configuration.
  public enum Weight: Hashable, Sendable {
    /// The storage behaves as configured.
    case fits
    /// It works, but another setting would fit better, or there is something to know.
    case advice
    /// It does not work: jobs would fail at it.
    case fault
  }

  /// The meaning of the finding for the configuration.
  public var weight: Weight
  /// The finding in words and, if needed, the remedy.
  public var words: String

  /// A finding with its words.
  public init(_ weight: Weight, _ words: String) {
    self.weight = weight
    self.words = words
  }
}

extension S3Bucket {
  /// Stores, shows and deletes a small object, and finds out which optional requests the storage supports.
  ///
  /// - Parameters:
  ///   - bucket: the bucket.
  /// - key: a key that nothing else uses. Objects are made under it and under keys that begin with it, and are deleted. So none
  ///   of them is locked.
  /// - facts: the facts for tags and headers with placeholders; nil leaves them out.
  public func probe(bucket: String, key: String, facts: KeyFacts? = nil) async -> [ProbeFinding] {
    var probe = StorageProbe(bucket: self, name: bucket, key: key, facts: facts)
    await probe.run()
    return probe.findings
  }
}

/// One probe in progress.
private struct StorageProbe {
  private struct Place: ObjectPlace {
    var bucket: String
    var key: String
  }

  let bucket: S3Bucket
  let name: String
  let key: String
  let facts: KeyFacts?
  private(set) var findings: [ProbeFinding] = []
  /// The keys under which objects may have been left.
  private var made: [String] = []
  /// The metadata that identifies the object. Its value never occurs in an answer by chance.
  private static let mark = "x-amz-meta-waybill-probe"
  private let sign: String
  private static let body = Array("A trial by waybill check; it may be deleted.\n".utf8)

  init(bucket: S3Bucket, name: String, key: String, facts: KeyFacts?) {
    self.bucket = bucket
    self.name = name
    self.key = key
    self.facts = facts
    sign = String(Hex.text(SHA256.hash(data: Array(key.utf8))).prefix(16))
  }

  private var options: S3Bucket.Options { bucket.options }

  mutating func run() async {
    guard await stores(), await shows() else { return }
    await keepsCondition()
    await checksHash()
    await checksChecksums()
    await takesTrailer()
    await probeParts()
    await deletes()
  }

  private mutating func add(_ weight: ProbeFinding.Weight, _ words: String) {
    findings.append(ProbeFinding(weight, words))
  }

  private func place(_ key: String) -> Place { Place(bucket: name, key: key) }

  /// A PUT as a job would send it.
  private mutating func put(
    _ key: String, conditional: Bool, _ sums: Sums, hash: String? = nil, headers: [HTTPHeader]? = nil,
    body: [UInt8] = Self.body
  ) async throws -> HTTPResponse {
    made.append(key)
    var all = [HTTPHeader("Content-Type", "text/plain"), HTTPHeader(Self.mark, sign)]
    let constant = options.headers.filter { !$0.key.lowercased().hasPrefix(ObjectLock.prefix) }
    all += constant.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
    if let facts { all += try options.templates.render(facts, locked: false) }
    if conditional { all.append(HTTPHeader("If-None-Match", "*")) }
    all += headers ?? bucket.checksumHeaders(sums)
    return try await bucket.send(
      S3Bucket.Exchange(
        method: "PUT", object: place(key), headers: all, body: .bytes(body),
        payloadHash: hash ?? sums.payloadHash, isConditional: conditional))
  }

  private func sums(_ algorithm: ChecksumAlgorithm, of bytes: [UInt8] = Self.body) -> Sums {
    var running = RunningSums(algorithm)
    running.update(bytes)
    return running.finish()
  }

  private mutating func stores() async -> Bool {
    do {
      let response = try await put(key, conditional: !options.overwrite, sums(options.checksum))
      add(.fits, "stores an object")
      if options.templates.hasLock
        || options.headers.keys.contains(where: { $0.lowercased().hasPrefix(ObjectLock.prefix) })
      {
        add(.advice, "was given a trial object without the lock of the others, since it is deleted again")
      }
      let shown = response.headers[first: options.checksum.header]
      if options.checksum != .sha256, options.checksum != .none, shown == nil {
        add(
          .advice, "does not show checksum = \"\(options.checksum.rawValue)\" in its answer, so it cannot be compared")
      }
      return true
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      // The same as for a job: HEAD decides and reports its finding.
      add(.advice, "answers a PUT differently from S3, so each object is checked with HEAD: \(refusal.failure.words)")
      return true
    } catch {
      add(.fault, "cannot store an object: \(S3Bucket.adapters.failure(for: error).words)")
      return false
    }
  }

  /// True if the stored object may be there, so that there is more to find out.
  private mutating func shows() async -> Bool {
    do {
      let response = try await bucket.send(S3Bucket.Exchange(method: "HEAD", object: place(key)))
      if response.headers[first: Self.mark] != sign {
        add(.fault, "shows an object without its metadata: Waybill could not recognize its own objects")
        return !response.isHTML
      }
      guard response.headers[first: "Content-Length"] == String(Self.body.count) else {
        add(.fault, "shows an object with a different size than was stored")
        return true
      }
      add(.fits, "shows an object with its metadata")
      return true
    } catch let refusal as S3Refusal where refusal.isAbsence {
      add(.fault, "says that it has stored an object, but does not have it: it \(S3Bucket.notAStorage)")
      return false
    } catch {
      add(
        .fault,
        "does not show an object (HEAD): \(S3Bucket.adapters.failure(for: error).words); without HEAD, Waybill cannot tell what became of an upload whose answer was lost"
      )
      let refusal = error as? S3Refusal
      return refusal?.doubt == nil && refusal?.isPage != true
    }
  }

  private mutating func keepsCondition() async {
    do {
      _ = try await put(key, conditional: true, sums(options.checksum))
      add(
        options.overwrite ? .fits : .advice,
        "ignores If-None-Match: without {id} in a key, only a HEAD before each upload keeps objects from being replaced"
      )
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      add(
        options.overwrite ? .advice : .fits,
        options.overwrite
          ? "supports If-None-Match: overwrite = false would keep objects from being replaced"
          : "does not replace objects")
    } catch {
      let failure = S3Bucket.adapters.failure(for: error)
      add(options.overwrite ? .fits : .fault, "refuses If-None-Match (\(failure.words)): it needs overwrite = true")
    }
  }

  private mutating func checksHash() async {
    let wrong = Hex.text(SHA256.hash(data: Array("other bytes".utf8)))
    switch await isRefused({ try await $0.put($0.key + ".hash", conditional: false, $0.sums(.none), hash: wrong) }) {
    case true?: add(.fits, "checks the hash that a request is signed with (checksum = \"sha256\")")
    case false?:
      add(.advice, "does not check the hash that a request is signed with: checksum = \"sha256\" proves nothing here")
    case nil: break
    }
  }

  private mutating func checksChecksums() async {
    for algorithm in [ChecksumAlgorithm.crc32c, .crc64nvme] {
      let wrong = sums(algorithm, of: Array("other bytes".utf8)).base64.map { [HTTPHeader(algorithm.header, $0)] }
      let key = key + "." + algorithm.rawValue
      switch await isRefused({ try await $0.put(key, conditional: false, $0.sums(.none), headers: wrong) }) {
      case true?: add(.fits, "checks checksum = \"\(algorithm.rawValue)\"")
      case false?:
        add(
          options.checksum == algorithm ? .advice : .fits,
          "ignores checksum = \"\(algorithm.rawValue)\""
            + (options.checksum == algorithm ? ": checksum = \"sha256\" fits better" : ""))
      case nil: break
      }
    }
  }

  /// Finds out whether a CRC may go behind the bytes, with a right one and a wrong one.
  private mutating func takesTrailer() async {
    guard options.checksum.isCRC else { return }
    let isSent = options.sendsTrailers(to: bucket.endpoint)
    let right = sums(options.checksum)
    do {
      let response = try await putFramed(key + ".trailer", right)
      let there = try await bucket.send(S3Bucket.Exchange(method: "HEAD", object: place(key + ".trailer")))
      guard there.headers[first: "Content-Length"] == String(Self.body.count) else {
        return add(
          isSent ? .fault : .fits,
          "keeps the frame of a checksum behind the bytes as part of the object: checksum_trailer has to be \"off\" here"
        )
      }
      guard response.headers[first: options.checksum.header] == right.base64 else {
        return add(
          isSent ? .advice : .fits,
          "does not show a checksum that was behind the bytes, so it cannot be compared: "
            + "checksum_trailer = \"off\" fits better")
      }
    } catch {
      guard isSent else { return }
      let words = S3Bucket.adapters.failure(for: error).words
      return add(
        .advice, "does not take a checksum behind the bytes (\(words)): checksum_trailer = \"off\" fits better")
    }
    switch await isRefused({ try await $0.putFramed($0.key + ".trailer", $0.sums($0.options.checksum, of: [])) }) {
    case true? where isSent: add(.fits, "takes a checksum behind the bytes, and checks it: large files are read once")
    case true?:
      add(
        options.checksumTrailer == .off ? .fits : .advice,
        "takes a checksum behind the bytes, and checks it: with checksum_trailer = \"on\" large files are read once")
    case false?: add(isSent ? .advice : .fits, "takes a checksum behind the bytes, but does not check it")
    case nil: break
    }
  }

  /// A PUT with a checksum behind the bytes.
  private mutating func putFramed(_ key: String, _ sums: Sums) async throws -> HTTPResponse {
    let algorithm = options.checksum
    let frame = ChunkedFrame(
      count: Int64(Self.body.count), trailer: algorithm.header, valueLength: algorithm.valueLength)
    return try await put(
      key, conditional: false, sums, hash: ChunkedFrame.payloadHash, headers: frame.headers,
      body: frame.bytes(of: Self.body, value: sums.base64 ?? ""))
  }

  /// True if a request with an error in it is refused for that error; nil if it fails in another way, which is noted.
  private mutating func isRefused(_ send: (inout StorageProbe) async throws -> HTTPResponse) async -> Bool? {
    do {
      _ = try await send(&self)
      return false
    } catch let refusal as S3Refusal where (400..<500).contains(refusal.answer.status) {
      return true
    } catch {
      add(
        .advice,
        "could not be tested for checks of the bytes it receives: \(S3Bucket.adapters.failure(for: error).words)")
      return nil
    }
  }

  private mutating func probeParts() async {
    do {
      let response = try await bucket.send(
        S3Bucket.Exchange(
          method: "POST", object: place(key + ".parts"), query: [("uploads", "")],
          headers: [HTTPHeader("Content-Type", "text/plain")], mayBeRepeated: false,
          answer: .document(.uploadBegun)))
      guard let id = XMLElement.parse(response.body)?["UploadId"]?.text else {
        return add(.fault, "begins a multipart upload without an UploadId")
      }
      try await bucket.abort(UploadUnderWay(bucket: name, key: key + ".parts", id: id, begunAt: nil))
      add(.fits, "accepts multipart uploads, and aborts them")
    } catch {
      add(
        .fault,
        "refuses multipart uploads: \(S3Bucket.adapters.failure(for: error).words); files from multipart_threshold on would fail"
      )
    }
  }

  private mutating func deletes() async {
    for key in Set(made).sorted() {
      do {
        _ = try await bucket.send(S3Bucket.Exchange(method: "DELETE", object: place(key), answer: .nothing))
        guard await isGone(key) else {
          return add(.fault, "says that it has deleted \(DisplayText.escape(key)), but still shows it")
        }
      } catch {
        let refusal = error as? S3Refusal
        if refusal?.answer.status == 404 { continue }
        return add(
          .advice,
          "does not delete (\(S3Bucket.adapters.failure(for: error).words)): cancel --remove will leave objects, and \(DisplayText.escape(key)) was left behind"
        )
      }
    }
    add(.fits, "deletes objects")
  }

  /// True if HEAD no longer shows the object. A refusal is no proof of the opposite.
  private func isGone(_ key: String) async -> Bool {
    do {
      let response = try await bucket.send(S3Bucket.Exchange(method: "HEAD", object: place(key)))
      return response.headers[first: Self.mark] != sign
    } catch {
      return true
    }
  }
}
