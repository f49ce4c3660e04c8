import HTTPTransfer
import Jobs
import OpenSSL
import Settings

/// Checks of checksums of single objects, in a header and in a trailer.
extension StorageProbe {
  mutating func checksHash() async {
    let wrong = Hex.text(SHA256.hash(data: Array("other bytes".utf8)))
    let refused = await isRefused {
      try await $0.put($0.key + ".hash", conditional: false, $0.sums(.none), hash: wrong)
    }
    checksSignedHash = refused
    switch refused {
    case true?: add(.fits, "checks the hash that a request is signed with (checksum = \"sha256\")")
    case false?:
      add(.advice, "does not check the hash that a request is signed with: checksum = \"sha256\" proves nothing here")
    case nil: break
    }
  }

  mutating func checksChecksums() async {
    for algorithm in [ChecksumAlgorithm.crc32c, .crc64nvme] {
      let wrong = sums(algorithm, of: Array("other bytes".utf8)).base64.map { [HTTPHeader(algorithm.header, $0)] }
      let key = key + "." + algorithm.rawValue
      switch await isRefused({ try await $0.put(key, conditional: false, $0.sums(.none), headers: wrong) }) {
      case true?: add(.fits, "checks checksum = \"\(algorithm.rawValue)\"")
      case false? where settings.checksum == algorithm:
        let ignored = "ignores checksum = \"\(algorithm.rawValue)\""
        let changes = change(because: "it \(ignored)") { $0.use(.sha256) }
        // The other setting proves no more if the signed hash is not checked either.
        add(.advice, "\(ignored): checksum = \"sha256\" fits better", checksSignedHash == true ? changes : [])
      case false?: add(.fits, "ignores checksum = \"\(algorithm.rawValue)\"")
      case nil: break
      }
    }
  }

  /// Tests a checksum in a trailer, with a right value and a wrong one.
  mutating func takesTrailer() async {
    guard settings.checksum.isCRC else { return }
    let isSent = settings.sendsTrailers(to: bucket.endpoint)
    let right = sums(settings.checksum)
    func off(_ reason: String) -> [SettingChange] {
      isSent ? change(because: "it \(reason)") { $0.checksumTrailer = .off } : []
    }
    do {
      let response = try await putFramed(key + ".trailer", right)
      let there = try await bucket.send(S3Bucket.Exchange(method: "HEAD", object: place(key + ".trailer")))
      guard try await size(there, key + ".trailer") == Int64(Self.body.count) else {
        let kept = "keeps the frame of a checksum behind the bytes as part of the object"
        return add(isSent ? .fault : .fits, "\(kept): checksum_trailer has to be \"off\" here", off(kept))
      }
      guard response.headers[first: settings.checksum.header] == right.base64 else {
        let hidden = "does not show a checksum that was behind the bytes, so it cannot be compared"
        return add(isSent ? .advice : .fits, "\(hidden): checksum_trailer = \"off\" fits better", off(hidden))
      }
    } catch {
      guard isSent else { return }
      let refused = "does not take a checksum behind the bytes (\(Self.words(error)))"
      let changes = error is S3Refusal ? off(refused) : []
      return add(.advice, "\(refused): checksum_trailer = \"off\" fits better", changes)
    }
    switch await isRefused({ try await $0.putFramed($0.key + ".trailer", $0.sums($0.settings.checksum, of: [])) }) {
    case true? where isSent: add(.fits, "takes a checksum behind the bytes, and checks it: large files are read once")
    case true?:
      add(
        settings.checksumTrailer == .off ? .fits : .advice,
        "takes a checksum behind the bytes, and checks it: with checksum_trailer = \"on\" large files are read once")
    case false?: add(isSent ? .advice : .fits, "takes a checksum behind the bytes, but does not check it")
    case nil: break
    }
  }

  private func change(because reason: String, _ change: (inout StorageSettings) -> Void) -> [SettingChange] {
    var other = settings
    change(&other)
    return SettingChange.between(settings, other, because: reason)
  }

  /// A PUT with its checksum in a trailer.
  private mutating func putFramed(_ key: String, _ sums: Sums) async throws -> HTTPResponse {
    let algorithm = settings.checksum
    let frame = ChunkedFrame(
      count: Int64(Self.body.count), trailer: algorithm.header, valueLength: algorithm.valueLength)
    return try await put(
      key, conditional: false, sums, hash: ChunkedFrame.payloadHash, headers: frame.headers,
      body: frame.bytes(of: Self.body, value: sums.base64 ?? ""))
  }

  /// True if a request with a deliberate error is refused because of it, false if it is accepted; nil if it fails in another way,
  /// which is reported.
  private mutating func isRefused(_ send: (inout StorageProbe) async throws -> HTTPResponse) async -> Bool? {
    do {
      _ = try await send(&self)
      return false
    } catch let refusal as S3Refusal where (400..<500).contains(refusal.answer.status) {
      return true
    } catch {
      add(
        .advice,
        "could not be tested for checks of the bytes it receives: \(Self.words(error))")
      return nil
    }
  }
}
