import ChildProcesses
import Foundation
import Testing

extension SwallowingStorage {
  /// Has a daemon with a spool for each of these storages, and sees that no file is removed and one question is asked for each.
  static func expectNothingIsLost(at places: [(name: String, url: String, isInParts: Bool)]) async throws {
    try await withRig({ setup in
      setup.concurrency = 64
      setup.furtherSpools = try places.map { place in
        let lines = place.isInParts ? ["part_size = \"5MiB\""] : []
        return try setup.hostile(place.name, .storage, url: place.url, lines: lines)
      }.joined()
    }) { rig in
      func data(_ place: (name: String, url: String, isInParts: Bool)) -> Data {
        place.isInParts ? Data("0123456789".utf8) + Data(count: 5 << 20) : Data("0123456789".utf8)
      }
      for place in places { try rig.drop("\(place.name)-1.pdf", data(place), in: place.name) }
      for place in places {
        do {
          let job = try await rig.daemon.job(named: "\(place.name)-1.pdf", in: "awaiting-confirmation")
          #expect(job.error.kind == "destination", "\(place.name): \(job.error)")
          #expect(job.step == "upload" && job.link.isNull, "\(place.name)")
          let path = try #require(job.existingPath, "\(place.name): \(job)")
          #expect(FileManager.default.contents(atPath: path) == data(place), "\(place.name)")
          // One question for the destination: the next file is tried now and then, and waits.
          try rig.drop("\(place.name)-2.pdf", data(place), in: place.name)
        } catch {
          Issue.record("\(place.name): \(error)")
        }
      }
      try await until("all to be held") {
        let held = try await rig.daemon.jobs().count { $0.state == "queued" && $0.held_by.reason == "question" }
        return held == places.count
      }
      let gates = try await rig.daemon.status().gates.array
      for place in places {
        #expect(
          gates.contains { $0.destination.string == "storage.\(place.name)" && $0.reason == "question" },
          "\(place.name)")
        let second = try await rig.daemon.jobs().first { $0.name.string == "\(place.name)-2.pdf" }
        #expect(second?.question.isNull == true, "\(place.name): \(second ?? .null)")
        #expect(second?.existingPath != nil, "\(place.name)")
      }
      // Another storage's jobs go on, and nothing of these was registered.
      try await rig.drop("after.pdf", until: "registered")
      #expect(try rig.sandbox.registrations().count == 1)
      let check = try await rig.daemon.waybill("check", "--probe", "--config", rig.setup.config.path)
      #expect(check.status == 78)
      for place in places where !place.isInParts {
        let told = check.output.split(separator: "\n").filter { $0.contains("storage.\(place.name) ") }
        #expect(told.contains { Self.isFault($0) }, "\(place.name): \(told)")
      }
    }
  }

  private static func isFault(_ line: Substring) -> Bool {
    ["does not show", "does not have it", "without its metadata", "another size", "cannot store"].contains {
      line.contains($0)
    }
  }
}
