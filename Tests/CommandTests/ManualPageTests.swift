import ChildProcesses
import Foundation
import Testing

/// The manual pages against the programs, and against those who print them.
@Suite(.slot) struct ManualPageTests {
  private static let folder = Products.source("man")

  private static func pages() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(/\.[1-8]$/) }.sorted()
  }

  @Test func pagesMatchProgramHelp() async throws {
    let check = try await Command.run([
      try await Products.python.value, Products.source("scripts/man-page"), "--check", Products.folder.path,
    ])
    #expect(check.status == 0, "run scripts/man-page \(Products.folder.path)\n\(check.output)\(check.errors)")
  }

  @Test(.needs(.manualFormatters)) func pagesPassMandocAndGroff() async throws {
    let pages = try Self.pages()
    #expect(pages.count >= 7)
    for page in pages {
      let path = Self.folder + "/" + page
      let mandoc = try await Command.run(["mandoc", "-T", "lint", "-W", "warning", path])
      #expect(mandoc.status == 0 && mandoc.output.isEmpty, "\(mandoc.output)\(mandoc.errors)")
      let groff = try await Command.run(["groff", "-mdoc", "-ww", "-z", "-K", "utf8", "-T", "utf8", path])
      #expect(groff.status == 0 && groff.errors.isEmpty, "\(page): \(groff.errors)")
    }
  }

  @Test func crossReferencesResolve() throws {
    let pages = try Self.pages()
    for page in pages {
      let text = try String(contentsOfFile: Self.folder + "/" + page, encoding: .utf8)
      for reference in text.matches(of: /(?m)^\.Xr (waybill\S*) ([1-8])/) {
        #expect(pages.contains("\(reference.1).\(reference.2)"), "\(page) names \(reference.1)(\(reference.2))")
      }
    }
  }
}
