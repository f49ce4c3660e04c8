import ArgumentParser
import FoundationEssentials

/// `waybill spool-dropin`
struct SpoolDropInCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spool-dropin", abstract: "Let the service work in a directory outside of /var/spool/waybill.",
    discussion: """
      The units allow the daemon to write to its state and to /var/spool/waybill alone. This writes a drop-in below \
      /etc/systemd/system that allows one more directory: a spool, or an archive. It takes effect after systemctl \
      daemon-reload and a restart of the service. No daemon is needed.
      """)

  @Argument(help: ArgumentHelp("The directory, as a whole path.", valueName: "directory"), completion: .directory)
  var path: String
  @Option(
    help: ArgumentHelp("The service that is to work there, such as waybill@second.service.", valueName: "service"))
  var unit = "waybill.service"
  @Flag(name: .customLong("print"), help: "Write it to standard output instead.") var prints = false

  func validate() throws {
    guard path.hasPrefix("/"), path.count > 1, !path.contains("//"), !path.hasSuffix("/") else {
      throw ValidationError("\(path) is not a whole path: write it from /, without // in it or / at its end.")
    }
    let segments = path.split(separator: "/")
    guard !segments.contains("."), !segments.contains("..") else {
      throw ValidationError("\(path) has a . or .. in it: write the path that it leads to.")
    }
    guard UnitDropIn.canName(path) else {
      throw ValidationError("A unit cannot name a path with quotes, a backslash, a colon or a control character in it.")
    }
    guard unit.hasSuffix(".service"), !unit.contains("/") else {
      throw ValidationError("\(unit) is not the name of a service, such as waybill.service or waybill@second.service.")
    }
  }

  func run() throws {
    let dropIn = UnitDropIn(path: path)
    guard !prints else { return print(dropIn.text, terminator: "") }
    let folder = "/etc/systemd/system/\(unit).d"
    let file = "\(folder)/\(dropIn.fileName)"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(dropIn.text.utf8).write(to: URL(filePath: file), options: .atomic)
    } catch let error as CocoaError where error.code == .fileWriteNoPermission {
      throw CommandFailure(status: .notPermitted, words: "\(file) cannot be written: do it as root, or see --print")
    } catch {
      throw CommandFailure(status: ExitCode(74), words: "\(file) cannot be written: \(error)")
    }
    Output.line("\(file) is written; now: systemctl daemon-reload && systemctl restart \(unit)")
  }
}
