import ChildProcesses
import HTTPTransfer
import Jobs
import LoopbackPeer
import Testing

@testable import ObjectStorage

/// A refused signature is about the key, the storage or one request, and only the last lets other jobs go on.
@Suite(.slot) struct SignatureRefusalTests {
  private static func error(_ status: Int, _ code: String) -> LoopbackPeer.Reply {
    .answer(status, [:], "<Error><Code>\(code)</Code></Error>")
  }

  /// Uploads files to a storage that refuses the signatures of keys with `odd` in them, and the kinds of their failures.
  private func kinds(_ keys: [String], look: LoopbackPeer.Reply) async throws -> [Failure.Kind?] {
    let storage = KeepingStorage()
    let peer = try LoopbackPeer { request in
      switch request.method {
      case "GET": look
      case "PUT" where request.target.contains("odd"): Self.error(403, "SignatureDoesNotMatch")
      default: storage.reply(request)
      }
    }
    let bucket = try TestBucket.make(peer.url, keyNote: "(read at start)", isProven: false)
    var kinds: [Failure.Kind?] = []
    for key in keys {
      switch await bucket.upload(try TestFile([1]).object(key: key)) {
      case .success: kinds.append(nil)
      case .failure(.failed(let failure)):
        kinds.append(failure.kind)
        #expect(failure.words.hasPrefix("HTTP 403 SignatureDoesNotMatch"), "\(failure.words)")
        #expect(failure.words.contains("(read at start)") == (failure.kind == .credentials), "\(failure.words)")
        #expect(failure.words.contains("the key is right") == (failure.kind != .credentials), "\(failure.words)")
      case .failure(let other): Issue.record("\(other)")
      }
    }
    return kinds
  }

  /// An accepted key limits the refusal to the job, once the storage has stored an object, for three jobs in a row.
  @Test func singleJobRefusalSparesKey() async throws {
    for look in [
      .answer(206, [:], "x"), Self.error(404, "NoSuchKey"), Self.error(403, "AccessDenied"),
      Self.error(416, "InvalidRange"),
    ] as [LoopbackPeer.Reply] {
      #expect(
        try await kinds(["odd", "a", "odd", "odd2", "odd3", "odd4", "b", "odd"], look: look)
          == [.destination, nil, .rejected, .rejected, .rejected, .destination, nil, .rejected])
    }
    for look in [
      Self.error(403, "SignatureDoesNotMatch"), Self.error(403, "InvalidAccessKeyId"), Self.error(404, "NoSuchBucket"),
      Self.error(400, "ExpiredToken"), Self.error(403, "RequestTimeTooSkewed"), .cut, .answer(503), .answer(403),
      .answer(404), .answer(405),
    ] {
      #expect(try await kinds(["a", "odd"], look: look) == [nil, .credentials])
    }
  }

  /// A key that is replaced in between says nothing of the one that was refused.
  @Test func checkUsesRefusedKey() async throws {
    let peer = try LoopbackPeer { request in
      request.method == "GET" ? Self.error(404, "NoSuchKey") : Self.error(403, "SignatureDoesNotMatch")
    }
    _ = await (try TestBucket.rotating(peer.url)).upload(try TestFile([1]).object())
    let keys = peer.requests.map { $0["Authorization"]?.firstMatch(of: /Credential=(\w+)/)?.1 }
    #expect(keys == ["KEY1", "KEY1"])
  }
}
