extension CrashRow {
  /// Files with the bytes of an earlier one.
  static let duplicates: [CrashRow] = [
    // Two equal files at the same time, and two more that come when they are registered, before and after a restart.
    row("duplicates skipped") {
      $0.spool.skipsDuplicates = true
      $0.add(1)
      $0.add(2) { $0.sameAs = 1 }
      $0.add(3, at: .seconds(20)) { $0.sameAs = 1 }
      $0.add(.restart, at: .seconds(25))
      $0.add(4, at: .seconds(30)) { $0.sameAs = 1 }
      $0.end = .seconds(40)
    },
    // A stopped file was not registered, and one with the same bytes is no duplicate of it.
    row("duplicates of a stopped file") {
      $0.spool.skipsDuplicates = true
      $0.backendTrouble.spells = [.refusal(until: .seconds(40))]
      $0.add(1, wish: .cancelled)
      $0.add(2, wish: .discarded)
      for file in 1...2 {
        $0.add(.command(.cancel, .ofFile(file)), at: .seconds(8))
        $0.add(file + 2, at: .seconds(45)) { $0.sameAs = file }
      }
      $0.add(.command(.discard, .ofFile(2)), at: .seconds(10))
      $0.end = .seconds(60)
    },
  ]
}
