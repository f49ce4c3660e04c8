import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The calls by which a test inspects the sandbox and sets faults while it runs. They are not signed: the sandbox is loopback
/// only.
struct AdminSide: Sendable {
  private struct Contents: Encodable {
    struct Objects: Encodable { var count: Int }
    var counts: Observations.Counts
    var objects: Objects
    var registrations: RegistrationLines.Counts
    var faults: [String: Fault]
    var recorded: [Observations.Recorded]
    var uploads: [OpenUpload]

    enum CodingKeys: CodingKey { case objects, registrations, faults, recorded, uploads }

    func encode(to encoder: any Encoder) throws {
      try counts.encode(to: encoder)
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(objects, forKey: .objects)
      try values.encode(registrations, forKey: .registrations)
      try values.encode(faults, forKey: .faults)
      try values.encode(recorded, forKey: .recorded)
      try values.encode(uploads, forKey: .uploads)
    }
  }

  private struct Count: Encodable {
    var kind: String
    var count: Int
  }

  /// The seconds that a wait takes at most, unless it is told otherwise.
  private static let wait = 20.0
  /// The most seconds that it can be told.
  private static let longestWait = 60.0

  let observations: Observations
  let folder: ObjectFolder
  let uploads: UploadFolder
  let lines: RegistrationLines

  func respond(to request: Request) async -> Response {
    do {
      switch (request.method, request.uri.path) {
      case (.get, "/_admin/state"): return try await state()
      case (.get, "/_admin/wait"): return try await wait(request)
      case (.get, "/_admin/objects"): return JSONAnswer.response(.ok, try await folder.records())
      case (.get, "/_admin/faults"): break
      case (.delete, "/_admin/faults"): await observations.change { $0.clear() }
      case (.put, "/_admin/faults"): try await set(request)
      default: return BackendSide.problem(404, "there is no \(request.method) \(request.uri.path)")
      }
      return JSONAnswer.response(.ok, await observations.faults.byName)
    } catch let error as FaultError {
      return BackendSide.problem(400, error.description)
    } catch let error as DecodingError {
      return BackendSide.problem(400, "the faults cannot be read: \(error)")
    } catch {
      return BackendSide.problem(500, "\(error)")
    }
  }

  /// Sets the faults of the named kinds; null removes one. The other kinds keep theirs.
  private func set(_ request: Request) async throws {
    let body = try await request.body.collect(upTo: 1 << 20)
    let named = try JSONDecoder().decode([String: GivenFault?].self, from: Data(body.readableBytesView))
    var faults: [RequestKind: Fault?] = [:]
    for (name, fault) in named { faults[try FaultPlan.kind(named: name)] = .some(fault?.fault) }
    await observations.change { [faults] plan in
      for (kind, fault) in faults { plan.set(fault, for: kind) }
    }
  }

  /// Answers once so many requests of a kind have come, or with fewer once the time has passed.
  private func wait(_ request: Request) async throws -> Response {
    let terms = request.uri.queryParameters
    let kind = try FaultPlan.kind(named: terms["kind"] ?? "")
    guard let count = Int(terms["count"] ?? "1"), count >= 0 else { throw FaultError("count has to be a number") }
    guard let seconds = Double(terms["seconds"] ?? "\(Self.wait)"), (0...Self.longestWait).contains(seconds) else {
      throw FaultError("seconds has to be a number from 0 to \(Int(Self.longestWait))")
    }
    let come = await observations.wait(for: kind, count: count, within: .seconds(seconds))
    return JSONAnswer.response(.ok, Count(kind: kind.rawValue, count: come))
  }

  private func state() async throws -> Response {
    let state = Contents(
      counts: await observations.counts, objects: .init(count: folder.count),
      registrations: lines.counts, faults: await observations.faults.byName,
      recorded: await observations.recorded, uploads: try await uploads.all())
    return JSONAnswer.response(.ok, state)
  }
}
