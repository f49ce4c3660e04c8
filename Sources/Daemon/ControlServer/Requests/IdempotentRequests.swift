import ControlAPI
import HTTPTypes
import Jobs
import Synchronization

/// Makes a request with an `Idempotency-Key` act once: a repeated request with the same key gets the first one's answer
/// (draft-ietf-httpapi-idempotency-key-header).
///
/// If a request changed nothing and may be sent again as it is (``ProblemCode/hasChangedNothing``), its key stays free. If a
/// request was cut short, its key stays in use: nobody knows what the request has done.
final class IdempotentRequests: Sendable {
  private let memory: any RequestMemory
  private let report: @Sendable (String) -> Void
  private let underWay = Mutex<Set<RequestKey>>([])
  /// The largest answer that is kept, in bytes. A long list of uploads is larger and is not kept.
  private static let longestAnswer = 64 * 1024

  init(_ memory: any RequestMemory, report: @escaping @Sendable (String) -> Void) {
    (self.memory, self.report) = (memory, report)
  }

  /// Returns the key that a request's header gives: a text in quotation marks, as the draft has it, or without.
  ///
  /// - Throws: ``InvalidRequest`` for anything else.
  static func key(_ header: String) throws(InvalidRequest) -> String {
    let isQuoted = header.count >= 2 && header.hasPrefix("\"") && header.hasSuffix("\"")
    let key = isQuoted ? String(header.dropFirst().dropLast()) : header
    let isPlain = key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
    guard !key.isEmpty, isPlain, key.utf8.count <= RequestKey.longest else {
      throw InvalidRequest(
        "Idempotency-Key has to have 1 to \(RequestKey.longest) printable characters without spaces, such as a UUID")
    }
    return key
  }

  /// Carries out a request, unless one with its key was carried out already.
  ///
  /// - Throws: a ``ProblemDocument`` if a request with the key is being carried out, if the key was used for another request, or
  ///   if the result of the earlier request is not known.
  func once(
    _ request: RequestKey, fingerprint: String, _ act: () async throws -> ControlAnswer
  ) async throws -> ControlAnswer {
    guard underWay.withLock({ $0.insert(request).inserted }) else {
      throw ProblemDocument(
        .keyInUse, detail: "A request with this Idempotency-Key is being carried out: ask again later")
    }
    defer { underWay.withLock { _ = $0.remove(request) } }
    switch try await memory.begin(request, fingerprint: fingerprint) {
    case .none: break
    case .answered(let answer): return ControlAnswer(repeating: answer)
    case .another:
      throw ProblemDocument(
        .keyReused, detail: "This Idempotency-Key was used for another request: each request needs a key of its own")
    case .open:
      throw ProblemDocument(
        .outcomeUnknown,
        detail:
          "The request with this Idempotency-Key was cut short, or its answer was not kept, so it may have acted. Look at what is "
          + "to be changed, and send what is left to do with another key")
    }
    let answer = try await act()
    switch answer.problem {
    case .internal?, .stopping?: break  // it is not known what was done
    case let code? where code.hasChangedNothing: await keep { try await memory.forget(request) }
    default:
      guard answer.body.count <= Self.longestAnswer else { break }
      await keep { try await memory.end(request, RequestAnswer(status: answer.status.code, body: answer.body)) }
    }
    return answer
  }

  /// Changes the record of a request. The caller gets the answer even if that fails: a key without an answer never acts again.
  private func keep(_ change: () async throws -> Void) async {
    do {
      try await change()
    } catch {
      report("the answer to a request with an Idempotency-Key cannot be kept: \(error)")
    }
  }

  /// Returns a hash of what a request asks for, by which a repeated request is recognized.
  static func fingerprint(_ head: HTTPRequest, _ body: [UInt8]) -> String {
    GroupDigest.hash([
      head.method.rawValue, head.path, head.headerFields[.onBehalfOf], head.headerFields[.onBehalfRole],
      String(decoding: body, as: UTF8.self),
    ])
  }
}

extension HTTPField.Name {
  /// The header with which a caller names a request. The name is well formed, so the initializer succeeds.
  static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .from
  /// The header that marks an answer as that to an earlier request.
  static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed") ?? .from
}
