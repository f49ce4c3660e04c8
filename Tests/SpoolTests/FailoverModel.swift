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
    /// The records are removed before the file.
    case recordsGoFirst
    /// What stands beside the file is not read at the take-over.
    case recordsUnread
    /// A file that a host claimed after it had lost the spool is not looked for.
    case claimsOfZombiesUnread
  }

  enum File: Hashable { case dropped, claimed, gone }

  enum Row: Hashable { case none, upload, stored(Int), registered, done, stopped(Int?), moved }

  /// What a host does next. `…Act` come after a look, at any time.
  enum Next: Hashable {
    case idle, claimAct, claimCommit, uploadAct, putAct, publishAct, linkCommit(Int), registerAct, receiptCommit
    case disposeAct, recordsAct, stopWrite, stopLook, stopCommit, stopLateWrite, retryCommit, retryRemove
    case takeOverWait, takeOverList
  }

  struct Host: Hashable {
    var row = Row.none
    var next = Next.idle
    /// It believes that it holds the spool.
    var holds = false
    /// Its last look counts still.
    var isFresh = false
    /// The hold was there at its last look, or within the time that a look counts.
    var lookWasTrue = false
  }

  static let hosts = 2

  let flaw: Flaw?
  var hosts = [Host](repeating: Host(), count: Self.hosts)
  var lock: Int?
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
  var wasRegistered = false
  /// What went wrong, if anything has.
  var fault: String?
  /// How often things may still happen.
  var losses = 2
  var crashes = 1
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
      add(&all, if: crashes > 0) { model in
        model.crashes -= 1
        if model.lock == host { model.lock = nil }
        model.hosts[host].holds = false
        model.hosts[host].next = .idle
        model.hosts[host].isFresh = false
      }
      // Time goes on for a host, whether it runs or not.
      add(&all, if: hosts[host].isFresh) { $0.hosts[host].isFresh = false }
      // It looks although it has nothing to do.
      add(&all, if: hosts[host].holds && lock != host && !hosts[host].isFresh) { $0.letGo(host) }
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

  private mutating func letGo(_ host: Int) {
    hosts[host].holds = false
    hosts[host].next = .idle
    hosts[host].isFresh = false
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
    guard lock == host else {
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
          step {
            $0.lock = host
            $0.hosts[host].next = .takeOverWait
          }
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
        $0.hosts[host].next = .idle
      }
    case .takeOverWait:
      step { model in
        // The others' looks have run out by now.
        if flaw != .noPatience {
          for other in model.hosts.indices where other != host { model.hosts[other].isFresh = false }
        }
        model.hosts[host].next = .takeOverList
      }
    case .takeOverList:
      step { model in
        guard model.look(host) else { return }
        model.hosts[host].holds = true
        model.hosts[host].next = .idle
        switch (model.file, model.hosts[host].row) {
        case (_, .registered): break
        case (_, .done): break
        case (.claimed, _):
          model.hosts[host].row =
            model.stopped && flaw != .recordsUnread
            ? .stopped(model.stored) : flaw == .recordsUnread ? .upload : model.stored.map { .stored($0) } ?? .upload
        case (.dropped, _): model.hosts[host].row = .none
        case (.gone, .none): break
        case (.gone, _): model.hosts[host].row = .moved
        }
      }
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
    (model.losses, model.crashes, model.stops, model.retries) = (0, 0, 0, 0)
    while model.fault == nil {
      guard let next = model.steps(of: host).first, next != model else { break }
      model = next
    }
    return model
  }
}
