import Foundation
public import Testing

/// The trait of a test or a suite that needs more than a build: see ``Capability``.
///
/// Where something is missing, the test is not run, and says what and why. With `CI=true` it fails instead, as nobody would see that tests
/// are not run any more. `WAYBILL_TEST_WITHOUT` names kinds (``Capability/Kind``) that a run is meant to be without: `right program` for
/// `make test`. What lies in the nature of the builds or the machine is never a failure.
public struct NeedsTrait: SuiteTrait, TestTrait {
  let needs: [Capability]

  /// Each test of a suite says by itself what it needs.
  public var isRecursive: Bool { true }

  /// Tries what is needed, and has the test left out or fail where it is missing.
  public func prepare(for test: Test) async throws {
    for need in needs {
      guard let reason = await need.missing else { continue }
      let words = "needs \(need.rawValue): \(reason)"
      if Self.isFailure(need.kind, ProcessInfo.processInfo.environment) { throw Missing(words) }
      let skip = ConditionTrait.disabled(Comment(rawValue: words), sourceLocation: test.sourceLocation)
      try await skip.prepare(for: test)
    }
  }

  /// Whether something of a kind that is missing fails the test.
  static func isFailure(_ kind: Capability.Kind, _ environment: [String: String]) -> Bool {
    guard environment["CI"] == "true", kind != .nature else { return false }
    return environment["WAYBILL_TEST_WITHOUT"]?.split(separator: " ").contains { $0 == kind.rawValue } != true
  }
}

extension Trait where Self == NeedsTrait {
  /// What the machine has to have for this, each of it.
  public static func needs(_ needs: Capability...) -> Self { Self(needs: needs) }
}
