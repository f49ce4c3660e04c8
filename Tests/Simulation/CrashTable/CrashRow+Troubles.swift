/// Named scenarios of trouble, in which no crash is tried: defects that were there once, and what seeds seldom meet.
extension CrashRow {
  static let troubles = (defects + changes + gates + meetings).map {
    var row = $0
    row.points = []
    return row
  }

  /// Defects that were there once, each as the scenario that shows it.
  private static let defects: [CrashRow] = [
    // After a change of the network the clock is set back, and nothing can be reached.
    row("clock set back") {
      $0.backendTrouble.spells = [Spell(.refusesConnections, from: .zero, until: .seconds(3600))]
      $0.end = .seconds(3700)
      for number in 1...3 { $0.add(number) }
      $0.add(.changeNetwork, at: .seconds(60))
      $0.add(.moveWallClock(by: .seconds(-86_400)), at: .seconds(61))
    },
    // A spool comes by a reload, and its disk cannot be read for a while.
    row("unreadable spool") {
      let first = $0.configuration
      var other = first
      other.spools.append(
        SpoolPlan(name: "other", directory: "spools/other", storage: "s", backend: "b"))
      $0.add(1)
      $0.add(.failCalls("getdents:.waybill:1=EIO+"), at: .seconds(3))
      $0.add(.configure(other), at: .seconds(4))
      $0.add(.failCalls(nil), at: .seconds(8))
      $0.add(2, at: .seconds(9)) { $0.spool = other.spools[1].directory }
      $0.end = .seconds(60)
    },
  ]

  /// Files and jobs that change at a bad moment.
  private static let changes: [CrashRow] = [
    row("changed while it is sent") {
      $0.storageTrouble.latency.bytesPerSecond = 1000
      $0.add(1, manner: .linked, size: 3000)
      $0.add(.append(file: 1, size: 500), at: .milliseconds(3500))
    },
    // Its object has as many bytes as the file has by then, and they are other ones.
    row("rewritten while it is sent") {
      $0.storageTrouble.latency.bytesPerSecond = 1000
      $0.add(1, manner: .linked, size: 3000)
      $0.add(.rewrite(file: 1), at: .milliseconds(3500))
    },
    // The backend has taken it, its answer is lost, and then its object is removed.
    row("removed and sent again") {
      $0.backendTrouble.spells = [
        Spell(.loses(beforePermille: 0, afterPermille: 1000), from: .zero, until: .seconds(9))
      ]
      $0.add(1, manner: .linked)
      $0.add(.command(.cancelAndRemove, .ofFile(1)), at: .seconds(8))
      $0.add(.command(.retry, .ofFile(1)), at: .seconds(10))
    },
    // Cancelled while its upload is on its way, and tried again.
    row("cut and sent again") {
      $0.storageTrouble.latency.base = .seconds(4)
      $0.add(1, wish: .removed)
      $0.add(.command(.cancelAndRemove, .ofFile(1)), at: .seconds(4))
    },
    // Its upload in parts is aborted with the job.
    row("aborted in parts and discarded") {
      $0.storage.megabytesInParts = 5
      $0.storageTrouble.latency.bytesPerSecond = 4 << 20
      $0.storageTrouble.spells = [.only(503, from: .seconds(3), until: .seconds(40), retryAfter: .seconds(1))]
      $0.add(1, size: (5 << 20) + 4000, wish: .discarded)
    },
    row("clock set forward") {
      $0.backendTrouble.spells = [.only(502, until: .seconds(10))]
      $0.add(1)
      // Once it is stored: a storage refuses what is of another time.
      $0.add(.moveWallClock(by: .seconds(30 * 86_400)), at: .milliseconds(2500))
    },
    // One slot, and a file that is large; later a small one, which has to be queued.
    row("one slot for a large file") {
      $0.daemon.concurrency = 1
      $0.storageTrouble.spells = [.only(500, from: .seconds(7), until: .seconds(9))]
      $0.add(1, size: (8 << 20) + 1000)
      $0.add(2, at: .seconds(8))
    },
    // The storage takes one at a time, which is found out with small files. Then a large one comes.
    row("a limit of one") {
      $0.storageTrouble.latency.base = .seconds(1)
      $0.storageTrouble.mostAtOnce = 1
      for number in 1...24 { $0.add(number) }
      $0.add(25, size: (8 << 20) + 1000, at: .seconds(150))
      $0.end = .seconds(200)
    },
    // Its writer goes on for a while after it was uploaded.
    row("written to again and again") {
      $0.backendTrouble.latency.base = .seconds(7)
      $0.add(1, manner: .linked)
      for second in stride(from: 8, through: 30, by: 2) { $0.add(.append(file: 1, size: 500), at: .seconds(second)) }
      $0.end = .seconds(40)
    },
  ]

  /// What may become of the job that a gate has chosen.
  private static let gates: [CrashRow] = [
    row("asking job cancelled") { ask(&$0, .cancel, wish: .cancelled) },
    row("asking job confirmed") { ask(&$0, .confirm) },
    // The probe is on its way when a person cancels it.
    row("probe cancelled") {
      $0.daemon.retriesUnavailable = true
      $0.storageTrouble.latency.base = .seconds(6)
      $0.storageTrouble.spells = [.only(429, until: .seconds(15), retryAfter: .seconds(1))]
      for number in 1...2 { $0.add(number, wish: number == 1 ? .cancelled : nil) }
      for second in [11, 17, 23] { $0.add(.command(.cancel, .ofFile(1)), at: .seconds(second)) }
      $0.end = .seconds(60)
    },
    // The probe finds that its file has changed.
    row("probe of a changed file") {
      $0.daemon.concurrency = 1
      $0.storageTrouble.spells = [.only(429, until: .seconds(5), retryAfter: .seconds(6))]
      $0.add(1, manner: .linked)
      $0.add(.append(file: 1, size: 500), at: .seconds(6))
    },
  ]

  private static func ask(_ maker: inout RowMaker, _ command: Action.Command, wish: Wish.Fate? = nil) {
    maker.daemon.concurrency = 1
    maker.storageTrouble.spells = [Spell(.hasWrongCertificate, from: .zero, until: .seconds(5))]
    for number in 1...3 { maker.add(number, wish: number == 1 ? wish : nil) }
    maker.add(.command(command, .ofFile(1)), at: .seconds(8))
  }
}
