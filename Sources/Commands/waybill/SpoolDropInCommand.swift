import ArgumentParser
import CommandParts

/// `waybill spool-dropin`
struct SpoolDropInCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spool-dropin", abstract: "Let the service use a directory outside of /var/spool/waybill.",
    discussion: """
      The systemd units let the daemon write only to its state directory and to /var/spool/waybill. This command \
      writes a drop-in file below /etc/systemd/system that allows one more directory, for a spool or an archive. It \
      takes effect after systemctl daemon-reload and a restart of the service. A drop-in that somebody has edited is \
      not replaced. No daemon needs to run.
      """)

  @Argument(help: ArgumentHelp("The directory, as an absolute path.", valueName: "directory"), completion: .directory)
  var path: String
  @Option(
    help: ArgumentHelp("The service that uses the directory, such as waybill@second.service.", valueName: "service"))
  var unit = "waybill.service"
  @Flag(name: .customLong("print"), help: "Write the drop-in to standard output instead.") var prints = false

  func validate() throws {
    guard path.hasPrefix("/"), path.count > 1, !path.contains("//"), !path.hasSuffix("/") else {
      throw ValidationError("\(path) is not an absolute path: begin it with /, without // in it or / at its end.")
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
    let (file, isNew) = try dropIn.write(for: unit)
    let words = isNew ? "is written" : "is there already"
    Output.line("\(file) \(words); now run: systemctl daemon-reload && systemctl restart \(unit)")
  }
}
