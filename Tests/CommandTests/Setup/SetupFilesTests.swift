import ArgumentParser
import ChildProcesses
import CommandParts
import Credentials
import Foundation
import Jobs
import Settings
import Testing

@testable import waybill

@Suite struct SetupFilesTests {
  private let place = SetupPlace(configuration: SetupPlace.usual, instance: nil)

  private func secret(_ text: String) throws -> Secret { try #require(Secret(text: text)) }

  @Test func instanceHasItsOwnKeys() throws {
    var answers = try InitOptions.parse([])
    answers.keys = .typed(access: try secret("a"), secret: try secret("b"))
    let place = SetupPlace(configuration: SetupPlace.usual, instance: "second", isSystemd: true)
    #expect(
      answers.files(at: place, token: try secret("c")).map(\.path) == [
        "/etc/waybill/keys/second-s3-access-key", "/etc/waybill/keys/second-s3-secret-key",
        "/etc/waybill/keys/second-backend-token", "/etc/waybill/second.toml",
      ])
    #expect(place.unit == "waybill@second.service")
  }

  @Test func keyWithOtherBytesStays() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("key", Array("one\n".utf8))
    func file(_ path: String, _ text: String) -> SetupFile {
      SetupFile(path: path, bytes: Array(text.utf8), remedy: "remove it")
    }
    #expect(try file(path, "one").isThere())
    #expect(try !file(folder.file("none"), "one").isThere())
    for other in ["two", "one\n\nx", "on"] {
      let failure = #expect(throws: CommandFailure.self) { try file(path, other).write() }
      #expect(failure?.words?.contains("is there with other bytes, and stays") == true)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\n")
  }

  @Test(arguments: [
    ("https://s3.dualstack.eu-west-1.amazonaws.com", "eu-west-1"), ("https://s3.example.com", "us-east-1"),
  ]) func tomlIsReadAndFits(_ endpoint: String, _ region: String) throws {
    var answers = try InitOptions.parse([
      "--endpoint", endpoint, "--bucket", "documents", "--backend", "https://api.example.com/documents",
    ])
    answers.keys = .typed(access: try secret("AKIA"), secret: try secret("hidden-secret"))
    answers.spool = #"/srv/"a\b #"#
    #expect(answers.missing.isEmpty, "\(answers.missing)")
    let file = try #require(answers.files(at: place, token: nil).last)
    let text = String(decoding: file.bytes, as: UTF8.self)
    #expect(!text.contains("hidden") && text.contains("\nregion     = \"\(region)\"\n"), "\(text)")
    let read = try place.load([:], adding: file)
    let storage = try #require(read.storages["main"])
    #expect(storage.endpoint == endpoint && storage.bucket == "documents")
    #expect(read.spools.map(\.name) == ["a-b--"] && read.spools.map(\.path) == [#"/srv/"a\b #"#])
  }

  @Test(arguments: ["instance", "files"]) func otherKeysAreRead(_ keys: String) throws {
    let folder = try TemporaryFolder()
    var answers = try InitOptions.parse([
      "--endpoint", "https://s3.example.com", "--bucket", "documents", "--backend", "https://api.example.com/documents",
    ])
    answers.keys = keys == "instance" ? .instance : .files(access: "/a", secret: "/b")
    answers.backendTokenFile = "/c"
    let place = SetupPlace(configuration: folder.file("w.toml"), instance: nil)
    let files = answers.files(at: place, token: nil)
    #expect(files.count == 1, "no secret is copied")
    let text = String(decoding: try #require(files.first).bytes, as: UTF8.self)
    #expect(text.contains(keys == "instance" ? #"access_key = { aws = "default" }"# : #"secret_key = { file = "/b" }"#))
    #expect(text.contains(#"token = { file = "/c" }"#))
    #expect(throws: Never.self) { try place.load([:], adding: files.first) }
  }
}
