import FoundationEssentials
import NIOPosix
import OpenSSL
import SystemPackage

/// Uploads in parts: a folder for each, with its parts and a record of each part beside it.
///
/// One thread does its work and that of the objects' folder, in the order of the calls.
final class UploadFolder: Sendable {
  private let uploads: FilePath
  private let thread: NIOThreadPool
  let objects: ObjectFolder

  init(data: FilePath, objects: ObjectFolder, thread: NIOThreadPool) throws {
    uploads = data.appending("uploads")
    self.objects = objects
    self.thread = thread
    try FileManager.default.createDirectory(atPath: uploads.string, withIntermediateDirectories: true)
  }

  func create(_ record: UploadRecord) async throws {
    let folder = uploads.appending(record.id)
    try await thread.runIfActive {
      try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
      try RecordFile.write(record, to: folder.appending("upload.json"))
    }
  }

  /// The upload of a key.
  /// - Throws: NoSuchUpload.
  func upload(_ id: String, of key: String) async throws -> UploadRecord {
    let path = try folder(of: id).appending("upload.json")
    let record: UploadRecord = try await thread.runIfActive {
      guard FileManager.default.fileExists(atPath: path.string) else { throw StorageError.noSuchUpload }
      return try RecordFile.read(path)
    }
    guard record.key == key else { throw StorageError.noSuchUpload }
    return record
  }

  /// Makes a body a part. It replaces a part of the same number.
  func add(_ body: ObjectFolder.Incoming, as record: PartRecord, to id: String) async throws {
    let folder = try folder(of: id)
    let (file, beside) = (folder.appending("\(record.number)"), folder.appending("\(record.number).json"))
    try await thread.runIfActive {
      guard FileManager.default.fileExists(atPath: folder.string) else {
        try ObjectFolder.discard(body)
        throw StorageError.noSuchUpload
      }
      try ObjectFolder.move(body, to: file)
      try RecordFile.write(record, to: beside)
    }
  }

  func parts(of id: String) async throws -> [PartRecord] {
    let folder = try folder(of: id)
    return try await thread.runIfActive { try Self.parts(in: folder) }
  }

  /// All uploads with their parts, sorted by key and then by id.
  func all() async throws -> [OpenUpload] {
    try await thread.runIfActive { [uploads] in
      try FileManager.default.contentsOfDirectory(atPath: uploads.string)
        .map { id in
          let folder = uploads.appending(id)
          return OpenUpload(
            upload: try RecordFile.read(folder.appending("upload.json")), parts: try Self.parts(in: folder))
        }
        .sorted {
          ($0.upload.key, $0.upload.id) < ($1.upload.key, $1.upload.id)
        }
    }
  }

  /// Ends an upload and removes its parts.
  func abort(_ id: String) async throws {
    let folder = try folder(of: id)
    try await thread.runIfActive { try FileManager.default.removeItem(atPath: folder.string) }
  }

  /// Makes an object of parts; the upload is then gone.
  /// - Parameter told: the checksum of the whole object that the request came with.
  /// - Throws: PreconditionFailed if there is an object and `replacing` is false; BadDigest if the checksum is another one. Then nothing
  ///   has changed.
  func complete(
    _ upload: UploadRecord, _ parts: [PartRecord], replacing: Bool, now: Date, as dialect: Dialect, told: String?
  ) async throws -> ObjectRecord {
    let folder = try folder(of: upload.id)
    let body = try await objects.begin()
    return try await thread.runIfActive { [objects] in
      var receipt = BodyReceipt()
      for part in parts {
        let bytes = try Data(contentsOf: URL(filePath: folder.appending("\(part.number)").string))
        for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
          let chunk = [UInt8](bytes[start..<min(start + (1 << 20), bytes.count)])
          receipt.update(chunk)
          try objects.write(chunk, to: body)
        }
      }
      let record = Self.record(upload, parts, receipt, now, dialect)
      if let told, dialect.checksums.complete.isKept, let value = record.checksums?.values.first, value != told {
        try ObjectFolder.discard(body)
        throw StorageError(
          400, dialect.checksums.wrong,
          "The \(upload.algorithm ?? "") you specified did not match the calculated checksum.")
      }
      try objects.place(body, as: record, replacing: replacing)
      try FileManager.default.removeItem(atPath: folder.string)
      return record
    }
  }

  private static func record(
    _ upload: UploadRecord, _ parts: [PartRecord], _ receipt: BodyReceipt, _ now: Date, _ dialect: Dialect
  ) -> ObjectRecord {
    var md5 = MD5()  // as S3 has it: the MD5 of the parts' MD5s, and their number
    for part in parts { md5.update(data: PercentEncoding.bytes(hex: part.etag) ?? []) }
    var checksums: [String: String] = [:]
    if let algorithm = upload.algorithm {
      if upload.type == "FULL_OBJECT" {
        checksums[algorithm] = receipt.checksum(algorithm)
      } else {
        var sums = BodyReceipt()
        for part in parts { sums.update(Array(Data(base64Encoded: part.checksum ?? "") ?? Data())) }
        checksums[algorithm] = sums.checksum(algorithm).map { dialect.checksums.hasCount ? "\($0)-\(parts.count)" : $0 }
      }
    }
    return ObjectRecord(
      key: upload.key, size: receipt.size, etag: PercentEncoding.hex(md5.finalize()) + "-\(parts.count)",
      sha256: receipt.digest, lastModified: now, metadata: upload.metadata, headers: upload.headers,
      checksums: checksums, upload: upload.id, encryption: upload.encryption)
  }

  private static func parts(in folder: FilePath) throws -> [PartRecord] {
    guard FileManager.default.fileExists(atPath: folder.string) else { throw StorageError.noSuchUpload }
    return try FileManager.default.contentsOfDirectory(atPath: folder.string)
      .filter { $0.hasSuffix(".json") && $0 != "upload.json" }
      .map { try RecordFile.read(folder.appending($0)) as PartRecord }
      .sorted { $0.number < $1.number }
  }

  /// An id names a folder, so only an id that was given out is allowed.
  private func folder(of id: String) throws(StorageError) -> FilePath {
    guard UUID(uuidString: id) != nil else { throw StorageError.noSuchUpload }
    return uploads.appending(id)
  }
}

extension StorageError {
  static let noSuchUpload = StorageError(
    404, "NoSuchUpload", "The specified upload does not exist. It may have been aborted or completed.")
}
