import CLinux
import FoundationEssentials
import Glibc
import SystemPackage

/// What stands in a spool before the daemon is there, and what gets into its own folder.
extension SpoolWriter {
  /// Does at once what is dropped at the very beginning: it stands there when the daemon is started for the first time. Returns the
  /// number of moments that are over thereby.
  package mutating func leave(_ scenario: Scenario, _ books: inout Books) throws -> Int {
    let first = scenario.timeline.prefix { $0.at == .zero }
    for moment in first {
      guard case .drop(let drop) = moment.action else { continue }
      for step in drop.steps { try perform(step.step, &books, at: .zero) }
    }
    return first.count
  }

  /// Puts another file into a dropped group that the daemon has claimed. Returns its path; nil if the group is not there.
  @discardableResult
  package func addMember(to group: Int, size: Int, _ books: inout Books, at now: Duration) throws -> String? {
    guard let index = books.index(of: group), case .group = books.entries[index].drop.kind,
      var version = books.entries[index].versions.last?.contents
    else { return nil }
    let drop = books.entries[index].drop
    let claims = "\(drop.spool)/.waybill"
    guard let name = try? FileManager.default.contentsOfDirectory(atPath: place(claims)),
      let claim = name.first(where: { $0.hasSuffix("~" + drop.name) })
    else { return nil }
    let content = FileContent(file: group, part: 1000, runs: [.init(mark: 1, size: size)])
    let member = "data/late.bin"
    let path = "\(claims)/\(claim)/\(member)"
    let file = try FileDescriptor.open(
      FilePath(place(path)), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite, .groupReadWrite])
    try file.closeAfter { _ = try file.writeAll(content.bytes) }
    books.overwritten(file: group)
    version.parts.append(FileVersion.Part(.member(member), sum: content.sum, content: content))
    books.finished(drop, version, at: now)
    return path
  }

  func ask(for id: String, _ descriptor: Int32) throws {
    let value = Array(id.utf8)
    guard unsafe clinux_set_attribute(descriptor, "user.waybill.id", value, value.count) == 0 else {
      throw Errno(rawValue: errno)
    }
  }
}
