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

  private func isHeld(by host: Int) -> Bool { lock == host && hosts[host].isNamed }

  private mutating func letGo(_ host: Int) {
    // What it let go of, others may have.
    if lock == host { lock = nil }
    hosts[host].holds = false
    hosts[host].next = .idle
    hosts[host].isFresh = false
    forgetTakeOver(host)
  }

  /// What mattered only until then makes no other state.
  private mutating func forgetTakeOver(_ host: Int) {
    hosts[host].previous = nil
    hosts[host].knowsAll = false
    hosts[host].isFirst = false
    hosts[host].lookWasTrue = false
  }

  /// A look: true if the host may go on.
  private mutating func look(_ host: Int) -> Bool {
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

  private func steps(of host: Int) -> [FailoverModel] {
    var all: [FailoverModel] = []
    func step(_ change: (inout FailoverModel) -> Void) {
      var model = self
      change(&model)
      all.append(model)
    }
    func afterLook(_ next: Next) {
      step { if $0.look(host) { $0.hosts[host].next = next } }
    }
    let me = hosts[host]
    switch me.next {
    case .idle:
      guard me.holds else {
        if lock == nil {
          step { $0.lockTaken(by: host) }
        }
        return all
      }
      switch me.row {
      case .none, .moved:
        if file == .dropped { afterLook(.claimAct) }
        // A claim that nobody has: a host that had lost the spool made it.
        if file == .claimed, flaw != .claimsOfZombiesUnread { afterLook(.takeOverList) }
      case .upload: afterLook(.uploadAct)
      case .stored: afterLook(.registerAct)
      case .registered: afterLook(.disposeAct)
      case .stopped:
        if retries > 0 {
          step {
            guard $0.look(host) else { return }
            $0.retries -= 1
            $0.isStoppedForPeople = false
            $0.isLifted = true
            $0.hosts[host].next = .retryCommit
          }
        }
      case .done: break
      }
      let isOpen: Bool =
        switch me.row {
        case .upload, .stored: true
        case .none, .registered, .done, .stopped, .moved: false
        }
      if isOpen, stops > 0 {
        step {
          guard $0.look(host) else { return }
          $0.stops -= 1
          $0.isLifted = false
          $0.isLiftedForPeople = false
          $0.hosts[host].next = flaw == .stopAfterCommit ? .stopCommit : .stopWrite
        }
      }
    case .claimAct:
      step {
        if $0.file == .dropped {
          $0.file = .claimed
          $0.hosts[host].next = .claimCommit
        } else {
          $0.hosts[host].next = .idle
        }
      }
    case .claimCommit: step { $0.set(host, .upload) }
    case .uploadAct:
      step {
        if let stored = $0.stored, flaw != .recordsUnread {
          $0.hosts[host].next = .linkCommit(stored)
        } else if $0.file == .claimed {
          $0.hosts[host].next = .putAct
        } else if $0.look(host) {
          // It asks a person, and only then is there something to be asked.
          $0.fault = "a host finds the file gone, and nothing beside it"
        }
      }
    case .putAct:
      step {
        $0.hasObject = true
        $0.hosts[host].next = .publishAct
      }
    case .publishAct:
      step { model in
        // A body frozen again is another one: time, host and number differ.
        let body = model.bodiesMade
        model.bodiesMade = min(body + 1, 2)
        if flaw == .storedAfterCommit {
          model.hosts[host].next = .linkCommit(body)
          return
        }
        if model.stored == nil || flaw == .storedIsReplaced { model.stored = body }
        model.hosts[host].next = .linkCommit(model.stored ?? body)
      }
    case .linkCommit(let body):
      step {
        if flaw == .storedAfterCommit, $0.stored == nil { $0.stored = body }
        $0.set(host, .stored(body))
      }
    case .registerAct:
      step { model in
        guard case .stored(let body) = me.row else { return }
        model.bodies.insert(body)
        model.wasRegistered = true
        if model.bodies.count > 1 { model.fault = "two bodies under one id" }
        // What a host had on its way when it lost the hold cannot be called back.
        let wasOnItsWay = me.lookWasTrue && model.lock != host
        if model.isStoppedForPeople, !wasOnItsWay { model.fault = "sent although it is stopped" }
        model.hosts[host].next = .receiptCommit
      }
    case .receiptCommit: step { $0.set(host, .registered) }
    case .disposeAct:
      step {
        if flaw == .recordsGoFirst {
          $0.stored = nil
          $0.stopped = false
        } else {
          $0.dispose()
        }
        $0.hosts[host].next = .recordsAct
      }
    case .recordsAct:
      step {
        if flaw == .recordsGoFirst {
          $0.dispose()
        } else {
          $0.stored = nil
          $0.stopped = false
        }
        $0.set(host, .done)
      }
    case .stopWrite:
      step {
        $0.stopped = $0.file == .claimed || $0.stopped
        $0.hosts[host].next = flaw == .noLookAfterStop ? .stopCommit : .stopLook
      }
    case .stopLook: step { if $0.look(host) { $0.hosts[host].next = .stopCommit } }
    case .stopCommit:
      step {
        if case .stored(let body) = me.row {
          $0.hosts[host].row = .stopped(body)
        } else {
          $0.hosts[host].row = .stopped(nil)
        }
        // A person at another host may have asked for it again since it was written.
        $0.isStoppedForPeople = !$0.isLifted
        $0.hosts[host].next = flaw == .stopAfterCommit ? .stopLateWrite : .idle
      }
    case .stopLateWrite:
      step {
        $0.stopped = true
        $0.hosts[host].next = .idle
      }
    case .retryCommit:
      step {
        guard case .stopped(let body) = me.row else { return }
        $0.hosts[host].row = body.map { .stored($0) } ?? .upload
        $0.hosts[host].next = .retryRemove
      }
    case .retryRemove:
      step {
        $0.stopped = false
        $0.hosts[host].next = .retryLook
      }
    case .retryLook:
      step {
        guard flaw == .noLookAfterRetry || $0.look(host) else { return }
        $0.isLiftedForPeople = $0.isLifted
        $0.hosts[host].next = .idle
      }
    case .takeOverWait:
      step { model in
        // The others' looks have run out by now.
        if flaw != .noPatience {
          for other in model.hosts.indices { model.hosts[other].isFresh = false }
        }
        model.hosts[host].next = .takeOverList
      }
    case .takeOverList:
      step { model in
        guard model.look(host) else { return }
        model.hosts[host].next = .takeOverCommit
        model.inherit(host)
      }
    case .takeOverCommit:
      step { model in
        if flaw == .completedInTheSpool {
          model.name(host, after: nil)
        }
        model.hosts[host].isComplete = model.hosts[host].isNamed
        model.hosts[host].wasComplete = true
        model.forgetTakeOver(host)
        model.hosts[host].holds = true
        model.hosts[host].next = .idle
      }
    }
    return all + failed(host, all)
  }

  /// The lock is taken, and the holder named. This is one step: a host that is stopped between the two, for so long that it loses the
  /// lock, is the one thing that is not looked at here (`Tenure` asks for the lock once more just before).
  private mutating func lockTaken(by host: Int) {
    lock = host
    // The first look comes after it has named itself: it may have lost the lock by then.
    hosts[host].isFresh = false
    let isComplete = hosts[host].isComplete || flaw == .takeOverIsForgotten || flaw == .completeTooEarly
    hosts[host].knowsAll = holder == host && isComplete
    hosts[host].isFirst = holder == nil
    if holder == nil {
      hosts[host].previous = nil
    } else if holder != host {
      hosts[host].previous = holder
    } else if flaw == .completedInTheSpool {
      hosts[host].previous = after
    } else if isComplete {
      hosts[host].previous = nil
    } else {
      hosts[host].previous = after ?? (hosts[host].wasComplete ? holder : nil)
    }
    name(host, after: flaw == .completeTooEarly ? nil : hosts[host].previous)
    hosts[host].next = hosts[host].knowsAll ? .takeOverList : .takeOverWait
  }

  /// It held the spool last as far as is known, but its ledger does not have that tenure as complete.
  private func holderWasOwn(_ host: Int) -> Bool { !hosts[host].isFirst && !hosts[host].knowsAll }

  private mutating func name(_ host: Int, after: Int?) {
    for other in hosts.indices {
      hosts[other].isNamed = other == host
      hosts[other].isComplete = false
    }
    holder = host
    self.after = after
  }

  /// The row becomes what stands beside the file. After the host's own tenure the row is right, but for what a crash kept from it.
  private mutating func inherit(_ host: Int) {
    let row = hosts[host].row
    switch (file, row) {
    case (_, .registered), (_, .done): break
    case (.claimed, _):
      if flaw == .recordsUnread {
        hosts[host].row = .upload
      } else if stopped {
        hosts[host].row = .stopped(stored)
      } else if case .stopped = row, hosts[host].previous == nil {
        stopped = true
      } else {
        hosts[host].row = stored.map { .stored($0) } ?? .upload
      }
    case (.dropped, _): hosts[host].row = .none
    case (.gone, .none): break
    case (.gone, _): if hosts[host].previous != nil || holderWasOwn(host) { hosts[host].row = .moved }
    }
  }

  /// What comes of an operation of the file system that fails: it has not been done, or it has and the answer was lost. A take-over
  /// begins anew, with the lock still held or not.
  private func failed(_ host: Int, _ done: [FailoverModel]) -> [FailoverModel] {
    guard troubles > 0 else { return [] }
    var all: [FailoverModel] = []
    func fail(_ model: FailoverModel, _ next: Next) {
      var model = model
      model.troubles -= 1
      model.hosts[host].next = next
      all.append(model)
    }
    switch hosts[host].next {
    case .claimAct, .publishAct, .disposeAct, .stopWrite:
      for model in [self] + done {
        var model = model
        model.hosts[host].row = hosts[host].row
        fail(model, .idle)
      }
    case .recordsAct:
      // The file is gone: the job is disposed of, and a later sweep removes the records.
      for model in [self] + done {
        var model = model
        model.set(host, .done)
        fail(model, .idle)
      }
    case .uploadAct, .putAct: fail(self, .idle)
    case .retryRemove: for model in [self] + done { fail(model, .idle) }
    case .takeOverList:
      if flaw == .failureIsFinal {
        var model = self
        model.hosts[host].holds = true
        fail(model, .idle)
      } else {
        for model in [self] + done where model.hosts[host].next != .idle { fail(model, .takeOverList) }
      }
    case .idle, .claimCommit, .linkCommit, .registerAct, .receiptCommit, .stopLook, .stopCommit, .stopLateWrite,
      .retryCommit, .retryLook, .takeOverWait, .takeOverCommit:
      break
    }
    return all
  }

  private mutating func set(_ host: Int, _ row: Row) {
    hosts[host].row = row
    hosts[host].next = .idle
  }

  private mutating func dispose() {
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
