import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `llms.txt` names every page once, in order, as `scripts/llms` has it (`make lint`), and that finds what is wrong.
@Suite(.slot)
struct LlmsTests {
  /// A copy of what the script looks at.
  private func copy() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try await Command.require([
      "sh", "-c",
      """
      cd "$1" && mkdir "$2/scripts" && cp scripts/llms "$2/scripts/" && cp -r docs man *.md llms.txt LICENSE etc share "$2/"
      """, "_", Products.source(""), folder.path,
    ])
    return folder
  }

  @Test func shippedFileIsRight() async throws {
    let result = try await Command.run([Products.source("scripts/llms")])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
  }

  @Test(arguments: [
    ("echo '# New' > docs/new.md", "does not name docs/new.md"),
    ("echo '.Dd' > man/waybill-new.1", "does not name man/waybill-new.1"),
    ("rm docs/windows.md", "names what is not there: docs/windows.md"),
    (#"line=$(grep -m 1 'docs/spool.md' llms.txt) && echo "$line" >> llms.txt"#, "names twice: docs/spool.md"),
    ("echo 'Some words.' >> llms.txt", "not a heading, and not a link"),
    (
      #"sed -i '/docs.migrate.rclone.md/{h;d};/docs.migrate.tusd.md/G' llms.txt"#,
      "in another order than docs/migrate/README.md"
    ),
  ])
  func findsWhatIsWrong(change: String, finding: String) async throws {
    let folder = try await copy()
    defer { folder.remove() }
    #expect(try await Command.run([folder.file("scripts/llms")]).status == 0)
    try await Command.require(["sh", "-ec", "cd \"$1\" && \(change)", "_", folder.path])
    let result = try await Command.run([folder.file("scripts/llms")])
    #expect(result.status == 1 && result.errors.contains(finding), "\(result)")
  }
}
