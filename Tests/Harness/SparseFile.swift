import ChildProcesses
import Foundation

/// A large file that is mostly holes: it takes little of the disk, and no two parts of it are alike.
struct SparseFile {
  let url: URL
  let size: Int

  /// Each MiB begins with its offset.
  init(_ url: URL, size: Int) throws {
    self.url = url
    self.size = size
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else { throw Missing(url.path) }
    let handle = try FileHandle(forWritingTo: url)
    defer { handle.closeFile() }
    try handle.truncate(atOffset: UInt64(size))
    for offset in stride(from: 0, to: size, by: 1 << 20) {
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data("\(offset)".utf8.prefix(size - offset)))
    }
  }

  /// SHA-256 in hex, and the checksum that S3 has of it in parts of that size, by a program that shares nothing with the
  /// code under test.
  func sums(partSize: Int) async throws -> (sha256: String, composite: String) {
    let script = """
      import base64, hashlib, sys
      part = int(sys.argv[2])
      whole, parts, count = hashlib.sha256(), hashlib.sha256(), 0
      with open(sys.argv[1], "rb") as file:
          while file.peek(1):
              one, left = hashlib.sha256(), part
              while left > 0 and (data := file.read(min(left, 1 << 20))):
                  one.update(data)
                  whole.update(data)
                  left -= len(data)
              parts.update(one.digest())
              count += 1
      print(whole.hexdigest(), f"{base64.b64encode(parts.digest()).decode()}-{count}")
      """
    let command = try await Command.run(
      [try await Products.python.value, "-c", script, url.path, String(partSize)],
      within: patience + .seconds(size >> 24))
    let words = command.output.split(whereSeparator: \.isWhitespace).map(String.init)
    guard command.status == 0, words.count == 2 else { throw Missing("the sums of \(url.path): \(command.errors)") }
    return (words[0], words[1])
  }
}
