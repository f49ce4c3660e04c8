extension CrashRow {
  static let machine: [CrashRow] = [
    row("pause") {
      $0.add(.pause(.storage("s")), at: .seconds(1))
      $0.add(1)
      $0.add(.resume(.storage("s")), at: .seconds(5))
    },
    // A spool and its backend go while a file is in them, and come again.
    row("reload") {
      let first = $0.configuration
      var other = first
      other.spools[0].name = "other"
      other.spools[0].directory = "spools/other"
      other.spools[0].backend = "other"
      other.backends[0].name = "other"
      $0.backendTrouble.spells = [.only(500, until: .seconds(5))]
      $0.add(1)
      $0.add(.configure(other), at: .seconds(4))
      $0.add(2) { $0.spool = other.spools[0].directory }
      $0.add(.configure(first), at: .seconds(9))
    },
    row("history") {
      $0.daemon.historySeconds = 1
      for number in 1...2 { $0.add(number) }
    },
  ]
}
