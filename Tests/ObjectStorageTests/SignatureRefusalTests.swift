import ChildProcesses
import HTTPTransfer
import Jobs
import LoopbackPeer
import Synchronization
import Testing

@testable import ObjectStorage

/// A refused signature is about the key, the storage or one request, and only the last lets other jobs go on.
@Suite(.slot) struct SignatureRefusalTests {
  private enum Event {
    case stored
    /// A job is refused; the answer to a plain request that the same key signs.
    case refused(Int, by: (Int, String?))
  }

  /// Answers to a plain request that prove nothing of the key.
  private static let unclear: [(Int, String?)] = [
    (403, "SignatureDoesNotMatch"), (403, "InvalidAccessKeyId"), (403, nil), (404, nil), (404, "NoSuchBucket"),
    (400, "ExpiredToken"), (403, "RequestTimeTooSkewed"), (503, "SlowDown"), (301, "PermanentRedirect"), (405, nil),
  ]
  private static let accepted: [(Int, String?)] = [
    (200, nil), (206, nil), (404, "NoSuchKey"), (403, "AccessDenied"), (416, "InvalidRange"),
  ]

  @Test func acceptedKeyLimitsRefusalToJob() {
    for answer in Self.accepted {
      #expect(causes([.stored, .refused(1, by: answer)]) == [.rejected], "\(answer)")
      #expect(causes([.refused(1, by: answer)]) == [.destination], "\(answer): nothing was ever stored")
    }
    for answer in Self.unclear {
      #expect(causes([.stored, .refused(1, by: answer)]) == [nil], "\(answer)")
      #expect(causes([.refused(1, by: answer)]) == [nil], "\(answer)")
    }
    let fine: (Int, String?) = (404, "NoSuchKey")
    let other: (Int, String?) = (403, "SignatureDoesNotMatch")
    // Job after job is no single job, until an object is stored again.
    #expect(
      causes([.stored] + (1...4).map { .refused($0, by: fine) } + [.refused(2, by: fine)])
        == [.rejected, .rejected, .rejected, .destination, .destination])
    #expect(
      causes(
        [.stored] + (1...4).map { .refused($0, by: fine) } + [.refused(5, by: other), .stored, .refused(1, by: fine)])
        == [.rejected, .rejected, .rejected, .destination, nil, .rejected])
    // The same job as often as somebody has it tried.
    #expect(causes([.stored] + (1...6).map { _ in .refused(1, by: fine) }) == Array(repeating: .rejected, count: 6))
  }

  private func causes(_ events: [Event]) -> [Failure.Kind?] {
    var refusals = SignatureRefusals()
    return events.compactMap { event -> Failure.Kind?? in
      switch event {
      case .stored:
        refusals.stored()
        return .none
      case .refused(let job, let answer):
        let isAccepted = SignatureRefusals.isAccepted(status: answer.0, code: answer.1)
        return .some(refusals.kind(of: JobID(high: 1, low: UInt64(job)), isKeyAccepted: isAccepted))
      }
    }
  }

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
    let bucket = try TestBucket.make(peer.url, keyNote: "(read at start)")
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

  @Test func singleJobRefusalSparesKey() async throws {
    let none = Self.error(404, "NoSuchKey")
    #expect(try await kinds(["odd", "a", "odd", "b"], look: none) == [.destination, nil, .rejected, nil])
    #expect(
      try await kinds(["a", "odd1", "odd2", "odd3", "odd4"], look: none)
        == [nil, .rejected, .rejected, .rejected, .destination])
    for look in [Self.error(403, "SignatureDoesNotMatch"), .cut, .answer(503)] {
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
