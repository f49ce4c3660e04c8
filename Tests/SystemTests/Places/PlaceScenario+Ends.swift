import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The scenarios that concern the whole daemon.
extension PlaceScenario {
  func wantSpace(_ visit: PlaceVisit) async throws {
    let configuration = "\(visit.place.settings)/waybill.toml"
    let before = try visit.place.read(configuration)
    try await visit.place.install(
      configuration, before.replacing("[daemon]\n", with: "[daemon]\nmin_free = \"1024TiB\"\n"))
    let reload = try await visit.place.reload()
    #expect(reload.status == 0, "\(reload)")
    try await visit.drop("printf late > .x && mv .x late.pdf")
    try await until("it to be told") {
      try await visit.place.status().problems.array.contains { $0.what.string?.contains("min_free") == true }
    }
    let explained = try await visit.waybill("explain", "\(visit.spool)/late.pdf")
    #expect(explained.contains("min_free"), "\(explained)")
    #expect(try visit.place.files(below: visit.spool) == ["late.pdf"])
    try await visit.place.install(configuration, before)
    let again = try await visit.place.reload()
    #expect(again.status == 0, "\(again)")
    try await visit.expectRegistered("late.pdf", "late")
  }

  /// Holds the registration of a file, and returns its job.
  private func hold(_ visit: PlaceVisit) async throws -> JSONValue {
    try await visit.sandbox.fail(["register": ["hold": true]])
    let before = try await visit.sandbox.count("register")
    try await visit.drop("printf \(rawValue) > .x && mv .x \(rawValue).pdf")
    try await visit.sandbox.receives("register", before + 1)
    return try await visit.place.job(named: "\(rawValue).pdf", in: "active")
  }

  func kill(_ visit: PlaceVisit) async throws {
    let held = try await hold(visit)
    let uploads = try await visit.sandbox.count("upload")
    try await visit.place.kill()
    try await visit.sandbox.recover()
    try await visit.place.startAgain()
    let job = try await visit.expectRegistered("\(rawValue).pdf", rawValue)
    #expect(job.id == held.id && job.job == held.job)
    #expect(try await visit.sandbox.count("upload") == uploads)
    #expect(job.attempts.array.filter { $0.step == "register" }.map(\.outcome) == ["cut", "succeeded"])
  }

  func stop(_ visit: PlaceVisit) async throws {
    func stops() async throws -> Int {
      try await visit.place.entries().count { $0.WAYBILL_EVENT == "stopping" }
    }
    let held = try await hold(visit)
    let before = try await stops()
    async let end: Void = visit.place.stop()
    try await until("the stop to begin") { try await stops() > before }
    try await visit.sandbox.recover()
    try await end
    // It was heard to its end: nothing is sent again.
    let requests = try await visit.sandbox.count("register")
    try await visit.place.startAgain()
    let job = try await visit.expectRegistered("\(rawValue).pdf", rawValue)
    #expect(job.id == held.id)
    #expect(job.attempts.array.allSatisfy { $0.outcome == "succeeded" }, "\(job.attempts)")
    #expect(try await visit.sandbox.count("register") == requests)
  }
}
