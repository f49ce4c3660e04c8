import Linux
import Seams

extension CrashRow {
  /// Files that are registered, whole and in parts.
  static let plain: [CrashRow] = [
    // One from a directory below the spool, and one with an id that it asks for; the first uploads fail.
    files,
    files.after(.claimSynced, at: [.recoveryIdentified, .recoveryAdmitted]),
    parts,
    row("rewritten") {
      $0.backendTrouble.spells = [.refusal(until: .seconds(10))]
      $0.add(1, manner: .linked)
      $0.add(.append(file: 1, size: 500), at: .seconds(6))
    },
    row("unavailable") {
      $0.storageTrouble.spells = [.only(503, until: .seconds(5), retryAfter: .seconds(1))]
      for number in 1...2 { $0.add(number) }
    },
  ]

  private static let files = row("files") {
    $0.storageTrouble.spells = [.only(500, until: .seconds(3))]
    addThree(&$0, .single)
    $0.add(.restart, at: .seconds(10))
  }

  private static let parts = row("parts") {
    $0.storage.megabytesInParts = 5
    $0.storageTrouble.latency.bytesPerSecond = 4 << 20
    // The second part meets it.
    $0.storageTrouble.spells = [.only(500, from: .milliseconds(2500), until: .milliseconds(3500))]
    $0.add(1, size: (5 << 20) + 4000)
  }

  /// Three files: in the spool, in a directory below it, and one that asks for an id.
  static func addThree(_ maker: inout RowMaker, _ kind: Drop.Kind) {
    maker.add(1, kind: kind)
    maker.add(2, folder: "a/b/", kind: kind)
    // Minted a second after the scenario's begin.
    maker.add(3, kind: kind) { $0.wantedID = "01a1ee56-61e8-7000-8000-000000000001" }
  }

  /// Files that are archived, in the same file system and in another one.
  static let archives = [false, true].map { isElsewhere in
    row(isElsewhere ? "archived elsewhere" : "archived") {
      $0.spool.archives = true
      $0.isElsewhere = isElsewhere
      $0.add(1)
      $0.add(2, folder: "a/b/")
    }
  }

  /// Files that stay where they are. The first is touched, one is changed after it was sent, and the daemon is started again.
  static let kept: [CrashRow] = [
    row("kept") {
      $0.spool.keeps = true
      $0.storageTrouble.spells = [.only(500, until: .seconds(3))]
      for number in 1...3 { $0.add(number, folder: number == 2 ? "a/b/" : "") }
      $0.add(.restart, at: .seconds(8))
      $0.add(4, at: .seconds(10))
      $0.end = .seconds(20)
    },
    // The card is taken out before all is sent, another one with the same name on it comes, and then the first one is back.
    row("kept on cards") {
      $0.spool.keeps = true
      $0.storageTrouble.spells = [.only(500, until: .seconds(5))]
      for number in 1...2 { $0.add(number) }
      $0.add(.insertCard(directory: $0.spool.directory, nil), at: .seconds(4))
      $0.add(.insertCard(directory: $0.spool.directory, Card(2, hasOwnDevice: true)), at: .seconds(20))
      $0.add(.replace(file: 1, size: 2000), at: .seconds(20))
      $0.add(.insertCard(directory: $0.spool.directory, Card(1)), at: .seconds(80))
      $0.end = .seconds(90)
    },
    // Its upload in parts is interrupted and goes on. Then it is touched, which sends nothing.
    row("kept in parts") {
      $0.spool.keeps = true
      $0.storage.megabytesInParts = 5
      $0.storageTrouble.latency.bytesPerSecond = 4 << 20
      $0.storageTrouble.spells = [.only(500, from: .seconds(3), until: .seconds(9))]
      $0.add(1, size: (5 << 20) + 4000)
      $0.add(.touch(file: 1), at: .seconds(60))
      $0.end = .seconds(80)
    },
  ]

  static let sidecars: [CrashRow] =
    [
      pairs("sidecars"), pairs("sidecars").after(.sidecarsSynced, at: [.sidecarPutBack]),
      pairs("sidecars").after(.claimSynced, at: [.recoveryIdentified, .recoveryAdmitted]),
      // Each sidecar joins the job that asks about it.
      pairs("late sidecars") { $0.spool.asksAtOnce = true },
    ]
    + [false, true].map { isElsewhere in
      pairs(isElsewhere ? "sidecars archived elsewhere" : "sidecars archived") {
        $0.spool.archives = true
        $0.isElsewhere = isElsewhere
      }
    }

  private static func pairs(_ name: String, _ change: (inout RowMaker) -> Void = { _ in }) -> CrashRow {
    row(name) {
      $0.spool.kind = .sidecar
      addThree(&$0, .withSidecar(sidecarFirst: false))
      change(&$0)
    }
  }
}
