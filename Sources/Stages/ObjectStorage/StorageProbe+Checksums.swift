import HTTPTransfer
import Jobs
import OpenSSL
import Settings

/// Checks of checksums of single objects.
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
        // The other setting proves no more if the signed hash is not checked either.
        let remedy = checksSignedHash == true ? ": checksum = \"sha256\" fits better" : ""
        add(.advice, "ignores checksum = \"\(algorithm.rawValue)\"\(remedy)")
      case false?: add(.fits, "ignores checksum = \"\(algorithm.rawValue)\"")
      case nil: break
      }
    }
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
