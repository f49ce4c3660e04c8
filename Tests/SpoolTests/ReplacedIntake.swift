import Jobs
import Spool

/// What most tests do not look at: no id is taken.
extension SpoolIntake {
  func isFree(_ id: JobID) async -> Bool { true }
  func reportEnd(of cause: SpoolProblem.Cause, _ code: Int32?) {}
  func begin(_ source: KeptSource) async throws -> String { "" }
  func standing(of files: [KeptFile]) async throws -> [KeptStanding] { files.map { _ in .new } }
  func scannedAll() async throws {}
  func withoutJob(_ ids: [JobID]) async throws -> [JobID] { [] }
  func asking(for sidecars: Set<FileName>) async throws -> [ClaimReference] { [] }
}

/// Another intake, of which a test replaces some calls.
struct ReplacedIntake: SpoolIntake {
  private let base: Collector
  var roomAnswer: (@Sendable () async -> Int)?
  var admission: (@Sendable ([Claim]) async throws -> Void)?
  var whenWatched: (@Sendable () -> Void)?
  var jobless: (@Sendable ([JobID]) async throws -> [JobID])?
  /// The claim that asks for its sidecar.
  var asker: (@Sendable () -> ClaimReference?)?
  var list: SentList?

  init(_ base: Collector) { self.base = base }

  func room() async -> Int {
    if let roomAnswer { return await roomAnswer() }
    return await base.room()
  }

  func stopWaiting() { base.stopWaiting() }

  func admit(_ claims: [Claim]) async throws {
    if let admission { try await admission(claims) } else { try await base.admit(claims) }
    list?.add(claims.compactMap(\.kept))
  }

  func adoptAll(_ claims: Batches<ClaimListing>) async throws { try await base.adoptAll(claims) }

  func adopt(_ claims: [Claim]) async throws { try await base.adopt(claims) }

  func isWatched() { whenWatched?() ?? base.isWatched() }

  func report(_ problem: SpoolProblem) { base.report(problem) }

  func withoutJob(_ ids: [JobID]) async throws -> [JobID] { try await jobless?(ids) ?? [] }

  func asking(for sidecars: Set<FileName>) async throws -> [ClaimReference] {
    guard let asker = asker?(), sidecars.contains(FileName(asker.name.text + ".json")) else { return [] }
    return [asker]
  }

  func begin(_ source: KeptSource) async throws -> String { list?.begin(source) ?? "" }

  func standing(of files: [KeptFile]) async throws -> [KeptStanding] {
    await list?.standing(of: files) ?? files.map { _ in .new }
  }

  func scannedAll() async throws { list?.scannedAll() }
}
