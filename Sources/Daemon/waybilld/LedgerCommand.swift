import ArgumentParser
import Daemon
import Linux

/// `waybilld ledger`: it needs no daemon, and a running daemon does not disturb it.
struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Check, back up or restore the ledger, the record of all jobs.",
    discussion: """
      Works on the ledger's files, as root or as the daemon's user, e.g. sudo -u waybill waybilld ledger check. The \
      daemon may run during check and backup; stop it before restore.
      """,
    subcommands: [Check.self, Backup.self, Restore.self])

  struct Options: ParsableArguments {
    /// `--config` is the program's own option, at any position.
    @ParentCommand var program: WaybilldCommand

    func run(_ task: LedgerMaintenance.Task) throws {
      let exit = LedgerMaintenance.run(task, configuration: program.config, say: { print($0) }) { line in
        var output = StandardError()
        output.write("waybilld: \(line)\n")
      }
      try StandardOutput().flush()
      throw ExitCode(exit.rawValue)
    }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check the ledger.",
      discussion: """
        Reads every page and row. A line that begins with ! is an error; the exit status is then 1. The daemon itself \
        compares jobs with files when it starts: a job without its file asks, and a file without a job gets one.
        """)
    @OptionGroup var options: Options
    func run() throws { try options.run(.check) }
  }

  struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy the ledger, as it is now, to a new file.",
      discussion: """
        The file must not exist. The copy is complete and on disk when the command ends, with mode 0600.
        """)
    @OptionGroup var options: Options
    @Argument(help: "The file to create.", completion: .file()) var file: String
    func run() throws { try options.run(.backup(to: file)) }
  }

  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace the ledger with a backup. The old ledger is kept.",
      discussion: """
        Stop the daemon first: systemctl stop waybill.socket waybill.service. The backup is checked first; a backup \
        of a newer version is refused. The old ledger stays in the same directory, with .replaced- and the date \
        added to its name.

        If the backup has jobs that would continue, the daemon claims and sends nothing until waybill resume \
        --recovered: answers given since the backup are unknown. Check the jobs first, and cancel those that must \
        not be sent. As far as the old ledger can be read, jobs that it shows as stopped or with a question stay \
        stopped, and its job numbers are not used again. An earlier cancel deletes no object, unless the old ledger \
        confirms it.

        Claimed files that the backup does not know become jobs under their ids. Jobs that were registered since the \
        backup are registered again, with the same id and Idempotency-Key. If such a job needs a file that is gone, \
        it asks a question; cancel it.
        """)
    @OptionGroup var options: Options
    @Argument(help: "The backup.", completion: .file()) var file: String
    func run() throws { try options.run(.restore(file)) }
  }
}
