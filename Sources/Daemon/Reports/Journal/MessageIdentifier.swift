public import Jobs
import SystemdLink

/// The events that reach the journal, those of the log and some of the daemon itself, each with its fixed MESSAGE_ID.
///
/// `systemd/waybill.catalog` explains each id. An id is never changed or used again: people filter by it.
public enum MessageIdentifier: Hashable, Sendable, CaseIterable {
  /// An event of a job.
  case job(JobEvent.Kind)
  /// An event that concerns no job. An object that was left has the same name and id as that of a job.
  case occurrence(Occurrence.Kind)
  /// Requests are in flight after a rest, or none has been for a second.
  case activity
  /// The daemon is ready.
  case started
  /// The daemon is stopping.
  case stopping
  /// Entries were dropped before they reached the journal.
  case journalOverflow

  /// All events, each name once.
  public static var allCases: [MessageIdentifier] {
    let jobs = JobEvent.Kind.allCases.map { MessageIdentifier.job($0) }
    let occurrences = Occurrence.Kind.allCases.filter { $0 != .objectLeft }.map { MessageIdentifier.occurrence($0) }
    return jobs + occurrences + [.activity, .started, .stopping, .journalOverflow]
  }

  /// The name that WAYBILL_EVENT has.
  public var name: String {
    switch self {
    case .job(let kind): kind.rawValue
    case .occurrence(let kind): kind.rawValue
    case .activity: "activity"
    case .started: "started"
    case .stopping: "stopping"
    case .journalOverflow: "journal-overflow"
    }
  }

  /// The 32 hex digits by which the journal and its catalog know the event (`systemd-id128 new`).
  public var id: String { facts.id }

  var priority: JournalEntry.Priority { facts.priority }

  private var facts: (id: String, priority: JournalEntry.Priority) {
    switch self {
    case .job(.admitted): ("f9f1020ac6b0494cb422d7f5b770a02f", .debug)
    case .activity: ("7c24affe168f429599ac96f05a9ee535", .info)
    case .job(.uploaded): ("da7199f79ac64671b6adbe8f0e98f1dc", .debug)
    case .job(.registered): ("9b47e1631e0f4e1187c7d315f9c43958", .info)
    case .job(.skipped): ("5f0de2f1b0c84a3c9d7e6a41c2b8f317", .info)
    case .job(.deferred): ("26076c5c8bc44f2c82d3ce1fac8b9705", .notice)
    case .job(.question): ("6b0d7047473543ad9194e118f10f086b", .warning)
    case .job(.confirmed): ("361b8ccd38b54cdbb057fbbfc7d110a4", .notice)
    case .job(.cancelled): ("3d1e889a395147c19e92ecb533556f58", .notice)
    case .job(.retried): ("67e0463532624dcaa4e1fc490321445c", .notice)
    case .job(.released): ("f7812669863742a8824b7f489e0a0c99", .notice)
    case .job(.discarded): ("a82e060d803c405d8c82f65bdc85111c", .notice)
    case .job(.cleaned): ("3e7764472df24e70b86a4230e8fe3ccc", .notice)
    case .job(.objectLeft), .occurrence(.objectLeft): ("b1bcc28758b24a4cbc86fece3e228694", .warning)
    case .job(.aborted): ("345178f95ca749d0a25d95952b58cc67", .err)
    case .occurrence(.gateClosed): ("0121eeda63c94a0ca55f2fabd6738454", .warning)
    case .occurrence(.gateOpened): ("ba99ac6e951743c6a7b23b507bf0aa2d", .notice)
    case .occurrence(.spoolOverflow): ("0c98bf4fcb3e45ee9461e1b8cb731757", .warning)
    case .occurrence(.spoolProblem): ("dcb851e40b734aab9db0a5db70f4cb8d", .warning)
    case .occurrence(.ledgerProblem): ("a600c03308234c5a9363f2a8e7457c78", .err)
    case .occurrence(.ledgerRecovered): ("f1b1527e61b748348d949f7a056968bb", .notice)
    case .started: ("cf9450d41d18431cb73079dce6d80ab9", .info)
    case .occurrence(.reloaded): ("d60a9baf546d4dc0b25d678eefd8111f", .info)
    case .stopping: ("26294185c4cc414c91b283053a2dc3c7", .info)
    case .journalOverflow: ("0aca17f1f8c24c31b47bed0f30ff25aa", .warning)
    }
  }
}
