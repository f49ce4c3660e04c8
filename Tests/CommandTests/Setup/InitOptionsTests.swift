import ArgumentParser
import CommandParts
import Credentials
import Testing

@testable import waybill

/// The questions of `waybill init`, with the answers of a person.
@Suite struct InitOptionsTests {
  /// What was asked, hidden or not, while answers were given in their order.
  private struct Dialog {
    var options: InitOptions
    var token: Secret?
    var asked: [String] = []
    var hidden: [String] = []

    init(_ answers: [String], _ options: [String] = []) throws {
      self.options = try InitOptions.parse(options)
      var left = answers
      var (asked, hidden) = ([String](), [String]())
      token = try self.options.complete { prompt, isHidden in
        asked.append(prompt)
        if isHidden { hidden.append(prompt) }
        return left.isEmpty ? nil : left.removeFirst()
      }
      (self.asked, self.hidden) = (asked, hidden)
      #expect(left.isEmpty, "not asked for: \(left)")
    }
  }

  /// In the order in which a person thinks: storage, bucket, keys, spool, backend.
  @Test func typedAnswersBecomeOptions() throws {
    let dialog = try Dialog([
      "https://s3.eu-west-3.amazonaws.com", "", "documents", "AKIA", " secret ", "/srv/scans",
      "https://api.example.com", "token",
    ])
    let options = dialog.options
    #expect(options.endpoint == "https://s3.eu-west-3.amazonaws.com" && options.region == "eu-west-3")
    let (access, secret) = (try #require(Secret(text: "AKIA")), try #require(Secret(text: "secret")))
    #expect(options.keys == .typed(access: access, secret: secret) && options.spool == "/srv/scans")
    #expect(dialog.token == Secret(text: "token") && options.missing.isEmpty)
    #expect(dialog.hidden.map { $0.prefix(6) } == ["Secret", "Token "], "\(dialog.hidden)")
    #expect(dialog.asked.allSatisfy { $0.count < 80 })
    let words = ["Storage", "Region", "Bucket", "Id of", "Secret", "Directory", "Backend", "Token"]
    #expect(dialog.asked.count == words.count && zip(dialog.asked, words).allSatisfy { $0.hasPrefix($1) })
  }

  @Test func wrongAnswersAreAskedAgain() throws {
    let dialog = try Dialog([
      "aws", "?", "http://127.0.0.1:9000", "garage", "", "docs", "i", "scans", "/srv/../x", "", "api",
      "http://127.0.0.1/", "",
    ])
    #expect(dialog.options.endpoint == "http://127.0.0.1:9000" && dialog.options.region == "garage")
    #expect(dialog.options.bucket == "docs" && dialog.options.keys == .instance)
    #expect(dialog.options.spool == SpoolSetup.usual && dialog.token == nil)
    #expect(dialog.asked.count == 13)
  }

  @Test func optionsAreNotAskedFor() throws {
    let dialog = try Dialog(
      [],
      [
        "--endpoint", "https://s3.example.com", "--region", "r", "--bucket", "b", "--keys", "instance", "--backend",
        "https://api.example.com", "--spool", "/srv/scans",
      ])
    #expect(dialog.asked.isEmpty && dialog.options.missing.isEmpty)
  }

  @Test func endOfInputChangesNothing() {
    let failure = #expect(throws: CommandFailure.self) { try Dialog(["https://s3.example.com"]) }
    #expect(failure?.words == "nothing was changed: the input has ended")
  }
}
