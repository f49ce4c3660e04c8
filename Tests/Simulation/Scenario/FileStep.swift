/// One thing that a dropping program does. Paths begin at the world's root.
package enum FileStep: Codable, Hashable, Sendable {
  /// Makes a directory, and those above it.
  case makeFolder(String)
  /// Makes a file, opens it for writing and leaves it open.
  case open(String)
  /// Writes a run of a file's content at the end of a file, which it opens if it is not open.
  case write(String, FileContent, FileContent.Run)
  /// Writes the text of a sidecar for a content.
  case writeSidecar(String, file: Int)
  /// Closes a file.
  case close(String)
  /// Renames a file or directory, and replaces what is there.
  case rename(String, to: String)
  /// Sets the time of a file's last change to now.
  case touch(String)
  /// Changes a file's mode, and with it its ctime alone.
  case changeMode(String)
  /// The file is whole now: what stands there counts in the books, as a version of a drop.
  case finish(Drop, FileVersion)
}

/// A version of what was dropped: the contents that belong together.
package struct FileVersion: Codable, Hashable, Sendable {
  /// One of its files.
  package struct Part: Codable, Hashable, Sendable {
    /// The part that a file plays.
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

    /// What it is.
    package var role: Role
    /// Its size and hash.
    package var sum: ContentSum
    /// The bytes, as far as they are made of runs.
    package var content: FileContent?

    /// A file.
    package init(_ role: Role, sum: ContentSum, content: FileContent?) {
      self.role = role
      self.sum = sum
      self.content = content
    }
  }

  /// Its files.
  package var parts: [Part]

  /// A version.
  package init(_ parts: [Part]) { self.parts = parts }
}
