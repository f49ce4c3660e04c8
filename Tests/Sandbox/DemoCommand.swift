import ArgumentParser
import Linux
import SystemPackage

/// `waybill-sandbox demo`
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "See the main job at work, on this machine alone.",
    discussion: """
      Starts a storage, a backend and a waybilld as you, all in one folder, and drops files: four are registered, and \
      one becomes a question, which you answer in another terminal. Ctrl-C ends all of it. It needs the package \
      waybill, and neither root nor a compiler. A second demo in the same folder begins anew.
      """)

  @Flag(help: "Answer for you, go on to the end, and exit with 0 only if all of it worked.") var once = false

  @Option(help: ArgumentHelp("The folder for all files of the demo. It is created.", valueName: "dir"))
  var folder = "waybill-demo"

  func run() throws {
    do throws(FileError) {
      let own = try programPath()
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
