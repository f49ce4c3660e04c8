public import Jobs
import Messages

/// The body of `pause` and `resume`: `{}` for all jobs, or `{"destination":"storage.main"}` with the name of a target. Older
/// forms are one of `spool`, `storage`, `backend` with a name, and `{"intake":true}`. An empty body is an error, so that all jobs
/// are meant only on purpose.
public struct PauseBody: Hashable, Sendable {
  /// The target to pause or resume.
  public var target: Pause.Target

  /// The hosts of a fleet that are meant; empty for all.
  public var hosts: Set<String>

  /// Creates the body for a target.
  public init(_ target: Pause.Target, on hosts: Set<String> = []) { (self.target, self.hosts) = (target, hosts) }

  /// Reads a body.
  ///
  /// - Throws: ``InvalidRequest`` that names the member.
  public init(parsing bytes: [UInt8]) throws(InvalidRequest) {
    guard !bytes.isEmpty else {
      let examples = #"{"destination":"storage.NAME"}, {"destination":"intake"}, {"destination":"all"}"#
      throw InvalidRequest(.sayWhich(examples: examples))
    }
    let kinds = ["spool", "storage", "backend"]
    let members = try BodyMembers(bytes, known: ["host", "destination"] + kinds + ["intake"])
    let host: String? = try members.value("host")
    // As in a filter, where they are not about a time.
    hosts = try JobFilter.read(host.map { [("host", Array($0.utf8))] } ?? [], Timestamp(microseconds: 0)).hosts
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

  /// The body as JSON: the members that name the hosts and the target; none for all.
  package var json: [UInt8] {
    var text = JSONText()
    text.object { text in
      if !hosts.isEmpty { text.member("host", hosts.sorted().joined(separator: ",")) }
      if target != .all { text.member("destination", target.name) }
    }
    return text.bytes
  }
}
