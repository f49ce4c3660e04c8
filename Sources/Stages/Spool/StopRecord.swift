import Jobs
import Messages

/// The end of a job as it stands beside its file in a shared spool (`.waybill/ID.stopped`).
struct StopRecord: Hashable, Sendable, Codable {
  private struct Cause: Hashable, Codable {
    let kind: Failure.Kind
    let words: String
    let message: Message?
    let status: Int?
    let code: String?
  }

  private let state: Inheritance.Stop.Kind
  private let remove: Bool
  private let reason: String?
  private let uid: UInt32?
  private let user: String?
  private let failure: Cause?

  init(_ stop: Inheritance.Stop) {
    state = stop.kind
    remove = stop.remove
    reason = stop.reason
    uid = stop.by?.uid
    user = stop.by?.user
    failure = stop.failure.map {
      Cause(kind: $0.kind, words: $0.words, message: $0.message, status: $0.status, code: $0.code)
    }
  }

  var stop: Inheritance.Stop {
    Inheritance.Stop(
      state, remove: remove, reason: reason, by: uid.map { Caller(uid: $0, user: user ?? "\($0)") },
      failure: failure.map { Failure($0.kind, $0.message ?? .text($0.words), status: $0.status, code: $0.code) })
  }
}
