import ChildProcesses
import LoopbackPeer
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

/// A probe says what a storage makes of a checksum behind the bytes, whether one is sent there or not.
@Suite(.slot) struct ProbeTrailerTests {
  private enum Storage: CaseIterable {
    /// Takes the frame apart and checks the checksum.
    case checks
    /// Takes the frame apart and shows the checksum, right or wrong.
    case believes
    /// Takes the frame apart and shows nothing.
    case isSilent
    /// Keeps the frame.
    case keepsFrame
    /// Answers 501, as OpenStack Swift does.
    case refuses

    func finding(isSent: Bool) -> ProbeFinding? {
      switch self {
      case .checks:
        isSent
          ? ProbeFinding(.fits, "takes a checksum behind the bytes, and checks it: large files are read once")
          : ProbeFinding(
            .advice,
            "takes a checksum behind the bytes, and checks it: with checksum_trailer = \"on\" large files are read once"
          )
      case .believes:
        ProbeFinding(isSent ? .advice : .fits, "takes a checksum behind the bytes, but does not check it")
      case .isSilent:
        ProbeFinding(
          isSent ? .advice : .fits,
          "does not show a checksum that was behind the bytes, so it cannot be compared: "
            + "checksum_trailer = \"off\" fits better")
      case .keepsFrame:
        ProbeFinding(
          isSent ? .fault : .fits,
          "keeps the frame of a checksum behind the bytes as part of the object: checksum_trailer has to be \"off\" here"
        )
      case .refuses:
        isSent
          ? ProbeFinding(
            .advice,
            "does not take a checksum behind the bytes (HTTP 501 NotImplemented): checksum_trailer = \"off\" fits better"
          )
          : nil
      }
    }
  }

  @Test(arguments: Storage.allCases, [ChecksumTrailer.auto, .on])
  private func reportsTrailerSupport(_ storage: Storage, _ trailer: ChecksumTrailer) async throws {
    let objects = KeepingStorage()
    let peer = try LoopbackPeer { request in
      guard let name = request["x-amz-trailer"] else {
        return request.method == "POST"
          ? .answer(200, [:], "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>")
          : objects.reply(request)
      }
      guard let decoded = try? FrameDecoder(request.body), decoded.trailers.first?[0] == name else {
        return .answer(400, [:], "<Error><Code>InvalidRequest</Code></Error>")
      }
      var sums = RunningSums(.crc32c)
      sums.update(decoded.data)
      let value = decoded.trailers[0][1]
      var plain = request
      plain.body = decoded.data
      switch storage {
      case .checks where value != sums.finish().base64:
        return .answer(400, [:], "<Error><Code>BadDigest</Code></Error>")
      case .checks, .believes:
        _ = objects.reply(plain)
        return .answer(200, ["ETag": "\"e\"", name: value])
      case .isSilent: return objects.reply(plain)
      case .keepsFrame: return objects.reply(request)
      case .refuses: return .answer(501, [:], "<Error><Code>NotImplemented</Code></Error>")
      }
    }
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c, trailer: trailer)
    let findings = await bucket.probe(bucket: "documents", key: "trial")
    let about = findings.filter { $0.words.contains("behind the bytes") }
    let expected = storage.finding(isSent: trailer == .on).map { [$0] } ?? []
    #expect(about.map { ProbeFinding($0.weight, $0.words) } == expected, "\(findings)")
    let needsOff = trailer == .on && [.isSilent, .keepsFrame, .refuses].contains(storage)
    #expect(about.flatMap(\.changes).map(\.line) == (needsOff ? ["checksum_trailer = \"off\""] : []))
    #expect(findings.last == ProbeFinding(.fits, "deletes objects"))
  }

  @Test func skipsTrailerWithoutCRC() async throws {
    let objects = KeepingStorage()
    let peer = try LoopbackPeer { objects.reply($0) }
    _ = await (try TestBucket.make(peer.url)).probe(bucket: "documents", key: "trial")
    #expect(peer.requests.allSatisfy { $0["x-amz-trailer"] == nil })
  }
}
