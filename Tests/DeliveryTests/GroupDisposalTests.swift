import Glibc
import Jobs
import Linux
import Spool
import Testing

@testable import Delivery

@Suite struct GroupDisposalTests {
  /// Whatever a call on the group, on one of its files or on the archive may say.
  static let numbers: [Int32] = [
    ENOENT, ENOTDIR, ELOOP, EINVAL, EXDEV, EEXIST, ENOTEMPTY, EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ENAMETOOLONG,
    EILSEQ, EIO, ESTALE, ENOMEM, EMFILE, ENFILE, EBUSY, ENODEV, ENXIO, ETIMEDOUT, EHOSTDOWN, ENOTCONN, ENOTSUP, ENOLCK,
  ]
  static let calls = [
    "use", "open", "examine", "list", "read", "rename", "link", "create", "copy", "make directory", "set attribute",
    "sync", "remove", "remove directory",
  ]

  @Test func escapedNamesGetDistinctKeys() {
    let names: [[UInt8]] = [Array("M\u{fc}ller".utf8), [0x4D, 0xFC] + Array("ller".utf8), Array("M%FCller".utf8)]
    let keys = names.map { GroupUpload.key(of: FileName(bytes: $0), in: "k/") }
    #expect(keys == ["k/M\u{fc}ller", "k/M%FCller", "k/M%25FCller"])
  }

  @Test func errorAloneProvesNoChange() {
    for call in Self.calls {
      for number in Self.numbers {
        let error = FileError(call, path: "/archive/run", errno: number)
        #expect(Stages.SpoolPart.conclusion(from: error, isThere: true) == nil, "\(error)")
        #expect(Stages.SpoolPart.conclusion(from: error, isThere: false) == .alreadyGone, "\(error)")
      }
    }
    // Only a walk through it says that it holds what no group has.
    let error = FileError("take", path: "/spool/.waybill/run/link", errno: EINVAL)
    #expect(Stages.SpoolPart.conclusion(from: error, isThere: true) == .changed(nil))
    #expect(Stages.SpoolPart.conclusion(from: error, isThere: false) == .alreadyGone)
  }

  private static func identity(size: Int64 = 3, modified: Int64 = 4, changed: Int64 = 5) -> FileIdentity {
    FileIdentity(device: 1, inode: 2, size: size, modified: modified, changed: changed)
  }

  private static let receipt = UploadReceipt(
    bucket: "b", key: "k", size: 3, etag: nil, version: nil, sha256: nil, checksum: nil, contentType: "x/y",
    uploadedAt: Timestamp(year: 2026, month: 11, day: 21))

  /// A group that was claimed at the ctime 5, registered under the link of its upload, or of a person.
  private static func job(namedByPerson: Bool) -> Job {
    let ticket = Ticket(
      id: JobID(high: 1, low: 2), spool: "s", name: FileName("run"), path: [], storage: "main", backend: "main",
      bucket: "b", key: "k/", contentType: "x/y", metadata: [:], priority: 0,
      createdAt: Timestamp(year: 2026, month: 11, day: 21),
      parcel: .group(Parcel.Group(marker: "done", files: 1)))
    var job = Job(number: JobNumber(rawValue: 1), ticket: ticket, identity: identity())
    job.stored = StoredLink(link: "s3://b/k/", receipt: namedByPerson ? nil : receipt, body: [])
    return job
  }

  @Test func removesOnlySentOrUnchangedFiles() {
    let (same, touched) = (Self.identity(), Self.identity(changed: 6))
    let (written, set) = (Self.identity(modified: 6, changed: 6), Self.identity(size: 4))
    let path = FileName("a")
    let sent = GroupMember(path: path, identity: same, receipt: Self.receipt)
    let listed = GroupMember(path: path, identity: same)
    // what it is now, what is known of it, and the answer: by an upload that holds its bytes, or not; by a person's link
    let table: [(FileIdentity, GroupMember?, held: Bool, unheld: Bool, person: Bool)] = [
      (same, sent, true, true, true), (touched, sent, true, false, true), (written, sent, false, false, false),
      (set, sent, false, false, false),
      (same, listed, false, false, true), (touched, listed, false, false, true), (written, listed, false, false, false),
      (set, listed, false, false, false),
      (same, nil, false, false, true), (touched, nil, false, false, false), (written, nil, false, false, false),
    ]
    for (file, member, held, unheld, person) in table {
      let words = "\(file) \(member == nil ? "unlisted" : member?.receipt == nil ? "listed" : "sent")"
      #expect(Self.job(namedByPerson: false).isDone(with: file, member) { _ in true } == held, "\(words)")
      #expect(Self.job(namedByPerson: false).isDone(with: file, member) { _ in false } == unheld, "\(words)")
      #expect(Self.job(namedByPerson: true).isDone(with: file, member) { _ in true } == person, "\(words)")
    }
  }
}
