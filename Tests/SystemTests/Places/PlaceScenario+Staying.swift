import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that stay where they are, and files that were sent before.
extension PlaceScenario {
  /// The name of the file that stays, and the number of its registrations: a changed file is registered once more.
  static let staying = (name: "photo.jpg", registrations: 2)

  /// Makes the directory in which nobody but the operator writes.
  func makeSource(in place: any Place) async throws {
    let path = spool(in: place)
    if place.kind.isUnit { return try await place.mount(path) }
    try await Command.require(["install", "-d", "-m", "755", place.outside(path)])
  }

  func stayInPlace(_ visit: PlaceVisit) async throws {
    let place = visit.place
    func put(_ name: String, _ text: String) async throws {
      let folder = place.outside(visit.spool)
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/.new"))
      try await Command.require(["chmod", "644", "\(folder)/.new"])
      try await Command.require(["mv", "\(folder)/.new", "\(folder)/\(name)"])
    }
    try await put(Self.staying.name, "one")
    let first = try await visit.expectRegistered(Self.staying.name, "one")
    try await put(Self.staying.name, "two")
    try await place.job(named: Self.staying.name, in: "registered", newerThan: first.job.int ?? 0)
    let second = try await visit.expectRegistered(Self.staying.name, "two")
    #expect(second.key != first.key)
    #expect(try place.files(below: visit.spool) == [Self.staying.name])

    guard place.kind.isUnit else { return }
    // An upload may have it open for a moment.
    try await until("the medium to be pulled") { try await place.administer(["umount", visit.spool]).status == 0 }
    // At once the empty directory below is looked into, so it is no problem for long.
    try await until("its loss to be told") {
      try await place.entries().contains {
        $0.WAYBILL_EVENT == "spool-problem" && $0.WAYBILL_SPOOL == .string(rawValue)
          && $0.MESSAGE.string?.contains("was removed, replaced or unmounted") == true
      }
    }
    try await place.mount(visit.spool)
    try await put("other.jpg", "three")
    try await visit.expectRegistered("other.jpg", "three")
    try await until("the problem to be over") { try await place.status().problems == [] }
  }

  func dropTheSame(_ visit: PlaceVisit) async throws {
    try await visit.drop("printf bytes > .x && mv .x first.pdf")
    let first = try await visit.expectRegistered("first.pdf", "bytes")
    try await visit.drop("printf bytes > .x && mv .x second.pdf")
    let second = try await visit.place.job(named: "second.pdf", in: "skipped")
    #expect(second.same_as == first.job)
    #expect(try visit.sandbox.registrations().map(\.body).count { $0.id == second.id } == 0)
  }
}
