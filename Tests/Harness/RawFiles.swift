import ChildProcesses
import Foundation

extension Rig {
  struct RawFile: Codable {
    var name: [UInt8]
    var data: [UInt8]
    /// Extended attributes by full name.
    var attributes: [String: [UInt8]] = [:]
  }

  /// Puts files into the spool the right way, by a program that takes names as bytes.
  func drop(_ files: [RawFile]) async throws {
    let script = """
      import json, os, sys
      outside, spool = map(os.fsencode, sys.argv[1:])
      os.makedirs(outside, exist_ok=True)
      for file in json.load(sys.stdin):
          name = bytes(file["name"])
          path = os.path.join(outside, b"file")
          with open(path, "wb") as out:
              out.write(bytes(file["data"]))
          for attribute, value in file["attributes"].items():
              os.setxattr(path, attribute.encode(), bytes(value))
          os.rename(path, os.path.join(spool, name))
      """
    let command = try await Command.run(
      [try await Products.python.value, "-c", script, folder.appending(path: "outside").path, setup.spool.path],
      input: try JSONEncoder().encode(files))
    guard command.status == 0 else { throw Missing("files could not be dropped: \(command.errors)") }
  }
}
