import HTTPTransfer
import Jobs
import Linux
import Messages
import Seams
import Settings
import XML

struct ListedPart: Hashable, Sendable {
  var size: Int64
  /// The ETag as the storage writes it, quotes included.
  var etag: String
  /// The checksum of the upload's algorithm, if the storage shows it.
  var checksum: String?
}

/// An upload in parts that is open at a storage, no matter who began it.
struct UploadUnderWay: Hashable, Sendable {
  var bucket: String
  var key: String
  var id: String
  /// The time at which it was begun, by the storage's clock; nil if the listing has none.
  var begunAt: Timestamp?
  /// The key as in the listing, if that does not say whether keys are encoded: Ceph encodes them without saying so.
  var listedKey: String?
}

extension UploadUnderWay {
  var address: ObjectAddress { ObjectAddress(bucket: bucket, key: key) }

  /// True if the upload may have this key, or one that begins with the key of a group. A wrong match of a single key does no harm, because
  /// aborting an upload needs its exact key.
  func mayHave(key: String) -> Bool {
    if key.hasSuffix("/") { return [self.key, listedKey].contains { $0?.utf8.starts(with: key.utf8) == true } }
    return self.key == key || listedKey == key
  }

  /// True if a text may be the id of an upload: it must fit into the URL of a request.
  static func isID(_ text: String) -> Bool { (1...2048).contains(text.utf8.count) }
}

/// Requests for uploads in parts: begin, list and abort them.
extension S3Bucket {
  func create(_ object: ObjectToStore, _ source: SourceFile, partSize: Int64) async throws -> MultipartUpload {
    let begun = try await create(object)
    let form = settings.uploadForm(encryption: try encryptionMark(), isWhole: begun.takesWholeChecksum)
    return MultipartUpload(id: begun.id, partSize: partSize, checksum: form, file: source.opened)
  }

  /// Begins an upload (CreateMultipartUpload). Returns its id, and true if the storage accepts the checksum of the whole object at the end,
  /// which it shows by naming the type in its answer.
  func create(_ object: ObjectToStore) async throws -> (id: String, takesWholeChecksum: Bool) {
    var headers = try headers(of: object, conditional: false)
    if let name = settings.checksum.name {
      headers.append(HTTPHeader("x-amz-checksum-algorithm", name))
      headers.append(HTTPHeader("x-amz-checksum-type", settings.checksum.typeInParts))
    }
    Failpoint.createSending.pass()
    let response = try await send(
      Exchange(
        method: "POST", place: object.address, query: [("uploads", "")], headers: headers,
        mayBeRepeated: false, answer: .document(.uploadBegun)))
    Failpoint.createAnswered.pass()
    guard let id = XMLElement.parse(response.body)?["UploadId"]?.text, UploadUnderWay.isID(id) else {
      throw Failure(.transient, .noUploadId, mayHaveActed: true)
    }
    if let encryption = try encryption(), case .other = encryption.finding(in: response) {
      await letGo(of: id, object)
      throw encryption.failure(response)
    }
    let isWhole = settings.checksum != .none && settings.checksum.extentInParts == .full
    return (id, isWhole && response.headers[first: "x-amz-checksum-type"] == settings.checksum.typeInParts)
  }

  /// Reads the parts of an upload that the storage has, page by page (ListParts); nil if the storage does not know the upload.
  ///
  /// Listing needs a separate permission. If it is refused, or its answer cannot be understood, the result is empty and all parts
  /// are sent again. A page that does not lead to higher part numbers is the last.
  func listParts(of id: String, _ object: ObjectAddress) async throws -> [Int: ListedPart]? {
    var parts: [Int: ListedPart] = [:]
    var marker = 0
    while true {
      let page: XMLElement
      do {
        page = try await partsPage(of: id, object, after: marker)
      } catch let refusal as S3Refusal where refusal.isAbsence && refusal.answer.code != S3Code.noSuchBucket {
        return nil  // NoSuchUpload; Ceph says NoSuchKey
      } catch let refusal as S3Refusal where refusal.isOfThisRequestAlone || refusal.isNotUnderstood {
        return [:]
      }
      var last = marker
      for element in page.children {
        guard let (number, part) = listedPart(element) else { continue }
        parts[number] = part
        last = max(last, number)
      }
      let next = page["NextPartNumberMarker"].flatMap { Int($0.text) } ?? last
      guard page["IsTruncated"]?.text == "true", next > marker, PartPlan.numbers.contains(next) else { return parts }
      marker = next
    }
  }

  /// Returns a page of an upload's parts, after this part number (ListParts).
  private func partsPage(
    of id: String, _ object: ObjectAddress, after marker: Int = 0, atMost most: Int = 1000
  ) async throws -> XMLElement {
    var query = [(name: "max-parts", value: String(most)), (name: "uploadId", value: id)]
    if marker > 0 { query.append((name: "part-number-marker", value: String(marker))) }
    return try await listing(.parts, Exchange(method: "GET", place: object, query: query))
  }

  /// Returns one part as the storage lists it (ListParts); nil if the storage does not list it or refuses to.
  func listedPart(_ number: Int, of id: String, _ object: ObjectToStore) async throws -> ListedPart? {
    do {
      let page = try await partsPage(of: id, object.address, after: number - 1, atMost: 1)
      return page.children.lazy.compactMap(listedPart).first { $0.number == number }?.part
    } catch is S3Refusal {
      return nil
    }
  }

  private func listedPart(_ element: XMLElement) -> (number: Int, part: ListedPart)? {
    guard element.name == "Part", let number = element["PartNumber"].flatMap({ Int($0.text) }),
      PartPlan.numbers.contains(number), let etag = element["ETag"]?.text, !etag.hasPrefix("W/"),
      Self.unquoted(etag.utf8) != nil, let size = element["Size"].flatMap({ Int64($0.text) })
    else { return nil }
    let checksum = (element[settings.checksum.element]?.text).map {
      String(decoding: $0.utf8.prefix(Self.longestMark), as: UTF8.self)
    }
    return (number, ListedPart(size: size, etag: etag, checksum: checksum))
  }

  /// Aborts uploads that an earlier attempt began and whose ids were not made durable: those under exactly this key
  /// (ListMultipartUploads) that are not older than the job. If listing is refused, or its answer cannot be understood, nothing
  /// can be done.
  /// - Parameter isShared: true if others may upload under the key too, or if an object there is in use. Then only uploads without parts
  ///   are aborted, because this daemon sends no part before an upload's id is durable.
  func abortForgotten(
    _ object: ObjectAddress, since: Timestamp? = nil, except known: String? = nil, isShared: Bool = false
  ) async throws {
    // S3 accepts signatures within this difference between clocks ("RequestTimeTooSkewed").
    let oldest = since.map { $0 + .seconds(-15 * 60) }
    do {
      try await forEachPage(ofUploadsIn: object.bucket, prefix: object.key) { uploads in
        // The key of a group ends with a slash, and is the beginning of the keys of its objects. A storage may ignore the prefix.
        let isOfGroup = object.key.hasSuffix("/")
        let ours = uploads.filter { $0.mayHave(key: object.key) }
        for upload in ours where upload.id != known {
          if let oldest, let begunAt = upload.begunAt, begunAt < oldest { continue }
          let address = isOfGroup ? upload.address : object
          if isShared, try await mayHaveParts(upload.id, address) { continue }
          try await abort(upload.id, of: address)
        }
        // Uploads are sorted by key, so this exact key comes before all longer keys that begin with it.
        return ours.count == uploads.count
      }
    } catch let refusal as S3Refusal where refusal.isOfThisRequestAlone || refusal.isNotUnderstood {
      // Ignored: without a listing, forgotten uploads cannot be found.
    }
  }

  /// The same for a job. Its key is shared unless the key contains the job's id. With the id, an upload's age does not matter: a wrong
  /// clock, then or now, would make it wrong.
  func abortForgotten(_ object: ObjectToStore, except known: String? = nil) async throws {
    let isShared = !object.hasOwnKey
    try await abortForgotten(object.address, since: isShared ? object.since : nil, except: known, isShared: isShared)
  }

  private func mayHaveParts(_ id: String, _ object: ObjectAddress) async throws -> Bool {
    do {
      return try await partsPage(of: id, object, atMost: 1)["Part"] != nil
    } catch is S3Refusal {
      return true
    }
  }

  /// Aborts an upload. It is no error if the upload is gone, or if the credentials may not abort it.
  func abort(_ id: String, of object: ObjectAddress) async throws {
    do {
      _ = try await hasAborted(id, of: object)
    } catch let refusal as S3Refusal where refusal.isOfThisRequestAlone {
      // Ignored: the daemon can do nothing more about it.
    }
  }

  /// Aborts an upload (AbortMultipartUpload), and returns true if there was one.
  func hasAborted(_ id: String, of object: ObjectAddress) async throws -> Bool {
    do {
      Failpoint.abortSending.pass()
      _ = try await send(Exchange(method: "DELETE", place: object, query: [("uploadId", id)], answer: .nothing))
      Failpoint.abortAnswered.pass()
      return true
    } catch let refusal as S3Refusal where refusal.isAbsence {
      return false
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      // Whatever the storage answered, the upload is gone if the storage does not list it any more.
      guard try await listParts(of: id, object) == nil else { throw refusal }
      return true
    }
  }

  /// Aborts an upload that has failed permanently. If that fails too, a later attempt finds the upload again.
  func letGo(of id: String, _ object: ObjectToStore) async {
    // Ignored: the reason why the upload failed is being reported already.
    try? await abort(id, of: object.address)
  }

  /// Returns the root of a listing. If the answer cannot be understood, the listing is requested once more: the answer may have been
  /// damaged on its way.
  func listing(_ document: S3Document, _ exchange: Exchange) async throws -> XMLElement {
    var exchange = exchange
    exchange.answer = .document(document)
    Failpoint.listingSending.pass()
    let response: HTTPResponse
    do {
      response = try await send(exchange)
    } catch let refusal as S3Refusal where refusal.isNotUnderstood {
      response = try await send(exchange)
    }
    Failpoint.listingAnswered.pass()
    guard let page = XMLElement.parse(response.body, limit: exchange.answer.limit) else {
      throw Failure(.transient, .listingUnreadable)
    }
    return page
  }
}

extension S3Bucket {
  static let mostUploads = 10_000

  /// Lists the uploads under a prefix, page by page (ListMultipartUploads), until the body returns false or ``mostUploads`` were
  /// seen.
  func forEachPage(
    ofUploadsIn bucket: String, prefix: String, _ body: ([UploadUnderWay]) async throws -> Bool
  ) async throws {
    var last: UploadUnderWay?
    var seen = 0
    while seen < Self.mostUploads {
      var query = [
        (name: "encoding-type", value: "url"), (name: "prefix", value: prefix), (name: "uploads", value: ""),
      ]
      if let last { query += [(name: "key-marker", value: last.key), (name: "upload-id-marker", value: last.id)] }
      let page = try await listing(
        .uploads, Exchange(method: "GET", place: ObjectAddress(bucket: bucket), query: query))
      let isSaid = page["EncodingType"]?.text == "url"
      let found = page.children.filter { $0.name == "Upload" }.compactMap { Self.upload($0, in: bucket, isSaid) }
      guard try await body(found), page["IsTruncated"]?.text == "true", let next = found.last, next != last else {
        return
      }
      last = next
      seen += found.count
    }
  }

  private static func upload(_ element: XMLElement, in bucket: String, _ isSaid: Bool) -> UploadUnderWay? {
    guard let key = element["Key"]?.text, key.utf8.count <= 3 * KeyTemplate.limit, let id = element["UploadId"]?.text,
      UploadUnderWay.isID(id)
    else { return nil }
    var upload = UploadUnderWay(
      bucket: bucket, key: PercentEncoding.decoded(key), id: id,
      begunAt: element["Initiated"].flatMap { Timestamp(rfc3339: $0.text) })
    if !isSaid { upload.listedKey = key }
    return upload
  }
}
