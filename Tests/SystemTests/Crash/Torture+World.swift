import ChildProcesses
import Foundation
import Glibc

@testable import Harness

/// What the world does: files come, servers fail, the disk is full, the clock jumps.
extension Torture {
  /// Drops files of all sizes by each of the ways that programs have.
  func drop() async throws {
    var chance = chance(1)
    var number = 0
    while isOn {
      number += 1
      let name = "file-\(number).bin"
      let data = try Bytes.random(Self.size(&chance))
      do {
        // files that wait are not to fill the ledger's disk for good
        if chance.happens(50), try disk.free > disk.size / 2 {
          try await put(name, data, into: rig.setup.spool, from: disk.url, &chance)
        } else if chance.happens(50) {
          try await put(name, data, into: second, from: second.deletingLastPathComponent(), &chance)
        } else {
          try await write(name, data, &chance)
        }
        enter(name, sha256: try await Bytes.sha256(data))
      } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
        count("drops without space")
      }
      try await rest(&chance, 10...150)
    }
  }

  private static func size(_ chance: inout Chance) -> Int {
    switch chance.int(1...40) {
    case 1...4: 0
    case 5...28: chance.int(1...20_000)
    case 29...38: chance.int(20_001...600_000)
    case 39: 5 << 20
    default: chance.int((5 << 20) + 1...12 << 20)
    }
  }

  /// Written elsewhere in the same file system, then renamed or linked in.
  private func put(_ name: String, _ data: Data, into spool: URL, from base: URL, _ chance: inout Chance) async throws {
    let outside = base.appending(path: "outside-" + name)
    do {
      try data.write(to: outside)
      if chance.happens(50) {
        try FileManager.default.linkItem(at: outside, to: spool.appending(path: name))
      } else {
        try FileManager.default.moveItem(at: outside, to: spool.appending(path: name))
      }
    } catch {
      if FileManager.default.fileExists(atPath: outside.path) { try FileManager.default.removeItem(at: outside) }
      throw error
    }
    if FileManager.default.fileExists(atPath: outside.path) { try FileManager.default.removeItem(at: outside) }
  }

  /// Written in place, in two portions, by a program that keeps it open meanwhile.
  private func write(_ name: String, _ data: Data, _ chance: inout Chance) async throws {
    let outside = rig.folder.appending(path: "outside-" + name)
    try data.write(to: outside)
    let script = "{ head -c $3 \"$1\"; sleep 0.$4; tail -c +$(($3 + 1)) \"$1\"; } > \"$2\""
    let (part, pause) = (chance.int(0...data.count), chance.int(0...4))
    try await Command.require(
      ["sh", "-c", script, "_", outside.path, second.appending(path: name).path, String(part), String(pause)])
    try FileManager.default.removeItem(at: outside)
  }

  /// What may go wrong, by kind of request. Left out is what would be a lie that nobody can see through: that something
  /// is not there which is, or that it may not be looked at.
  private static let troubles: [String: [JSONValue]] = {
    let passing: [JSONValue] = [408, 429, 500, 502, 503, 504, "cut-before", "cut-after", "cut-mid"]
    let all: [JSONValue] = [400, 403, 404, 409, 422] + passing
    return [
      "upload": all, "create": all, "part": all, "complete": passing, "register": all, "head": passing,
      "parts": passing, "uploads": passing, "abort": passing, "delete": passing,
    ]
  }()

  func fail() async throws {
    var chance = chance(2)
    let kinds = Self.troubles.keys.sorted()
    while isOn {
      let kind = chance.one(of: kinds)
      var fault: [String: JSONValue] = [:]
      // An upload in parts that begins after its daemon was killed, and after the next one has looked for such uploads, is nobody's,
      // and stays. So what begins one is not delayed.
      if chance.happens(25), kind != "create" {
        fault = ["latency_ms": .number(Double(chance.int(1...1500))), "times": .number(Double(chance.int(1...4)))]
      } else {
        let troubles = Self.troubles[kind] ?? []
        fault["statuses"] = .array((0..<chance.int(1...3)).map { _ in chance.one(of: troubles) })
        // without it the gate would be closed for longer than all this lasts
        if chance.happens(90) { fault["retry_after"] = 1 }
      }
      count("faults")
      try await chance.one(of: sandboxes).fail(.object([kind: .object(fault)]))
      try await rest(&chance, 100...1000)
    }
  }

  func fillDisk() async throws {
    var chance = chance(3)
    while isOn {
      try await rest(&chance, 3000...8000)
      guard isOn else { return }
      noteDisk(isFull: true)
      try await disk.fill()
      try await rest(&chance, 200...1500)
      try disk.empty()
      noteDisk(isFull: false)
    }
  }

  /// Sets the clock of the lives that have one to be set, by hours to and fro, and right again.
  func setClock() async throws {
    var chance = chance(4)
    while isOn {
      try await rest(&chance, 1000...4000)
      try clock.set(hours: chance.one(of: [3, -5, 0.3, -1]))
      count("clock jumps", 2)
      try await rest(&chance, 500...2000)
      try clock.set(hours: 0)
    }
  }
}
