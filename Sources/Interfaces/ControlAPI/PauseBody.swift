public import Jobs
import Messages

/// The body of `pause` and `resume`: `{}` for all jobs, or `{"destination":"storage.main"}` with the name of a target. Older
/// forms are one of `spool`, `storage`, `backend` with a name, and `{"intake":true}`. An empty body is an error, so that all jobs
/// are meant only on purpose.
public struct PauseBody: Hashable, Sendable {
  /// The target to pause or resume.
  public var target: Pause.Target

  /// Creates the body for a target.
  public init(_ target: Pause.Target) { self.target = target }

  /// Reads a body.
  /// - Throws: ``InvalidRequest`` that names the member.
  public init(parsing bytes: [UInt8]) throws(InvalidRequest) {
    guard !bytes.isEmpty else {
      let examples = #"{"destination":"storage.NAME"}, {"destination":"intake"}, {"destination":"all"}"#
      throw InvalidRequest(.sayWhich(examples: examples))
    }
    let kinds = ["spool", "storage", "backend"]
    let members = try BodyMembers(bytes, known: ["destination"] + kinds + ["intake"])
    var names = [try members.value("destination") as String?].compactMap(\.self)
    for kind in kinds {
      guard let name: String = try members.value(kind) else { continue }
      guard !name.isEmpty else { throw InvalidRequest(.valueEmpty(name: kind)) }
      names.append("\(kind).\(name)")
    }
    if let intake: Bool = try members.value("intake") {
      guard intake else { throw InvalidRequest(.valueOnly(name: "intake", value: "true")) }
      names.append("intake")
    }
    guard names.count <= 1 else {
      throw InvalidRequest(.excludeEachOther(names: "destination, spool, storage, backend, intake"))
    }
    let name = names.first ?? Pause.Target.all.name
    guard let target = Pause.Target(name: name) else {
      let form = Message.formOneOf(values: "all, intake, recovered, spool.NAME, storage.NAME, backend.NAME")
      throw InvalidRequest(.valueUnfit(name: "destination", value: name, form: form))
    }
    self.target = target
  }

  /// The body as JSON: the member that names the target; none for all.
  package var json: [UInt8] {
    var text = JSONText()
    text.object { if target != .all { $0.member("destination", target.name) } }
    return text.bytes
  }
}
