import Linux
import Seams

extension CrashRow {
  /// Files that people stop: each way in which a job may end without a registration.
  static let stopped: [CrashRow] =
    [false, true].flatMap { isElsewhere in
      [(Drop.Kind.single, "files"), (.withSidecar(sidecarFirst: true), "sidecars"), (.group(files: 4), "groups")]
        .flatMap { kind, words in
          let row = row("\(words) stopped\(isElsewhere ? " elsewhere" : "")") { maker in
            maker.setKind(kind)
            maker.isElsewhere = isElsewhere
            maker.backendTrouble.spells = [.refusal()]
            let folder = maker.spool.kind == .group ? "" : "a/"
            maker.add(1, kind: kind, wish: .released)
            if isElsewhere { return }
            maker.add(2, folder: folder, kind: kind, wish: .released)
            maker.add(3, folder: folder, kind: kind, wish: .discarded)
            maker.add(4, kind: kind, wish: .cancelled)
            maker.add(5, kind: kind, wish: .removed)
          }
          return [
            row,
            row.after(
              .releaseCommitted,
              at: [
                .copyMade, .copySyncing, .copySynced, .releasePlaced, .releaseSynced, .sidecarReleased, .recoveryPlaced,
                .recoveryReleased,
              ]),
          ]
        }
    } + [
      // Cancelled while a part of it is on its way.
      row("parts stopped") {
        $0.storage.megabytesInParts = 5
        $0.storageTrouble.latency.bytesPerSecond = 256 << 10
        $0.add(1, size: (5 << 20) + 4000, wish: .removed)
        $0.add(.command(.cancelAndRemove, .ofFile(1)), at: .seconds(6))
      },
      // The name is taken in the folder that it is to be released to.
      row("release refused") {
        $0.backendTrouble.spells = [.refusal()]
        $0.add(1, wish: .cancelled)
        $0.add(2, manner: .direct) {
          $0.spool = ConfigurationPlan.releaseFolder
          $0.name = "file-1.bin"
        }
        $0.add(.command(.cancel, .ofFile(1)), at: .seconds(6))
        $0.add(.command(.release, .ofFile(1)), at: .seconds(8))
      },
    ]

  static let groups: [CrashRow] =
    [
      group("groups"), group("groups").after(.claimSynced, at: [.recoveryIdentified, .recoveryAdmitted]),
      group("groups archived") { $0.spool.archives = true },
      group("groups archived elsewhere") {
        $0.spool.archives = true
        $0.isElsewhere = true
      },
      group("groups rewritten") {
        $0.backendTrouble.spells = [.refusal(until: .seconds(40))]
        $0.add(.addMember(group: 1, size: 300), at: .seconds(30))
        $0.end = .seconds(45)
      },
    ]

  private static func group(_ name: String, _ change: (inout RowMaker) -> Void = { _ in }) -> CrashRow {
    row(name) {
      $0.setKind(.group(files: 4))
      $0.storageTrouble.spells = [.only(500, from: .milliseconds(12_020), until: .milliseconds(12_500))]
      $0.add(1, kind: .group(files: 4))
      change(&$0)
    }
  }
}

extension RowMaker {
  /// Has the spool take what is dropped.
  fileprivate mutating func setKind(_ kind: Drop.Kind) {
    switch kind {
    case .single: break
    case .withSidecar: spool.kind = .sidecar
    case .group:
      spool.kind = .group
      spool.isRecursive = false
    }
  }
}
