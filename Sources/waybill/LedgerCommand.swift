import ArgumentParser
import LinuxFiles

/// `waybill ledger`: runs the daemon's own program, since the ledger belongs to the daemon and this program does not use
/// SQLite.
struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Check, back up or restore the ledger, the record of all jobs.",
    discussion: """
      Works on the files of the ledger, whose place the configuration names, with the rights of the caller: be root, or \
      the user of the daemon, as with sudo -u waybill waybill ledger check. check and backup may be run while the daemon \
      runs; for restore it has to be stopped.
      """,
    subcommands: [Check.self, Backup.self, Restore.self])

  /// The options that select the ledger.
  struct Options: ParsableArguments {
    @Option(
      help: ArgumentHelp("The configuration file, which says where the ledger is.", valueName: "file"),
      completion: .file(extensions: ["toml"]))
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
      discussion: """
        Reads every page and every row, and looks whether each job that is not done has its file in its spool's \
        .waybill, and each file there a job. What does not fit while a daemon is at work is looked at again for some \
        seconds before it counts. A line that begins with ! is a fault, and the exit status is 1 then; one that begins \
        with ? is advice.
        """)
    @OptionGroup var options: Options
    func run() throws { try options.handOver("check") }
  }

  /// `waybill ledger backup`
  struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy the ledger as it is at this moment to a file, which must not be there yet.",
      discussion: "The copy is whole, on disk when the command ends, and has mode 0600.")
    @OptionGroup var options: Options
    @Argument(help: "The file to make.", completion: .file()) var file: String
    func run() throws { try options.handOver("backup", "--", file) }
  }

  /// `waybill ledger restore`
  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put a backup in place of the ledger, which is kept beside it.",
      discussion: """
        The daemon has to be stopped: systemctl stop waybill.socket waybill.service. The backup is checked first, and \
        one of a newer version is refused. The ledger that was there is kept beside it, with .replaced- and the date \
        behind its name.

        At the next start nothing is claimed or sent, because the backup does not know what was answered since: status \
        says so first, until resume --recovered. What the ledger that was there says was aborted, cancelled, discarded \
        or asked about stays stopped, as far as it can be read. Look at the other jobs first, and cancel what is not to \
        be sent. No object is deleted for a cancel of before.

        Files in .waybill that the backup does not know become jobs under the ids that they carry. \
        Jobs that were registered since the backup are registered once more with the same id and Idempotency-Key, by \
        which the backend knows them; those that need their file, which is gone, ask a question, and can be cancelled. \
        Numbers that have been given out since are not given again, as far as the ledger that was there can be read.
        """)
    @OptionGroup var options: Options
    @Argument(help: "The backup.", completion: .file()) var file: String
    func run() throws { try options.handOver("restore", "--", file) }
  }
}
