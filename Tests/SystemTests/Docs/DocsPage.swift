import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A page of the manual, as far as there is something in it to run.
///
/// A block of ```` ```console ```` has commands behind the prompts `#` (root) and `$` (a user who operates and drops), and below
/// each what it is to say, where `…` stands for any text. One of ```` ```sh ```` is a script of that user's. Comments right above a
/// block tell the test about it; readers do not see them:
///
///     <!-- not run: REASON -->        why it is not, with `Suite.test` where a test of its own runs it
///     <!-- given: 42 STATE -->        before each command there is a job in that state, for which 42 stands
///     <!-- file: PATH -->             the block is that file, and is written where it stands
struct DocsPage: Sendable, CustomTestStringConvertible {
  enum Marker: Sendable, Equatable {
    case notRun(reason: String)
    case given(number: String, state: String)
    case file(path: String)
  }

  struct Block: Sendable {
    let language: String
    let lines: [Substring]
    let line: Int
    let markers: [Marker]

    var text: String { lines.map { $0 + "\n" }.joined() }

    var reasonNotToRun: String? {
      markers.lazy.compactMap { if case .notRun(let reason) = $0 { reason } else { nil } }.first
    }

    var file: String? { markers.lazy.compactMap { if case .file(let path) = $0 { path } else { nil } }.first }

    var given: (number: String, state: String)? {
      markers.lazy.compactMap { if case .given(let number, let state) = $0 { (number, state) } else { nil } }.first
    }

    var isTyped: Bool { language == "console" || language == "sh" }
  }

  let path: String
  let text: String
  let blocks: [Block]
  let headings: [Int]

  var testDescription: String { path }

  static func all() throws -> [Self] {
    try (["README.md", "README.zh-CN.md", "SECURITY.md", "CONTRIBUTING.md"] + pages(in: "docs")).map { try Self($0) }
  }

  /// The pages for those who work on the code. Nothing in them is typed.
  static func internals() throws -> [Self] {
    try (["ARCHITECTURE.md"] + pages(in: "docs/internals")).map { try Self($0) }
  }

  private static func pages(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Products.source(folder))
      .filter { $0.hasSuffix(".md") }.sorted().map { folder + "/" + $0 }
  }

  /// A block or a comment for the test that is not as it has to be is an error, so that none is left out unseen.
  init(_ path: String) throws {
    self.path = path
    text = try String(contentsOfFile: Products.source(path), encoding: .utf8)
    var blocks: [Block] = []
    var headings: [Int] = []
    var markers: [Marker] = []
    var open: (language: String, line: Int, lines: [Substring])?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let begun = open {
        guard line == "```" else {
          open?.lines.append(line)
          continue
        }
        blocks.append(Block(language: begun.language, lines: begun.lines, line: begun.line, markers: markers))
        markers = []
        open = nil
      } else if line.hasPrefix("```") {
        open = (String(line.dropFirst(3)), index + 1, [])
      } else if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("```") || line.hasPrefix("~~~") {
        throw Missing("\(path):\(index + 1): a block begins with ``` at the left")
      } else if line.wholeMatch(of: /<!-- (scripts\/\S+ writes from|to) here -->/) != nil {
        continue  // around what a script writes
      } else if line.hasPrefix("<!--") {
        markers.append(try Self.marker(line, at: "\(path):\(index + 1)"))
      } else {
        guard markers.isEmpty else { throw Missing("\(path):\(index + 1): the comment above is about no block") }
        if line.hasPrefix("#") { headings.append(line.prefix { $0 == "#" }.count) }
      }
    }
    guard open == nil, markers.isEmpty else { throw Missing("\(path): its last block does not end") }
    self.blocks = blocks
    self.headings = headings
  }

  private static func marker(_ line: Substring, at place: String) throws -> Marker {
    if let reason = line.wholeMatch(of: /<!-- not run: (.*) -->/)?.1 { return .notRun(reason: String(reason)) }
    if let file = line.wholeMatch(of: /<!-- file: (\/\S+) -->/)?.1 { return .file(path: String(file)) }
    if let given = line.wholeMatch(of: /<!-- given: (\d+) ([a-z-]+) -->/) {
      return .given(number: String(given.1), state: String(given.2))
    }
    throw Missing("\(place): not a comment that the test knows: \(line)")
  }
}

/// A command of a page, as somebody types it.
struct DocsCommand: Sendable {
  let asRoot: Bool
  var text: String
  var promised: [String]

  static func of(_ block: DocsPage.Block, at place: String) throws -> [Self] {
    guard block.language == "console" else { return [Self(asRoot: false, text: block.text, promised: [])] }
    var commands: [Self] = []
    var goesOn = false
    for line in block.lines {
      if goesOn, !commands.isEmpty {
        commands[commands.count - 1].text += "\n" + line
      } else if line.hasPrefix("# ") || line.hasPrefix("$ ") {
        commands.append(Self(asRoot: line.hasPrefix("#"), text: String(line.dropFirst(2)), promised: []))
      } else {
        guard !commands.isEmpty else { throw Missing("\(place): no prompt: \(line)") }
        if !line.isEmpty { commands[commands.count - 1].promised.append(String(line)) }
        continue
      }
      goesOn = line.hasSuffix("\\")
    }
    return commands
  }

  func isKept(by output: String) -> Bool {
    var lines = output.replacing("\r", with: "").split(separator: "\n")[...]
    for promise in promised {
      let parts = promise.components(separatedBy: "…")
      guard let place = lines.firstIndex(where: { Self.has($0, parts) }) else { return false }
      lines = lines[(place + 1)...]
    }
    return true
  }

  private static func has(_ line: Substring, _ parts: [String]) -> Bool {
    var rest = line
    for part in parts where !part.isEmpty {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
