import ChildProcesses
import Foundation
import Settings
import Testing

@testable import Harness

/// The JSON Schemas, read by check-jsonschema: they are schemas, and they say of configurations what Waybill says.
@Suite(.slot, .needs(.publicReaders))
struct SchemaCheckTests {
  @Test func schemasAreValid() async throws {
    let folder = Products.source("share/schemas")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }
    #expect(files.count >= 5)
    #expect(try await PublicReaders.faults(ofSchemas: files) == [:])
  }

  @Test func shippedFilesFitSchemas() async throws {
    let samples = ["etc/waybill.toml", "etc/waybill-all.toml"].map(Products.source)
    #expect(try await PublicReaders.faults("waybill.toml", samples) == [:])
    #expect(try await PublicReaders.faults("fleet.toml", [Products.source("etc/fleet.toml")]) == [:])
  }

  /// Returns whether Waybill takes a file. The keys that it names are not there.
  private func isTaken(_ file: String) -> Bool {
    (try? Configuration.load(path: file, environment: [:], readingCredentials: false)) != nil
  }

  /// Each line that the shipped file has as a comment, uncommented by itself: what Waybill says of it is what the schema says.
  @Test func shippedExamplesVerdictsAgree() async throws {
    let folder = try TemporaryFolder()
    let lines = try String(contentsOfFile: Products.source("etc/waybill-all.toml"), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let webhook = try #require(lines.firstIndex(of: "#[webhook.main]"))
    var files: [String] = []
    for (number, line) in lines.enumerated() where line.wholeMatch(of: #/#[a-z_]+ = .*/#) != nil {
      var text = lines
      // A section of its own that begins with a comment comes with what it needs.
      let isWebhook = number > webhook
      if isWebhook { text[webhook] = "[webhook.main]\nurl = \"https://ops.example.com/waybill\"" }
      text[number] = isWebhook && line.hasPrefix("#url =") ? "" : String(line.dropFirst())
      files.append(try folder.write("\(number).toml", text.joined(separator: "\n")))
    }
    let faults = try await PublicReaders.faults("waybill.toml", files)
    for file in files {
      #expect(isTaken(file) == (faults[file] == nil), "line \(file): \(faults[file] ?? "it fits")")
    }
    #expect(faults.count < files.count / 2 && files.count > 20)
  }
}
