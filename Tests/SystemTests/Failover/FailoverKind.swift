import ChildProcesses
import Foundation

@testable import Harness

/// What a shared spool takes: a file, a document with its sidecar, or a directory as one unit.
enum FailoverKind: String, CaseIterable {
  case file
  case pair
  case group

  func adjust(_ setup: inout DaemonSetup) {
    switch self {
    case .file: break
    case .pair: setup.spoolLines += ["sidecar = \"{name}.json\"", "sidecar_wait = \"10min\""]
    case .group: Groups.adjust(&setup)
    }
  }

  /// Drops one; the name of a pair is that of its document.
  func drop(_ rig: Rig, _ name: String) throws {
    switch self {
    case .file: try rig.drop(name)
    case .pair:
      try rig.drop(name + ".json", Data(#"{"case":"\#(name)"}"#.utf8))
      try rig.drop(name)
    case .group: try Groups.drop(rig, name, ["a.bin": Data("a".utf8), "b/c.bin": Data("bc".utf8), "b/d.bin": Data()])
    }
  }

  /// What is wrong with the body of a registration: something is missing from it, or from the storage.
  func faults(of body: JSONValue, _ name: String, _ objects: [String: JSONValue]) -> [String] {
    var faults: [String] = []
    func require(_ object: JSONValue) {
      if objects[object.key.string ?? ""]?.size.int != object.size.int {
        faults.append("\(name) has no object of its size: \(object.key)")
      }
    }
    switch self {
    case .file: require(body)
    case .pair:
      require(body)
      if body.metadata.case.string != name { faults.append("\(name) is registered without its metadata: \(body)") }
    case .group:
      body.files.array.forEach(require)
      let paths = body.files.array.compactMap(\.path.string).sorted()
      if paths != ["a.bin", "b/c.bin", "b/d.bin"] { faults.append("\(name) is registered with \(paths)") }
    }
    return faults
  }
}

extension Hosts {
  /// The files that are left in the spool, and in `.waybill`.
  func filesLeft() -> [String] {
    rig.filesInSpool().filter { !$0.hasSuffix("/.waybill/holder") }
  }
}
