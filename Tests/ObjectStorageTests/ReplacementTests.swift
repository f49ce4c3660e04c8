import ChildProcesses
import Jobs
import LoopbackPeer
import Settings
import Testing

@testable import ObjectStorage

/// No object of another job is replaced, even where the storage ignores `If-None-Match`.
@Suite(.slot) struct ReplacementTests {
  enum Found: CaseIterable {
    case nobody, another, ours, oursOfOtherBytes, forbidden, unavailable

    func reply(_ id: JobID) -> LoopbackPeer.Reply {
      switch self {
      case .nobody: .answer(404)
      case .another: .head(TestFile.newID())
      case .ours: .head(id, sha256: "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
      case .oursOfOtherBytes: .head(id, sha256: "00")
      case .forbidden: .answer(403)
      case .unavailable: .answer(503)
      }
    }
  }

  /// What an attempt does: the requests, `PUT!` being conditional, and the kind of its failure.
  struct Outcome: Equatable {
    var requests: [String]
    var failure: Failure.Kind?

    init(_ requests: String, _ failure: Failure.Kind? = nil) {
      self.requests = requests.split(separator: " ").map(String.init)
      self.failure = failure
    }
  }

  private func outcome(
    _ found: Found, key: String, id: JobID, overwrite: Bool = false, keepsCondition: Bool = false,
    mayBeStored: Bool = false
  ) async throws -> Outcome {
    let peer = try LoopbackPeer { request in
      request.method == "HEAD" ? found.reply(id) : .answer(200, ["ETag": "\"new\""])
    }
    let options = StorageSettings(peer.url) { $0.overwrite = overwrite }
    let bucket = try TestBucket.make(options, keepsCondition: keepsCondition)
    let file = try TestFile([1, 2, 3])
    var object = try file.object(key: key, id: id)
    object.mayBeStored = mayBeStored
    let result = await bucket.upload(object)
    let requests = peer.requests.map { $0.method + ($0["If-None-Match"] == nil ? "" : "!") }.joined(separator: " ")
    if case .success = result { return Outcome(requests) }
    return Outcome(requests, try result.requireFailed().kind)
  }

  /// Without the job's id in it, a key may have been given to another job: the number of a job is that of its ledger alone.
  @Test(arguments: Found.allCases, ["in/a.pdf", "host/17/a.pdf"])
  func sharedKeyNeedsHeadFirst(_ found: Found, _ key: String) async throws {
    let expected =
      switch found {
      case .nobody, .forbidden: Outcome("HEAD PUT!")
      case .another: Outcome("HEAD", .rejected)
      case .ours: Outcome("HEAD")
      case .oursOfOtherBytes: Outcome("HEAD PUT")
      case .unavailable: Outcome("HEAD", .unavailable)
      }
    for mayBeStored in [false, true] {
      let outcome = try await outcome(found, key: key, id: TestFile.newID(), mayBeStored: mayBeStored)
      #expect(outcome == expected, "\(mayBeStored)")
    }
  }

  @Test(arguments: Found.allCases) func otherUploadsNeedNoHead(_ found: Found) async throws {
    let id = TestFile.newID()
    #expect(try await outcome(found, key: "in/\(id)/a.pdf", id: id) == Outcome("PUT!"))
    #expect(try await outcome(found, key: "in/a.pdf", id: id, overwrite: true) == Outcome("PUT"))
    #expect(try await outcome(found, key: "in/a.pdf", id: id, keepsCondition: true) == Outcome("PUT!"))
  }

  /// After one, conditions count until the storage has trouble or is not known any more.
  @Test func status412ProvesConditions() async throws {
    let (here, gone) = (TestFile.newID(), "in/a.pdf")
    let peer = try LoopbackPeer { request in
      guard request.method == "HEAD" else {
        return request["If-None-Match"] == nil ? .answer(200, ["ETag": "\"new\""]) : .answer(412)
      }
      return Found.ours.reply(here)
    }
    let bucket = try TestBucket.make(StorageSettings(peer.url), keepsCondition: false)
    #expect(!bucket.trust.keepsCondition)
    // The job's id is part of this key, so that no HEAD comes first.
    _ = try await bucket.upload(TestFile([1, 2, 3]).object(key: "\(here)", id: here)).get()
    #expect(bucket.trust.keepsCondition)
    #expect(try await bucket.upload(TestFile([1]).object(key: gone)).requireFailed().kind == .rejected)
    #expect(peer.requests.map(\.method) == ["PUT", "HEAD", "PUT", "HEAD"])
    bucket.trust.doubt()
    #expect(!bucket.trust.keepsCondition)
  }

  enum Way: CaseIterable {
    case onePiece, parts
  }

  private func bucket(_ sandbox: SandboxStorage, _ way: Way) throws -> S3Bucket {
    try TestBucket.make(
      StorageSettings(sandbox.url) {
        $0.checksum = .crc32c
        $0.multipartThreshold = way == .parts ? 1 << 20 : 5 << 30
        $0.partSize = 5 << 20
      }, keepsCondition: false)
  }

  /// Two files of a name at the same moment: HEAD finds nothing for either, so they take turns.
  @Test(arguments: Way.allCases) func concurrentJobsReplaceNothing(_ way: Way) async throws {
    let sandbox = try await SandboxStorage(["--ignore-conditions"])
    let bucket = try bucket(sandbox, way)
    let files = try (0..<6).map { try TestFile([UInt8](repeating: UInt8($0), count: (2 << 20) + $0)) }
    let results = try await withThrowingTaskGroup(of: Result<UploadReceipt, UploadFailure>.self) { group in
      for file in files {
        let object = try file.object(key: "in/a.pdf")
        group.addTask { await bucket.upload(object) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let stored = results.compactMap { try? $0.get() }
    #expect(stored.count == 1)
    for result in results {
      if case .success = result { continue }
      #expect(try result.requireFailed().code == "PreconditionFailed")
    }
    #expect(try await sandbox.object("in/a.pdf")["size"] as? Int64 == stored.first?.size)
    // A later one, by a daemon that knows nothing of these.
    let later = try self.bucket(sandbox, way)
    let failure = try await later.upload(try TestFile([UInt8](repeating: 9, count: 2 << 20)).object(key: "in/a.pdf"))
      .requireFailed()
    #expect(failure.words == "HTTP 412: an object with this key exists and is not from this job")
    #expect(try await sandbox.object("in/a.pdf")["size"] as? Int64 == stored.first?.size)
  }
}
