/// What the world does to a daemon, beside the trouble of servers.
package enum Action: Codable, Hashable, Sendable {
  case drop(Drop)
  /// Somebody writes at the end of a dropped file, if it is still there.
  case append(file: Int, size: Int)
  /// Somebody writes other bytes over all of a dropped file, as many as before, if it is still there.
  case rewrite(file: Int)
  /// Somebody puts another file into a dropped group, if the daemon has claimed it and it is still there.
  case addMember(group: Int, size: Int)
  /// Somebody puts another file in the place of a dropped one, whether or not it is still there.
  case replace(file: Int, size: Int)
  case touch(file: Int)
  case changeMode(file: Int)
  case command(Command, JobChoice)
  /// A person's command about all jobs that the word is for (`{"all":true}`).
  case commandAll(Command)
  case pause(PauseTarget)
  case resume(PauseTarget)
  case configure(ConfigurationPlan)
  case moveWallClock(by: Duration)
  /// An address or route has changed.
  case changeNetwork
  /// A spool's directory is moved away, as if its disk were unmounted, or is back.
  case moveSpool(directory: String, isAway: Bool)
  /// A card is put into the slot that a spool's directory is, in the place of the one that is there; nil takes that one out.
  case insertCard(directory: String, Card?)
  /// The daemon is stopped in order, or killed where the loss is of the log, and started again with what is left of its ledger.
  case loseLedger(LedgerLoss)
  /// Calls on files fail from now on, by a plan of `FailingCalls`; nil ends it.
  case failCalls(String?)
  /// The disk below ``Scenario/fullFolder`` is full from now on, or not any more.
  case fillDisk(Bool)
  /// A server takes another key from now on, and no other.
  case changeKeyAtServer(host: String, to: String)
  /// The file of a server's key has another content from now on.
  case changeKeyFile(host: String, to: String)
  case restart

  /// A person's command about a job, in the words of `waybill`.
  package enum Command: String, Codable, Hashable, Sendable, CaseIterable {
    case confirm
    case cancel
    case cancelAndRemove
    case retry
    /// Give the file back to ``ConfigurationPlan/releaseFolder``.
    case release
    case discard
  }

  package enum JobChoice: Codable, Hashable, Sendable {
    /// The newest job of a dropped file.
    case ofFile(Int)
    /// Of the jobs that the command fits at that time, by number, this one modulo their count.
    case any(Int)
  }

  package enum PauseTarget: Codable, Hashable, Sendable {
    case all
    case intake
    case recovered
    case spool(String)
    case storage(String)
    case backend(String)
  }
}

/// What a disk, or a person with a copy, does to a ledger between two lives.
package enum LedgerLoss: String, Codable, Hashable, Sendable, CaseIterable {
  case whole
  case bit
  case half
  /// The log of writes is gone that a kill has left.
  case log
  /// A value in a row of a job is another one.
  case value = "a value"
  /// An older copy is in its place: that of the first end of a life.
  case age
}

/// A medium with a spool's files, e.g. a memory card.
package struct Card: Codable, Hashable, Sendable {
  /// Its number. A spool's directory is card 1 at the beginning; 0 is what lies below a card, and shows when none is mounted there.
  package var number: Int
  /// True if it has another device number than the card before, as in another slot. Otherwise only its inodes are others.
  package var hasOwnDevice: Bool

  package init(_ number: Int, hasOwnDevice: Bool = false) {
    self.number = number
    self.hasOwnDevice = hasOwnDevice
  }
}

package struct Moment: Codable, Hashable, Sendable {
  package var at: Duration
  package var action: Action

  package init(at: Duration, _ action: Action) {
    self.at = at
    self.action = action
  }
}
