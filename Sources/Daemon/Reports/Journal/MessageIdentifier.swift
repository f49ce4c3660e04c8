public import SystemdLink

/// The events that reach the journal, by the name that WAYBILL_EVENT has, each with its fixed MESSAGE_ID.
///
/// `systemd/waybill.catalog` explains each id. An id is never changed or used again: people filter by it.
public enum MessageIdentifier: String, Sendable, CaseIterable {
  /// A file became a job.
  case admitted
  /// Requests are in flight after a rest, or none has been for a second.
  case activity
  /// Step 1 is done and the link durable.
  case uploaded
  /// Both steps are done.
  case registered
  /// The same bytes were sent before, and are not sent again.
  case skipped
  /// The job will be tried again by itself, or waits for a key or the network.
  case deferred
  /// The operator was asked a question.
  case question
  /// The operator allowed another try.
  case confirmed
  /// The operator cancelled the job.
  case cancelled
  /// The operator had the job tried again.
  case retried
  /// The operator took the file back.
  case released
  /// The operator deleted the file.
  case discarded
  /// The cleanup after a cancel is done, and nothing of the job is at the storage.
  case cleaned
  /// The cleanup after a cancel is done, and the object is still at the storage.
  case objectLeft = "object-left"
  /// A 503 ended the job.
  case aborted
  /// Nothing new starts at a destination.
  case gateClosed = "gate-closed"
  /// A destination takes requests again.
  case gateOpened = "gate-opened"
  /// The kernel's queue of file events for a spool overflowed.
  case spoolOverflow = "spool-overflow"
  /// A spool, or a file in it, needs attention.
  case spoolProblem = "spool-problem"
  /// The ledger cannot be written.
  case ledgerProblem = "ledger-problem"
  /// The ledger can be written again.
  case ledgerRecovered = "ledger-recovered"
  /// The daemon is ready.
  case started
  /// The configuration was reloaded.
  case reloaded
  /// The daemon is stopping.
  case stopping
  /// Entries were dropped before they reached the journal.
  case journalOverflow = "journal-overflow"

  /// The id by which the journal and its catalog know the event.
  public var id: JournalMessageID {
    switch self {
    case .admitted: JournalMessageID(0xf9f1020ac6b0494cb422d7f5b770a02f)
    case .activity: JournalMessageID(0x7c24affe168f429599ac96f05a9ee535)
    case .uploaded: JournalMessageID(0xda7199f79ac64671b6adbe8f0e98f1dc)
    case .registered: JournalMessageID(0x9b47e1631e0f4e1187c7d315f9c43958)
    case .skipped: JournalMessageID(0x5f0de2f1b0c84a3c9d7e6a41c2b8f317)
    case .deferred: JournalMessageID(0x26076c5c8bc44f2c82d3ce1fac8b9705)
    case .question: JournalMessageID(0x6b0d7047473543ad9194e118f10f086b)
    case .confirmed: JournalMessageID(0x361b8ccd38b54cdbb057fbbfc7d110a4)
    case .cancelled: JournalMessageID(0x3d1e889a395147c19e92ecb533556f58)
    case .retried: JournalMessageID(0x67e0463532624dcaa4e1fc490321445c)
    case .released: JournalMessageID(0xf7812669863742a8824b7f489e0a0c99)
    case .discarded: JournalMessageID(0xa82e060d803c405d8c82f65bdc85111c)
    case .cleaned: JournalMessageID(0x3e7764472df24e70b86a4230e8fe3ccc)
    case .objectLeft: JournalMessageID(0xb1bcc28758b24a4cbc86fece3e228694)
    case .aborted: JournalMessageID(0x345178f95ca749d0a25d95952b58cc67)
    case .gateClosed: JournalMessageID(0x0121eeda63c94a0ca55f2fabd6738454)
    case .gateOpened: JournalMessageID(0xba99ac6e951743c6a7b23b507bf0aa2d)
    case .spoolOverflow: JournalMessageID(0x0c98bf4fcb3e45ee9461e1b8cb731757)
    case .spoolProblem: JournalMessageID(0xdcb851e40b734aab9db0a5db70f4cb8d)
    case .ledgerProblem: JournalMessageID(0xa600c03308234c5a9363f2a8e7457c78)
    case .ledgerRecovered: JournalMessageID(0xf1b1527e61b748348d949f7a056968bb)
    case .started: JournalMessageID(0xcf9450d41d18431cb73079dce6d80ab9)
    case .reloaded: JournalMessageID(0xd60a9baf546d4dc0b25d678eefd8111f)
    case .stopping: JournalMessageID(0x26294185c4cc414c91b283053a2dc3c7)
    case .journalOverflow: JournalMessageID(0x0aca17f1f8c24c31b47bed0f30ff25aa)
    }
  }

  /// The priority of the event's entry, as waybilld(8) lists it.
  var priority: JournalEntry.Priority {
    switch self {
    case .admitted, .uploaded: .debug
    case .activity, .registered, .skipped, .started, .reloaded, .stopping: .info
    case .deferred, .confirmed, .cancelled, .retried, .released, .discarded, .cleaned, .gateOpened, .ledgerRecovered:
      .notice
    case .question, .objectLeft, .gateClosed, .spoolOverflow, .spoolProblem, .journalOverflow: .warning
    case .aborted, .ledgerProblem: .err
    }
  }
}
