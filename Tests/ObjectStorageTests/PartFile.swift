import Foundation
import Jobs
import OpenSSL
import Synchronization

@testable import ObjectStorage

/// A large file that is mostly holes, and the object it becomes over several attempts, as the pipeline leads them.
final class PartFile: Sendable {
  static let partSize: Int64 = 5 << 20

  let file: TestFile
  let size: Int64
  let sha256: String
  private let begun = Mutex<[MultipartUpload]>([])
  /// The job's id, which is part of its key as by default.
  static let id = TestFile.newID()
  static let key = "large/\(id)/ü b.pdf"
  private let id: JobID
  let key: String

  init(size: Int64, key: String = PartFile.key, id: JobID = PartFile.id) throws {
    (self.size, self.key, self.id) = (size, key, id)
    file = try TestFile([])
    try file.truncate(to: size)
    let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
    for (index, offset) in stride(from: Int64(0), to: size, by: Int(Self.partSize)).enumerated() {
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data("part \(index)".utf8.prefix(Int(size - offset))))
    }
    if size > 0 {
      try handle.seek(toOffset: UInt64(size - 1))
      try handle.write(contentsOf: Data([0x2E]))
    }
    try handle.close()
    sha256 = try Self.sha256(file.path)
  }

  var uploads: [MultipartUpload] { begun.withLock { $0 } }

  /// What an attempt is to store, as the ledger would hand it out after one that ended with this failure.
  func object(
    bucket: String = "documents", key: String? = nil, after failure: Failure? = nil, attempt: Int? = nil
  ) throws -> ObjectToStore {
    var object = try file.object(bucket: bucket, key: key ?? self.key, id: id, metadata: ["invoice": "17"])
    object.multipart = uploads.last
    object.mayBeStored = failure?.mayHaveActed ?? false
    object.mayHaveUploads = (attempt ?? (failure == nil ? 1 : 2)) > 1
    object.since = TestBucket.systemTime()
    object.began = { upload in
      self.begun.withLock { $0.append(upload) }
      return true
    }
    return object
  }

  static func sha256(_ path: String) throws -> String {
    var hash = SHA256()
    let handle = try FileHandle(forReadingFrom: URL(filePath: path))
    while let bytes = try handle.read(upToCount: 1 << 20), !bytes.isEmpty { hash.update(data: Array(bytes)) }
    try handle.close()
    return Hex.text(hash.finalize())
  }
}
