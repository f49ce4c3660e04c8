extension CrashRow {
  /// Things that meet: a command, a reload or a change of the network, and what is on its way just then.
  static let meetings: [CrashRow] = [
    // The ledger's disk is full while a job is cancelled. So the id of its upload in parts comes to the ledger after the cancel. The
    // key does not tell whose it is, so nobody but the job's cleanup may abort it.
    row("cancelled as its parts begin") {
      $0.spool.hasPlainKeys = true
      $0.storage.megabytesInParts = 5
      $0.storageTrouble.latency.base = .seconds(6)
      $0.add(1, size: (5 << 20) + 4000, wish: .cancelled)
      $0.add(.fillDisk(true), at: .seconds(9))
      $0.add(.command(.cancel, .ofFile(1)), at: .seconds(10))
      $0.add(.fillDisk(false), at: .seconds(20))
      $0.end = .seconds(90)
    },
    // Its object is stored when it has nowhere to go on to.
    row("backend gone while it is sent") {
      $0.storageTrouble.latency.base = .seconds(4)
      loseBackend(&$0)
    },
    // It is to be tried again, and there is nowhere to try it.
    row("backend gone while it is asked") {
      $0.backendTrouble.latency.base = .seconds(4)
      $0.backendTrouble.spells = [.only(500, until: .seconds(8))]
      loseBackend(&$0)
    },
    // The network changes while the gate's probe, which goes after half a minute, is on its way, and is no better afterwards.
    row("network changed in vain") {
      $0.backendTrouble.spells = [
        Spell(.isSlow(Latency(base: .seconds(2))), from: .seconds(20), until: .seconds(34)),
        Spell(.refusesConnections, from: .zero, until: .seconds(300)),
      ]
      $0.add(1)
      $0.add(.changeNetwork, at: .seconds(33))
      $0.end = .seconds(310)
    },
    // A storage is closed, and what could find out that it is well again is a cleanup: the job that is queued there is of a paused spool.
    row("cleanup beside a paused spool") {
      $0.otherSpools = [SpoolPlan(name: "other", directory: "spools/other", storage: "s", backend: "b")]
      $0.daemon.concurrency = 1
      $0.storageTrouble.latency.base = .seconds(4)
      $0.storageTrouble.spells = [.only(503, from: .seconds(4), until: .seconds(30))]
      $0.add(1, wish: .removed)
      $0.add(2, at: .milliseconds(2500)) { $0.spool = "spools/other" }
      $0.add(.pause(.spool("other")), at: .milliseconds(3500))
      $0.add(.command(.cancelAndRemove, .ofFile(1)), at: .seconds(4))
      $0.end = .seconds(90)
    },
  ]

  private static func loseBackend(_ maker: inout RowMaker) {
    let first = maker.configuration
    var other = first
    other.spools[0].backend = "other"
    other.backends[0].name = "other"
    maker.add(1)
    maker.add(.configure(other), at: .seconds(4))
    maker.add(.configure(first), at: .seconds(12))
    maker.end = .seconds(20)
  }
}
