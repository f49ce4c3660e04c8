/// What a request is for. Faults and counts go by it.
enum RequestKind: String, Sendable, CaseIterable {
  /// PUT of an object.
  case upload
  /// HEAD of an object.
  case head
  /// GET of an object.
  case get
  /// DELETE of an object.
  case delete
  /// POST that begins an upload in parts.
  case create
  /// PUT of a part.
  case part
  /// GET of the parts of an upload.
  case parts
  /// POST that makes an object of parts.
  case complete
  /// DELETE of an upload.
  case abort
  /// GET of the uploads of the bucket.
  case uploads
  /// HEAD or GET of the bucket.
  case bucket
  /// A call of `/register`.
  case register
  /// Anything else; no fault can be set for it.
  case other
}

/// The faults in force, by kind of request.
struct FaultPlan: Sendable, Equatable {
  private(set) var faults: [RequestKind: Fault] = [:]

  /// Takes what the next request of a kind meets; a fault that is used up goes.
  mutating func take(_ kind: RequestKind) -> Effect {
    guard var fault = faults[kind] else { return Effect() }
    let effect = fault.next()
    faults[kind] = fault.isSpent ? nil : fault
    return effect
  }

  /// Puts a fault in force in place of the one there was; nil takes it away.
  mutating func set(_ fault: Fault?, for kind: RequestKind) { faults[kind] = fault }

  /// Changes what is in force for a kind.
  mutating func update(_ kind: RequestKind, _ change: (inout Fault) throws -> Void) rethrows {
    var fault = faults[kind] ?? Fault()
    try change(&fault)
    faults[kind] = fault
  }

  /// Everything behaves again.
  mutating func clear() { faults = [:] }

  /// The faults as JSON has them.
  var byName: [String: Fault] {
    Dictionary(uniqueKeysWithValues: faults.map { ($0.key.rawValue, $0.value) })
  }

  /// The kind that a name in JSON or on the command line means.
  static func kind(named name: some StringProtocol) throws(FaultError) -> RequestKind {
    if let kind = RequestKind(rawValue: String(name)), kind != .other { return kind }
    let known = RequestKind.allCases.filter { $0 != .other }.map(\.rawValue).joined(separator: ", ")
    throw FaultError("there is no kind of request \"\(name)\"; the kinds are \(known)")
  }
}
