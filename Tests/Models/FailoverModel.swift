/// A small model of hosts that share a spool, with one file in it: every fact that outlives a step, and every step that the
/// daemon takes between two of them. Each step of each host may come at any moment, so a host that was stopped for as long as
/// one likes is nothing special.
struct FailoverModel: Hashable {
  /// The mistakes that the protocol avoids. Each must be found by ``FailoverModelTests``.
  enum Flaw: CaseIterable {
    /// The link is committed and registered before it stands beside the file.
    case storedAfterCommit
    /// A link beside the file is replaced by a later one.
    case storedIsReplaced
    /// Nobody looks if the hold still stands.
    case noLook
    /// A successor reads the claims at once.
    case noPatience
    /// A stop is committed before it stands beside the file.
    case stopAfterCommit
    /// Whether the hold still stands is not asked after a stop was written.
    case noLookAfterStop
    /// Whether the hold still stands is not asked after the record of a stop was removed.
    case noLookAfterRetry
    /// The records are removed before the file.
    case recordsGoFirst
    /// What stands beside the file is not read at the take-over.
    case recordsUnread
    /// A file that a host claimed after it had lost the spool is not looked for.
    case claimsOfZombiesUnread
    /// A take-over that fails, or is cut short, is not done again: the next one finds this host's own name.
    case takeOverIsForgotten
    /// A take-over counts as complete before it is.
    case completeTooEarly
    /// The holder's file says when a take-over is complete. A host that was stopped writes it over its successor's.
    case completedInTheSpool
    /// The host goes on although it could not read what stands beside the file.
    case failureIsFinal
    /// A person's command is accepted before the take-over has read what became of the file.
    case commandDuringTakeOver
  }

  enum File: Hashable { case dropped, claimed, gone }

  enum Row: Hashable { case none, upload, stored(Int), registered, done, stopped(Int?), moved }

  /// What a host does next. `…Act` come after a look, at any time.
  enum Next: Hashable {
    case idle, claimAct, claimCommit, uploadAct, putAct, publishAct, linkCommit(Int), registerAct, receiptCommit
    case disposeAct, recordsAct, stopWrite, stopLook, stopCommit, stopLateWrite, retryCommit, retryRemove, retryLook
    case takeOverWait, takeOverList, takeOverCommit
  }

  struct Host: Hashable {
    var row = Row.none
    var next = Next.idle
    /// It believes that it holds the spool.
    var holds = false
    /// `.waybill/holder` names its present tenure.
    var isNamed = false
    /// The tenure that `.waybill/holder` names is complete in its ledger; some tenure was, ever.
    var isComplete = false
    var wasComplete = false
    /// The host that it takes the spool from; nil if it held it last.
    var previous: Int?
    /// It held the spool last, and that tenure is complete in its ledger: it does not wait for anybody.
    var knowsAll = false
    /// Nobody held it before.
    var isFirst = false
    /// Its last look counts still.
    var isFresh = false
    /// The hold was there at its last look, or within the time that a look counts.
    var lookWasTrue = false
  }

  static let hosts = 2

  let flaw: Flaw?
  var hosts = [Host](repeating: Host(), count: Self.hosts)
  var lock: Int?
  /// The host that `.waybill/holder` names, and the one whose files that takes over.
  var holder: Int?
  var after: Int?
  var file = File.dropped
  var stored: Int?
  var stopped = false
  var hasObject = false
  /// The bodies that the backend got under the file's id.
  var bodies: Set<Int> = []
  /// A person was told that it is stopped, and has not asked for it again.
  var isStoppedForPeople = false
  /// A person has asked for it again since somebody began to stop it.
  var isLifted = false
  /// The same, and was told that it goes on.
  var isLiftedForPeople = false
  var wasRegistered = false
  /// What went wrong, if anything has.
  var fault: String?
  /// How often things may still happen.
  var losses = 2
  /// A daemon that dies, or an operation in the shared file system that fails and would work later.
  var troubles = 1
  var stops = 1
  var retries = 1
  var bodiesMade = 0

  init(_ flaw: Flaw? = nil) { self.flaw = flaw }

  /// Every state that may come next.
  var successors: [FailoverModel] {
    guard fault == nil else { return [] }
    var all: [FailoverModel] = []
    for host in 0..<Self.hosts {
      all += steps(of: host)
      add(&all, if: troubles > 0) { model in
        model.troubles -= 1
        model.letGo(host)
      }
      // Time goes on for a host, whether it runs or not.
      add(&all, if: hosts[host].isFresh) { $0.hosts[host].isFresh = false }
      // It looks although it has nothing to do.
      add(&all, if: hosts[host].holds && !isHeld(by: host) && !hosts[host].isFresh) { $0.letGo(host) }
    }
    add(&all, if: lock != nil && losses > 0) { model in
      model.losses -= 1
      model.lock = nil
    }
    return all
  }

  private func add(_ all: inout [FailoverModel], if holds: Bool, _ change: (inout FailoverModel) -> Void) {
    guard holds else { return }
    var model = self
    change(&model)
    all.append(model)
  }

  func isHeld(by host: Int) -> Bool { lock == host && hosts[host].isNamed }

  mutating func letGo(_ host: Int) {
    // What it let go of, others may have.
    if lock == host { lock = nil }
    hosts[host].holds = false
    hosts[host].next = .idle
    hosts[host].isFresh = false
    forgetTakeOver(host)
  }

  /// What mattered only until then makes no other state.
  mutating func forgetTakeOver(_ host: Int) {
    hosts[host].previous = nil
    hosts[host].knowsAll = false
    hosts[host].isFirst = false
    hosts[host].lookWasTrue = false
  }

  /// A look: true if the host may go on.
  mutating func look(_ host: Int) -> Bool {
    if flaw == .noLook {
      hosts[host].lookWasTrue = lock == host
      return true
    }
    if hosts[host].isFresh {
      hosts[host].lookWasTrue = true
      return true
    }
    guard isHeld(by: host) else {
      letGo(host)
      return false
    }
    hosts[host].isFresh = true
    hosts[host].lookWasTrue = true
    return true
  }

  mutating func set(_ host: Int, _ row: Row) {
    hosts[host].row = row
    hosts[host].next = .idle
  }

  mutating func dispose() {
    if file == .claimed, !wasRegistered { fault = "a file is gone that was never registered" }
    if file == .claimed { file = .gone }
  }

  /// What comes of it if nothing more goes wrong: the other host dies, and one does what there is to do. If it does not hold the
  /// spool, it takes it over.
  func finished(by host: Int) -> FailoverModel {
    var model = self
    let goesOn = lock == host && hosts[host].holds
    for other in model.hosts.indices where other != host || !goesOn { model.letGo(other) }
    if !goesOn { model.lock = nil }
    (model.losses, model.troubles, model.stops, model.retries) = (0, 0, 0, 0)
    while model.fault == nil {
      guard let next = model.steps(of: host).first, next != model else { break }
      model = next
    }
    return model
  }
}
