import Jobs
import OpenSSL

/// The bytes of a dropped file: runs of one line each, so that no two files and no two versions of a file have the same.
package struct FileContent: Codable, Hashable, Sendable {
  package struct Run: Codable, Hashable, Sendable {
    /// The number that tells it from the file's other runs.
    package var mark: Int
    package var size: Int

    package init(mark: Int, size: Int) {
      self.mark = mark
      self.size = size
    }
  }

  package var file: Int
  /// Tells apart what is dropped together, e.g. the files of a group.
  package var part: Int
  package var runs: [Run]

  package init(file: Int, part: Int = 0, runs: [Run]) {
    self.file = file
    self.part = part
    self.runs = runs
  }

  package var size: Int { runs.reduce(0) { $0 + $1.size } }

  package var bytes: [UInt8] {
    if runs.count == 1, let run = runs.first { return bytes(of: run) }
    var all: [UInt8] = []
    all.reserveCapacity(size)
    for run in runs { all += bytes(of: run) }
    return all
  }

  package func bytes(of run: Run) -> [UInt8] {
    let line = Array("\(file).\(part).\(run.mark) is what a simulation has dropped into a spool\n".utf8)
    // Long blocks are fast also where nothing is optimized.
    var block = line
    while block.count < min(run.size, Self.longestBlock) { block += line }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(run.size)
    while bytes.count + block.count <= run.size { bytes += block }
    if bytes.count < run.size { bytes += block.prefix(run.size - bytes.count) }
    return bytes
  }

  private static let longestBlock = 1 << 14

  package var sum: ContentSum { KnownSums.sum(of: self) }

  package func matches(_ pieces: [Piece]) -> Bool {
    guard pieces.reduce(0, { $0 + $1.size }) == size else { return false }
    return KnownSums.sums(of: self, inPieces: pieces.map(\.size)) == pieces.map(\.sha256)
  }
}

package struct ContentSum: Codable, Hashable, Sendable {
  package var size: Int
  package var sha256: String

  package init(_ bytes: [UInt8]) {
    size = bytes.count
    sha256 = Hex.text(SHA256.hash(data: bytes))
  }
}
