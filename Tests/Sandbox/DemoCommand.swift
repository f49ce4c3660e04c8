import ArgumentParser
import FoundationEssentials
import Linux
import SystemPackage

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Watch Waybill upload and register files.",
    discussion: """
      Starts a storage, a backend and a waybilld as you, in one folder, and drops files: four are registered, and \
      one becomes a question, which you answer in another terminal. It needs the package waybill, but not root. \
      Ctrl-C ends everything.
      """)

  @Flag(help: "Answer for you, and exit with 0 only if everything worked.") var once = false

  @Option(help: ArgumentHelp("The folder for all files; created.", valueName: "dir"))
  var folder = "waybill-demo"

  func run() throws {
    do throws(FileError) {
      let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
      let bin = own[..<(own.lastIndex(of: "/") ?? own.startIndex)]
      let script = bin[..<(bin.lastIndex(of: "/") ?? bin.startIndex)] + "/share/waybill-sandbox/demo"
      try replaceProgram(
        path: String(script), arguments: ["--programs", String(bin), "--folder", folder] + (once ? ["--once"] : []))
    } catch {
      let advice = error.code == "ENOENT" ? ": the demo is not installed beside this program" : ""
      // Ignored: without standard error there is nobody to read the words.
      _ = try? SystemPackage.FileDescriptor.standardError.writeAll(
        Array("waybill-sandbox: \(error.words)\(advice)\n".utf8))
      throw ExitCode(69)
    }
  }
}
