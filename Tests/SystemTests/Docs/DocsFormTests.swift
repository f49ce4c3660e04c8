import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The form of README and the manual.
struct DocsFormTests {
  private static let languages: Set = ["console", "sh", "toml", "text", "json", "http", "ini", "python", "yaml"]

  @Test(arguments: try DocsPage.all())
  func everyBlockHasKnownLanguage(page: DocsPage) throws {
    for block in page.blocks {
      let place = "\(page.path):\(block.line)"
      #expect(Self.languages.contains(block.language), "\(place): \(block.language)")
      // Nothing that is typed hides where it would not be run.
      if !block.isTyped, block.language != "toml", block.language != "ini" {
        #expect(!block.lines.contains { $0.hasPrefix("$ ") || $0.hasPrefix("# ") }, "\(place) is typed: say console")
      }
      if block.isTyped, block.reasonNotToRun == nil {
        #expect(try !DocsCommand.of(block, at: place).isEmpty, "\(place)")
      }
    }
  }

  @Test(arguments: try DocsPage.all())
  func skippedBlocksGiveReason(page: DocsPage) throws {
    for block in page.blocks {
      guard let reason = block.reasonNotToRun else { continue }
      #expect(block.isTyped && reason.split(separator: " ").count > 3, "\(page.path):\(block.line): \(reason)")
      for test in reason.matches(of: /`([A-Za-z]+Tests)\.([A-Za-z0-9]+)`/) {
        let source = try #require(try Self.source(of: String(test.1)), "\(page.path):\(block.line): \(test.1)")
        #expect(source.contains("func \(test.2)("), "\(page.path):\(block.line): \(test.0)")
      }
    }
  }

  private static func source(of suite: String) throws -> String? {
    let files = FileManager.default.enumerator(atPath: Products.source("Tests"))
    while let file = files?.nextObject() as? String {
      if file.hasSuffix("/\(suite).swift") {
        return try String(contentsOfFile: Products.source("Tests/" + file), encoding: .utf8)
      }
    }
    return nil
  }

  @Test(arguments: try DocsPage.all() + DocsPage.internals())
  func linksResolve(page: DocsPage) throws {
    let folder = URL(filePath: Products.source(page.path)).deletingLastPathComponent()
    for link in page.text.matches(of: /\]\(([^)#\s]*)(?:#([^)]*))?\)/) where !link.1.contains("://") {
      let target = link.1.isEmpty ? URL(filePath: Products.source(page.path)) : folder.appending(path: String(link.1))
      guard let anchor = link.2, target.pathExtension == "md" else {
        #expect(FileManager.default.fileExists(atPath: target.path), "\(page.path): \(link.1)")
        continue
      }
      let anchors = try Self.anchors(of: String(contentsOf: target, encoding: .utf8))
      #expect(anchors.contains(String(anchor)), "\(page.path): \(link.1)#\(anchor)")
    }
  }

  /// The anchors of a page's headings. No page has two headings of one name.
  private static func anchors(of text: String) throws -> Set<String> {
    Set(
      text.matches(of: /(?m)^#+ (.+)$/).map { heading in
        heading.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
      })
  }

  @Test func chineseReadmeMatchesEnglish() throws {
    let (english, chinese) = (try DocsPage("README.md"), try DocsPage("README.zh-CN.md"))
    #expect(chinese.headings == english.headings)
    #expect(chinese.blocks.map(\.markers) == english.blocks.map(\.markers))
    #expect(chinese.blocks.map(\.language) == english.blocks.map(\.language))
    #expect(chinese.blocks.map(Self.withoutRemarks) == english.blocks.map(Self.withoutRemarks))
    #expect(Self.rows(chinese) == Self.rows(english), "the tables")
  }

  private static func rows(_ page: DocsPage) -> Int { page.text.split(separator: "\n").count { $0.hasPrefix("|") } }

  private static func withoutRemarks(_ block: DocsPage.Block) -> [String] {
    block.lines.map { String($0.replacing(/\s+# .*$/, with: "")) }
  }
}
