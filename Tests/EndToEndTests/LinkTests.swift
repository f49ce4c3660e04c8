import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `link = { presigned = … }`: the backend gets URLs that it can fetch objects with.
@Suite(.slot)
struct LinkTests {
  private static func fetch(_ url: String) async throws -> Command {
    try await Command.run(["curl", "-q", "-sS", "--fail", "--noproxy", "*", url])
  }

  @Test func presignedLinkWorksAndStaysSame() async throws {
    let lines = ["link = { presigned = \"7d\" }"]
    try await withRig(
      faults: ["register": ["statuses": [500, 201]]], { ($0.spoolLines, $0.delays) = (lines, ["50ms"]) }
    ) { rig in
      try await rig.drop("a b.txt", until: "registered")
      let link = try #require(try rig.sandbox.registrations().first?.body.link.string)
      #expect(link.contains("X-Amz-Expires=604800"))
      let fetched = try await Self.fetch(link)
      #expect(fetched.status == 0 && !fetched.output.isEmpty, "\(fetched)")
      #expect(try await rig.daemon.job(1).link.string == link)
    }
  }
}
