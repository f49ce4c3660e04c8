/// What a host may do next, and what comes of it.
extension FailoverModel {
  func steps(of host: Int) -> [FailoverModel] {
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
        if me.row == .upload, $0.wasRegistered, !$0.isLifted {
          $0.fault = "a person is told that it is stopped, and it is registered"
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
      if flaw == .commandDuringTakeOver, me.row == .upload, stops > 0 {
        step {
          guard $0.look(host) else { return }
          $0.stops -= 1
          $0.hosts[host].next = .stopWrite
        }
      }
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
}
