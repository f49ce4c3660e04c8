import ControlAPI
import HTTPTypes
import Jobs
import Synchronization

/// Has a request with an `Idempotency-Key` act once, and gives the same answer to each of the same key
/// (draft-ietf-httpapi-idempotency-key-header).
///
/// A request that changed nothing and may be sent again as it is (``ProblemCode/hasChangedNothing``) leaves its key free. One
/// that was cut short keeps it: nobody can tell what it has done.
final class IdempotentRequests: Sendable {
  private let memory: any RequestMemory
  private let report: @Sendable (String) -> Void
  private let underWay = Mutex<Set<RequestKey>>([])
  /// The most bytes of an answer that is kept: that of a long list of uploads is not.
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
  /// - Throws: a ``ProblemDocument`` if the key is in use, was used for something else, or if it is not known what came of it.
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
    case .internal?, .stopping?, .file?: break  // nobody can tell what was done
    case let code? where code.hasChangedNothing: await keep { try await memory.forget(request) }
    default:
      guard answer.body.count <= Self.longestAnswer else { break }
      await keep { try await memory.end(request, RequestAnswer(status: answer.status.code, body: answer.body)) }
    }
    return answer
  }

  /// Whoever asked gets the answer, whether or not it can be remembered: a key without an answer never acts again.
  private func keep(_ change: () async throws -> Void) async {
    do {
      try await change()
    } catch {
      report("the answer to a request with an Idempotency-Key cannot be kept: \(error)")
    }
  }

  /// Returns a word that stands for what a request asks for.
  static func fingerprint(_ head: HTTPRequest, _ body: [UInt8]) -> String {
    GroupDigest.hash([
      head.method.rawValue, head.path, head.headerFields[.onBehalfOf], head.headerFields[.onBehalfRole],
      String(decoding: body, as: UTF8.self),
    ])
  }
}

extension HTTPField.Name {
  /// The header with which a caller names a request. The name is well formed, so it is one.
  static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .from
  /// Says that an answer is that to an earlier request.
  static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed") ?? .from
}
