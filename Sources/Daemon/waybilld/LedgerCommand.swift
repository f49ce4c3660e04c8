import ArgumentParser
import Daemon
import Linux

#if canImport(Glibc)
  import Glibc
#endif

/// `waybilld ledger`: it needs no daemon, and a running daemon does not disturb it.
struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Check, back up or restore the ledger, the record of all jobs.",
    discussion: """
      Works on the ledger's files; the configuration says where they are. Run it as root or as the daemon's user, \
      e.g. sudo -u waybill waybilld ledger check. For check and backup the daemon may run; for restore it must be \
      stopped.
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
      throw ExitCode(exit.rawValue)
    }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check the ledger, and whether it matches the files in the spools.",
      discussion: """
        Reads every page and every row. Checks that each unfinished job has its file in its spool's .waybill, and \
        that each file there has a job. If a daemon is running, a mismatch is checked again for some seconds before \
        it is reported. A line that begins with ! is a fault; the exit status is then 1. A line that begins with ? \
        is advice.
        """)
    @OptionGroup var options: Options
    func run() throws { try options.run(.check) }
  }

  struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy the ledger, as it is now, to a new file.",
      discussion: """
        The file must not exist yet. The copy is complete, and on disk when the command ends. It has mode 0600.
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

        If the backup has jobs that would go on by themselves, the daemon claims and sends nothing at the next start, \
        because the backup does not know the answers given since. The status command says so first, until waybill \
        resume --recovered. Jobs that the old ledger shows as aborted, cancelled, discarded or with a question stay \
        stopped, as far as the old ledger can be read. Look at the other jobs first, and cancel those that must not \
        be sent. No object is deleted because of an earlier cancel, unless the old ledger too shows the job as \
        cancelled or discarded.

        Files in .waybill that the backup does not know become jobs under the ids that they carry. Jobs that were \
        registered since the backup are registered once more, with the same id and Idempotency-Key, so that the \
        backend can recognize them. If such a job needs its file, which is gone, it asks a question; it can be \
        cancelled. Job numbers given out since are not used again, as far as the old ledger can be read.
        """)
    @OptionGroup var options: Options
    @Argument(help: "The backup.", completion: .file()) var file: String
    func run() throws { try options.run(.restore(file)) }
  }
}
