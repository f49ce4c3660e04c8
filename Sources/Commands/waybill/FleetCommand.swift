import ArgumentParser
import Linux

/// `waybill fleet`: runs the fleet's own program, because this one does not use PostgreSQL.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Look at many hosts at once, and answer for all of them.",
    discussion: """
      Becomes waybill-fleet, which has the same words: waybill fleet status, hosts, list, show, ask, confirm, cancel, \
      retry, pause, resume, requests. See waybill-fleet(8).
      """)

  @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("The words for waybill-fleet.", valueName: "word"))
  var words: [String] = []

  func run() throws {
    do throws(FileError) {
      let own = try programPath()
      let program = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/waybill-fleet"
      try replaceProgram(path: String(program), arguments: words)
    } catch {
      let words = "waybill-fleet is not installed: apt install waybill-fleet, or dnf install waybill-fleet"
      throw CommandFailure(status: .unavailable, words: error.code == "ENOENT" ? words : error.words)
    }
  }
}
