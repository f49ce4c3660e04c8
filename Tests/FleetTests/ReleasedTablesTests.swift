import ChildProcesses
import Testing

@testable import Fleet

struct ReleasedTablesTests {
  /// The statements of a released version stay as they are: databases have them. A later version adds statements of its own.
  @Test func releasedTablesStay() throws {
    try Promised.expect("tables of the fleet", is: Self.statements)
  }

  private static var statements: [String] {
    FleetSchema.first.replacing(/--[^\n]*/, with: "").replacing(/\s+/, with: " ").split(separator: "; ").map(
      String.init)
  }
}
