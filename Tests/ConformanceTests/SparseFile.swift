import ChildProcesses
import Foundation
import Jobs
import Linux
import OpenSSL
import Synchronization

@testable import ObjectStorage

/// A file of any size, mostly holes, and the object that it becomes over several attempts, as the pipeline leads them.
final class SparseFile: Sendable {
  private let folder: TemporaryFolder
  private let id: JobID
  private let begun = Mutex<[MultipartUpload]>([])
  let size: Int64
  let key: String

  /// Each MiB begins with its number, so that no part is like another one.
  init(_ size: Int64, key: String = "conformance/\(UUID())/a b+ü.pdf", id: JobID? = nil) throws {
    self.size = size
    self.key = key
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    self.id = id ?? JobID.mint(at: FarStorage.time(), random: &random)
    folder = try TemporaryFolder()
    try Data().write(to: URL(filePath: folder.file("file")))
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.file("file")))
    try handle.truncate(atOffset: UInt64(size))
    for offset in stride(from: Int64(0), to: size, by: 1 << 20) {
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data("\(offset)".utf8.prefix(Int(size - offset))))
    }
    try handle.close()
  }

  var sha256: String {
    get throws {
      var hash = SHA256()
      let handle = try FileHandle(forReadingFrom: URL(filePath: folder.file("file")))
      while let bytes = try handle.read(upToCount: 1 << 20), !bytes.isEmpty { hash.update(data: Array(bytes)) }
      return Hex.text(hash.finalize())
    }
  }

  /// The uploads in parts that became durable.
  var uploads: [MultipartUpload] { begun.withLock { $0 } }

  /// What an attempt is to store, as the ledger hands it out: the first one, or one after a failure.
  func object(in bucket: String, after failure: Failure? = nil) throws -> ObjectToStore {
    let folder = self.folder
    let open: @Sendable () throws -> OpenFile = { try Directory(path: folder.path).open(Array("file".utf8)) }
    var object = ObjectToStore(
      id: id, bucket: bucket, key: key, contentType: "application/pdf", metadata: ["invoice": "17"],
      expected: FileIdentity(try open().facts()), open: open)
    object.multipart = uploads.last
    object.mayBeStored = failure?.mayHaveActed ?? false
    object.mayHaveUploads = failure != nil
    object.since = FarStorage.time()
    object.began = { upload in
      self.begun.withLock { $0.append(upload) }
      return true
    }
    return object
  }
}
