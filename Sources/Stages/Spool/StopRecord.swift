import Jobs
import Messages

/// The end of a job, as it is recorded beside its file in a shared spool (`.waybill/ID.stopped`).
struct StopRecord: Hashable, Sendable, Codable {
  private struct Cause: Hashable, Codable {
    let kind: Failure.Kind
    /// The reason in the form of ``Message/stored``: a version that does not know the message's code still has its text.
    let reason: String
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
      Cause(kind: $0.kind, reason: $0.message.stored, status: $0.status, code: $0.code)
    }
  }

  var stop: Inheritance.Stop {
    Inheritance.Stop(
      state, remove: remove, reason: reason, by: uid.map { Caller(uid: $0, user: user ?? "\($0)") },
      failure: failure.map { Failure($0.kind, Message(stored: $0.reason), status: $0.status, code: $0.code) })
  }
}
