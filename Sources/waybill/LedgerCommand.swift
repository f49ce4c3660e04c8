import ArgumentParser
import LinuxFiles

/// `waybill ledger`: the daemon's own program does it, since the ledger is its own and this one knows no SQLite.
struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Check, back up or restore the ledger, the record of all jobs.",
    discussion: """
      Works on the files, with the rights of the caller: be root, or the user of the daemon (sudo -u waybill). check and \
      backup may be run while the daemon runs; for restore it has to be stopped.
      """,
    subcommands: [Check.self, Backup.self, Restore.self])

  /// Which ledger is meant.
  struct Options: ParsableArguments {
    @Option(help: "The configuration file, which says where the ledger is.", completion: .file(extensions: ["toml"]))
    var config = "/etc/waybill/waybill.toml"

    func handOver(_ words: String...) throws(CommandFailure) -> Never {
      do throws(FileError) {
        let own = try programPath()
        let daemon = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/waybilld"
        let arguments = ["ledger", words[0], "--config", config] + words.dropFirst()
        try replaceProgram(path: String(daemon), arguments: arguments)
      } catch {
        throw CommandFailure(status: .unavailable, words: error.words)
      }
    }
  }

  /// `waybill ledger check`
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Look over the ledger, and whether it fits the files in the spools.",
      discussion: "Lines that begin with ! are faults, and the exit status is 1 then; those with ? are advice.")
    @OptionGroup var options: Options
    func run() throws { try options.handOver("check") }
  }

  /// `waybill ledger backup`
  struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy the ledger as it is at this moment to a file, which must not be there yet.")
    @OptionGroup var options: Options
    @Argument(help: "The file to make.", completion: .file()) var file: String
    func run() throws { try options.handOver("backup", "--", file) }
  }

  /// `waybill ledger restore`
  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put a backup in place of the ledger, which is kept beside it.")
    @OptionGroup var options: Options
    @Argument(help: "The backup.", completion: .file()) var file: String
    func run() throws { try options.handOver("restore", "--", file) }
  }
}
