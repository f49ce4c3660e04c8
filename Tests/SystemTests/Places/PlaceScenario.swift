import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The things that are done in each place. Each scenario has a spool of its own, and names of files that no other has.
enum PlaceScenario: String, CaseIterable {
  case file, tree, group, pair
  /// A file with attributes that become metadata.
  case attributes
  /// A file that is sent in parts.
  case parts
  /// The archive is beside the spools, or outside of their directory.
  case archive
  case archiveElsewhere = "archive-elsewhere"
  /// The spool is a file system of its own, and the archive is on another one.
  case disk
  /// The spool is polled.
  case polled
  /// Files that are for nobody but their dropper, by the mode that they are made with.
  case stranger
  /// A file that somebody writes and pauses.
  case writer
  /// Files that stay in the spool for their size or their name.
  case kept
  /// Files that are sent and stay, in a directory that is the operator's alone. In the unit it is a medium that is pulled.
  case inPlace = "in-place"
  /// A file with the bytes of another one.
  case same
  case add, release, token
  /// Keys come from a `credential_process`.
  case program
  /// Storage and backend want a client certificate.
  case certificate
  /// The certificates of storage and backend are from one of the system's authorities.
  case authority
  /// The key is wrong, and is put right while a job waits for it.
  case key
  /// A question that is told by a webhook and by the ping, and answered by the command: with yes and with no.
  case question
  /// The entries of a job.
  case journal
  /// Metrics and probes.
  case listener
  /// The operator's page.
  case page
  /// `waybill check` of a spool in which the daemon may not write.
  case check
  /// The spool is not there at the start.
  case reload
  /// A look at the ledger and a copy of it.
  case ledger
  /// Too little is free for the ledger.
  case space
  /// SIGKILL while a request is in flight, and the next start.
  case kill
  /// A stop in order while a request is in flight, and the next start.
  case stop

  /// True if it concerns the whole daemon: it has the place for itself. These come last, in this order.
  var isAlone: Bool {
    switch self {
    case .ledger, .space, .kill, .stop: true
    default: false
    }
  }

  /// True if its files go to the storage and the backend that are brought into trouble.
  var isTroubled: Bool { [.question, .kill, .stop].contains(self) }

  func spool(in place: any Place) -> String {
    // For the unit, all of the system but its spools is read-only.
    self == .inPlace && place.kind.isUnit ? "/srv/\(rawValue)" : "\(place.spools)/\(rawValue)"
  }

  func run(_ visit: PlaceVisit) async throws {
    switch self {
    case .file: try await dropFiles(visit)
    case .tree: try await dropTrees(visit)
    case .group: try await dropGroup(visit)
    case .pair: try await dropPair(visit)
    case .attributes: try await dropWithAttributes(visit)
    case .parts: try await dropParts(visit)
    case .archive, .archiveElsewhere, .disk: try await archive(visit, in: archive(in: visit.place))
    case .stranger: try await dropAsStranger(visit)
    case .writer: try await writeWithAPause(visit)
    case .kept: try await keep(visit)
    case .inPlace: return try await stayInPlace(visit)
    case .same: try await dropTheSame(visit)
    case .add: try await add(visit)
    case .release: try await release(visit)
    case .token, .program, .certificate, .authority, .polled:
      try await visit.drop("printf \(rawValue) > .x && mv .x \(rawValue).pdf")
      try await visit.expectRegistered("\(rawValue).pdf", rawValue)
    case .key: try await correctKey(visit)
    case .question: try await answer(visit)
    case .journal: try await readEntries(visit)
    case .listener: try await listen(visit)
    case .page: try await openPage(visit)
    case .check: return try await check(visit)
    case .reload: try await reload(visit)
    case .ledger: try await copyLedger(visit)
    case .space: try await wantSpace(visit)
    case .kill: try await kill(visit)
    case .stop: try await stop(visit)
    }
    try await visit.expectEmpty()
  }
}
