import ArgumentParser

/// `waybill spool`
struct SpoolCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spool", abstract: "Add spools to the configuration.", subcommands: [SpoolAddCommand.self])
}
