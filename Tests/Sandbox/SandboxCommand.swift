import ArgumentParser

@main
struct SandboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waybill-sandbox",
    abstract:
      "An S3 endpoint and an HTTP backend on the loopback, for trying Waybill and for tests. Not for real files.",
    subcommands: [ServeCommand.self, DemoCommand.self, FaultsCommand.self], defaultSubcommand: ServeCommand.self)
}
