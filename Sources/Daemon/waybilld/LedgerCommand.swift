import ArgumentParser
import Daemon
import Linux

#if canImport(Glibc)
  import Glibc
#endif

/// `waybilld ledger`, which `waybill ledger` runs: it needs no daemon, and a running daemon does not disturb it.
struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Check, back up or restore the ledger: see waybill(1).",
    subcommands: [Check.self, Backup.self, Restore.self])

  struct Options: ParsableArguments {
    /// `--config` is the program's own option, at any position.
    @ParentCommand var program: WaybilldCommand

    func run(_ task: LedgerMaintenance.Task) throws {
      let exit = LedgerMaintenance.run(task, configuration: program.config, say: { print($0) }) { line in
        var output = StandardError()
        output.write("waybill: \(line)\n")
      }
      throw ExitCode(exit.rawValue)
    }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Check the ledger.")
    @OptionGroup var options: Options
    func run() throws { try options.run(.check) }
  }

  struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Copy the ledger to a file.")
    @OptionGroup var options: Options
    @Argument var file: String
    func run() throws { try options.run(.backup(to: file)) }
  }

  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Replace the ledger with a backup.")
    @OptionGroup var options: Options
    @Argument var file: String
    func run() throws { try options.run(.restore(file)) }
  }
}
