struct UntakenFile: Sendable {
  let reason: String
  /// The shell's words that make it; `$1` is the spool.
  let script: String
  let name: String
  let words: String
  var remedy = ""
  var isRecursive = false

  static let all = [
    UntakenFile(reason: "missing", script: "true", name: "gone.pdf", words: "there is no such file"),
    UntakenFile(
      reason: "hidden", script: #"echo x > "$1/.secret""#, name: ".secret", words: "begins with a dot",
      remedy: "rename it without the dot"),
    UntakenFile(
      reason: "hidden", script: "true", name: ".waybill", words: "keeps the files of its jobs in .waybill",
      remedy: "leave them there"),
    UntakenFile(
      reason: "ignored", script: #"echo x > "$1/scan.PART""#, name: "scan.PART",
      words: "matches *.part, which the spool ignores", remedy: "change ignore of spool documents"),
    UntakenFile(
      reason: "ignored", script: #"mkdir "$1/work.tmp"; echo x > "$1/work.tmp/a.pdf""#, name: "work.tmp/a.pdf",
      words: "work.tmp matches *.tmp", isRecursive: true),
    UntakenFile(
      reason: "not-recursive", script: #"mkdir "$1/sub"; echo x > "$1/sub/a.pdf""#, name: "sub/a.pdf",
      words: "the spool is not recursive", remedy: "set recursive of spool documents"),
    UntakenFile(
      reason: "directory", script: "true", name: "sub", words: "it is a directory, and the spool is not",
      remedy: "drop the files themselves"),
    UntakenFile(
      reason: "directory", script: #"mkdir "$1/sub""#, name: "sub", words: "the files in it are taken",
      isRecursive: true),
    UntakenFile(
      reason: "symbolic-link", script: #"echo x > "$1/../real.pdf"; ln -s ../real.pdf "$1/link.pdf""#,
      name: "link.pdf", words: "it is a symbolic link", remedy: "drop the file itself"),
    UntakenFile(
      reason: "symbolic-link", script: #"mkdir "$1/../real"; echo x > "$1/../real/a.pdf"; ln -s ../real "$1/linked""#,
      name: "linked/a.pdf", words: "a directory on its path is a symbolic link", isRecursive: true),
    UntakenFile(reason: "not-a-file", script: #"mkfifo "$1/pipe""#, name: "pipe", words: "FIFO", remedy: "remove it"),
    UntakenFile(
      reason: "settling", script: #"echo x > "$1/.new"; cp "$1/.new" "$1/fresh.pdf""#, name: "fresh.pdf",
      words: "it is taken when it has been unchanged for"),
    UntakenFile(
      reason: "settling", script: #"touch "$1/empty.pdf""#, name: "empty.pdf",
      words: "it is empty, and is taken if it stays so for"),
  ]
}
