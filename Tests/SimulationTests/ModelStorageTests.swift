import Jobs
import ObjectStorage
import Settings
import Simulation
import Testing

/// The storage stage of the product against the model of a bucket.
@Suite struct ModelStorageTests {
  private static let options = ModelStorage.Options(bucket: "documents", accessKeys: ["KEY"])

  @Test func keepsForeignObject() async throws {
    for keepsConditions in [true, false] {
      var options = Self.options
      options.keepsConditions = keepsConditions
      var storage = ModelStorage(options)
      storage.addForeignObject(key: "plain", Array("another's".utf8))
      let peer = try ModelPeer(.storage(storage))
      let file = try StageFile(Array("some bytes".utf8), key: "plain")
      let failure = try await StageFile.bucket(peer.url).upload(file.object()).failure()
      #expect(failure.kind == .rejected)
      #expect(failure.code == "PreconditionFailed")
      #expect(peer.storage?.history == [])
    }
  }

  @Test func refusesMismatchedHash() throws {
    var storage = ModelStorage(Self.options)
    var request = try #require(
      FarRequest(method: "PUT", url: "http://peer/documents/key", headers: Self.signature, body: [1]))
    let named = [
      FarHeader("x-amz-content-sha256", Piece([2]).sha256), FarHeader("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA=="),
      FarHeader("x-amz-checksum-crc32c", "AAAAAA=="), FarHeader("x-amz-checksum-crc64nvme", "AAAAAAAAAAA="),
      FarHeader("x-amz-checksum-sha256", "AAAA"),
    ]
    for header in named {
      request.headers = Self.signature + [header]
      #expect(storage.act(on: request, at: .zero, wall: ModelPeer.time).status == 400)
    }
    request.headers = Self.signature
    #expect(storage.act(on: request, at: .zero, wall: ModelPeer.time).status == 200)
  }

  private static let signature = [
    FarHeader("Authorization", "AWS4-HMAC-SHA256 Credential=KEY/20261125/us-east-1/s3/aws4_request, Signature=0"),
    FarHeader("x-amz-date", ModelPeer.time.iso8601Basic),
  ]

  @Test func distinguishesWrongKeyAndClock() async throws {
    let peer = try ModelPeer(Self.options)
    let file = try StageFile([1])
    let wrongKey = try await StageFile.bucket(peer.url, key: "OTHER").upload(file.object()).failure()
    #expect(wrongKey.kind == .credentials)
    // Within bounds it is corrected.
    let late = try StageFile.bucket(peer.url, at: ModelPeer.time + .seconds(1000))
    _ = try await late.upload(file.object()).get()
    let wrongClock = try await StageFile.bucket(peer.url, at: ModelPeer.time + .seconds(8 * 86400))
      .upload(file.object()).failure()
    #expect(wrongClock.kind == .network)
    #expect(wrongClock.code == "RequestTimeTooSkewed")
  }
}

extension Result where Failure == UploadFailure {
  /// The failure of an attempt that failed.
  func failure(sourceLocation: SourceLocation = #_sourceLocation) throws -> Jobs.Failure {
    guard case .failure(.failed(let failure)) = self else {
      return try #require(nil, "not a failure: \(self)", sourceLocation: sourceLocation)
    }
    return failure
  }
}
