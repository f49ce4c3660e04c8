import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What a cancel leaves at the storage: settled and, if asked for, removed, in every state and whatever the storage does.
@Suite(.slot)
struct RemoteTests {
  /// Every state that is not terminal, with what it takes to get there.
  enum Place: String, CaseIterable, CustomTestStringConvertible {
    case queued, uploading, deferred, refused, awaitingCredentials, awaitingNetwork, registering, unregistered

    var testDescription: String { rawValue }

    var isUploaded: Bool { self == .registering || self == .unregistered }
    var state: String {
      switch self {
      case .queued: "queued"
      case .uploading, .registering: "active"
      case .deferred: "deferred"
      case .refused, .unregistered: "awaiting-confirmation"
      case .awaitingCredentials: "awaiting-credentials"
      case .awaitingNetwork: "awaiting-network"
      }
    }
  }

  /// Brings a job into a state. The daemon's first retry comes after an hour.
  private func bring(_ rig: Rig, to place: Place) async throws {
    switch place {
    case .queued: #expect(try await rig.daemon.waybill("pause", "--storage", "main").status == 0)
    // For good: one that was held would take effect once it is let go.
    case .uploading: try await rig.sandbox.fail(["upload": ["latency_ms": 600_000]])
    case .deferred: try await rig.sandbox.fail(["upload": ["status": 500]])
    case .refused: try await rig.sandbox.fail(["upload": ["status": 422]])
    case .awaitingCredentials: try await rig.sandbox.fail(["upload": ["status": 401]])
    case .awaitingNetwork: rig.sandbox.cut()
    case .registering: try await rig.sandbox.fail(["register": ["hold": true]])
    case .unregistered: try await rig.sandbox.fail(["register": ["status": 422]])
    }
    try rig.drop("a.pdf")
    try await until("a.pdf to be \(place.state) as \(place)") {
      let job = try await rig.daemon.jobs().first
      return job?.state.string == place.state && (!place.isUploaded || job?.step == "register")
    }
    if place == .uploading { try await rig.sandbox.receives("upload") }
  }

  private func remote(_ rig: Rig, is expected: String, line: Int = #line) async throws -> JSONValue {
    try await until("remote to be \(expected)", line: line) {
      let job = try await rig.daemon.job(1)
      return job.remote.string == expected ? .some(job) : .none
    }
  }

  private let later: (inout DaemonSetup) -> Void = {
    $0.delays = ["1h"]
    $0.waitForServers()
  }

  /// With the object to be removed, and without where there is one.
  static let cases: [(Place, Bool)] = Place.allCases.map { ($0, true) } + [(Place.unregistered, false)]

  @Test(arguments: cases)
  func cancelWorksInEveryState(_ place: Place, _ remove: Bool) async throws {
    try await withRig(later) { rig in
      try await bring(rig, to: place)
      let cancel = try await rig.daemon.waybill(["cancel", "1"] + (remove ? ["--remove"] : []))
      #expect(cancel.status == 0, "\(cancel.errors)")
      let noun = place.isUploaded ? "Registration" : "Upload"
      #expect(cancel.output.hasPrefix("\(noun) of a.pdf cancelled by "))
      let job = try await rig.daemon.job(1)
      #expect(job.state == "cancelled" && job.existingPath != nil)
      switch place {
      case .queued:
        #expect(job.remote.isNull)
      case .refused, .awaitingCredentials, .awaitingNetwork:
        #expect(job.remote == "clean", "what was sent had no effect")
      case .uploading, .deferred:
        // 500 may come after the work was done
        #expect(cancel.output.contains("is being deleted"))
        if place == .uploading { try await rig.sandbox.recover() }
        let settled = try await self.remote(rig, is: "clean")
        #expect(settled.cleanup.isNull && settled.history.array.last?.event == "cleaned", "\(settled)")
        #expect(try await rig.sandbox.count("delete") == 0, "nothing was there")
      case .registering, .unregistered:
        guard remove else {
          #expect(job.remote == "object-left" && job.step == "register" && !job.link.isNull)
          #expect(try await rig.sandbox.objects().count == 1)
          break
        }
        #expect(job.step == "upload" && job.link.isNull)
        _ = try await self.remote(rig, is: "clean")
        #expect(try await rig.sandbox.objects().isEmpty)
        #expect(try await rig.sandbox.count("delete") == 1)
      }
      guard place != .awaitingNetwork else { return }
      try await rig.sandbox.recover()
      if place == .queued { #expect(try await rig.daemon.waybill("resume", "--storage", "main").status == 0) }
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      let done = try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(done.remote.isNull)
      #expect(try await rig.sandbox.objects().count == 1)
      let uploads = try await rig.sandbox.recorded("upload").count { $0.status == 200 }
      #expect(uploads == (place.isUploaded && remove ? 2 : 1))
    }
  }

  /// The answer was lost after the object was stored.
  @Test(.needs(.journald), arguments: [false, true])
  func findsObjectOfLostAnswer(_ remove: Bool) async throws {
    try await withRig(faults: ["upload": ["statuses": ["cut-after"]]], journal: true, later) { rig in
      try rig.drop("a.pdf")
      try await rig.daemon.job(named: "a.pdf", in: "deferred")
      #expect(try await rig.sandbox.objects().count == 1)
      if remove {
        #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      } else {
        #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      }
      let job = try await remote(rig, is: remove ? "clean" : "object-left")
      #expect(try await rig.sandbox.objects().count == (remove ? 0 : 1))
      #expect(try await rig.sandbox.count("delete") == (remove ? 1 : 0))
      #expect(try await rig.sandbox.count("head") == (remove ? 2 : 1), "the request may have been sent twice")
      let event = remove ? "cleaned" : "object-left"
      #expect(job.history.array.last?.event.string == event)
      let entry = try await rig.journal?.entry("WAYBILL_EVENT=\(event)")
      #expect(entry?.WAYBILL_DESTINATION == "storage.main" && entry?.WAYBILL_JOB == "1")
      #expect(entry?.PRIORITY.string == (remove ? "5" : "4"))
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      let uploads = try await rig.sandbox.recorded("upload").count { $0.status == 200 }
      #expect(uploads == (remove ? 1 : 0), "what is there already is not sent again")
    }
  }

  /// A request that has arrived whole may take effect after the first look, if nobody has heard its answer.
  @Test func findsObjectArrivingLate() async throws {
    try await withRig(faults: ["upload": ["latency_ms": 600_000], "head": ["hold": true]], later) { rig in
      try rig.drop("a.pdf")
      try await rig.sandbox.receives("upload")
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      try await rig.sandbox.receives("head")
      // The second look waits for what this test does, and the first one for that.
      #expect(try await rig.daemon.waybill("pause", "--storage", "main").status == 0)
      let job = try await rig.daemon.job(1)
      #expect(job.remote == "pending")
      try await rig.sandbox.recover()
      try await until("the first look to find nothing") { try await rig.sandbox.state().answers.head["404"] == 1 }
      try await S3Reader(storage: rig.sandbox.storage).put(
        Data("some bytes\n".utf8), at: job.key.string ?? "", id: job.id.string ?? "")
      #expect(try await rig.daemon.waybill("resume", "--storage", "main").status == 0)
      _ = try await remote(rig, is: "clean")
      #expect(try await rig.sandbox.objects().isEmpty)
      #expect(try await rig.sandbox.count("head") == 2)
      #expect(try await rig.sandbox.count("delete") == 1)
    }
  }

  @Test func objectBehindManualLinkStays() async throws {
    try await withRig(faults: ["upload": ["status": 422], "register": ["status": 422]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let confirm = try await rig.daemon.waybill("confirm", "1", "--link", "s3://documents/by-hand.pdf")
      #expect(confirm.status == 0)
      try await until("a question of step 2") {
        let job = try await rig.daemon.job(1)
        return job.state == "awaiting-confirmation" && job.step == "register"
      }
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      let job = try await rig.daemon.job(1)
      #expect(job.remote == "clean" && job.link == "s3://documents/by-hand.pdf" && job.step == "register")
      #expect(try await rig.sandbox.count("delete") == 0)
    }
  }

  @Test func jobBacklogDelaysNoCleanup() async throws {
    func setup(_ setup: inout DaemonSetup) {
      setup.concurrency = 2
      setup.waitForServers()
    }
    try await withRig(faults: ["register": ["statuses": [422]]], setup) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let held: JSONValue = ["upload": ["hold": true]]
      try await rig.sandbox.fail(held)
      for number in 1...120 { try rig.drop("\(number).txt") }
      try await until("the backlog") { try await rig.daemon.count("queued") > 60 }
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      // Two uploads go on with each look, of which far more wait: the cleanup has its turn long before their end.
      try await until("the cleanup") {
        try await rig.sandbox.fail(held)
        return try await rig.daemon.job(1).remote == "clean"
      }
      #expect(try await rig.daemon.count("queued") > 0)
      try await rig.sandbox.recover()
      try await until("the end") { try await rig.daemon.count("registered") == 120 }
      #expect(try await rig.sandbox.objects().count == 120)
    }
  }
}
