/// One thing that a dropping program does. Paths begin at the world's root.
package enum FileStep: Codable, Hashable, Sendable {
  case makeFolder(String)
  /// Makes a file for a part of a drop, opens it for writing and leaves it open.
  case open(String, drop: Drop, FileVersion.Part.Role)
  case write(String, FileContent, FileContent.Run)
  case writeSidecar(String, file: Int)
  case close(String)
  case rename(String, to: String)
  case link(String, to: String)
  /// The file is whole now: what stands there counts in the books, as a version of a drop.
  case finish(Drop, FileVersion)
}

/// A version of what was dropped: the contents that belong together.
package struct FileVersion: Codable, Hashable, Sendable {
  package struct Part: Codable, Hashable, Sendable {
    package enum Role: Codable, Hashable, Sendable {
      /// It is sent, and registered by itself.
      case document
      /// It goes with its document, and is not sent.
      case sidecar
      /// It is sent as a file of a group, by this path in it.
      case member(String)
      /// It completes a group, and is not sent.
      case marker
    }

    package var role: Role
    package var sum: ContentSum
    /// The bytes, as far as they are made of runs.
    package var content: FileContent?

    package func isHeld(by pieces: [Piece]) -> Bool {
      guard pieces.count == 1, let piece = pieces.first else { return content?.matches(pieces) ?? false }
      return piece.size == sum.size && piece.sha256 == sum.sha256
    }

    package init(_ role: Role, sum: ContentSum, content: FileContent?) {
      self.role = role
      self.sum = sum
      self.content = content
    }
  }

  package var parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }
}
