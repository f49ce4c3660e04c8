/// The purpose of a request. Faults and counts are kept by it.
enum RequestKind: String, Sendable, CaseIterable {
  case upload
  case head
  case get
  case delete
  case create
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
  case grant
  case register
  /// Anything else; no fault can be set for it.
  case other
}

/// The faults in force, by kind of request.
struct FaultPlan: Sendable, Equatable {
  private(set) var faults: [RequestKind: Fault] = [:]

  /// Takes the effect on the next request of a kind; a fault that is used up is removed.
  mutating func nextEffect(on kind: RequestKind) -> Effect {
    guard var fault = faults[kind] else { return Effect() }
    let effect = fault.next()
    faults[kind] = fault.isSpent ? nil : fault
    return effect
  }

  /// Sets a fault instead of the present one; nil removes it.
  mutating func set(_ fault: Fault?, for kind: RequestKind) { faults[kind] = fault }

  mutating func clear() { faults = [:] }

  var byName: [String: Fault] {
    Dictionary(uniqueKeysWithValues: faults.map { ($0.key.rawValue, $0.value) })
  }

  static func kind(named name: some StringProtocol) throws(FaultError) -> RequestKind {
    if let kind = RequestKind(rawValue: String(name)), kind != .other { return kind }
    let known = RequestKind.allCases.filter { $0 != .other }.map(\.rawValue).joined(separator: ", ")
    throw FaultError("there is no kind of request \"\(name)\"; the kinds are \(known)")
  }
}
