import HTTPTransfer

/// The operations of S3 that a storage is asked for.
enum S3Operation: Hashable, CaseIterable {
  case putObject, createMultipartUpload, uploadPart, completeMultipartUpload, abortMultipartUpload, listParts
  case headObject, getObject, deleteObject, listMultipartUploads

  /// Reads it from a request, whose method and query name it.
  init(method: String, isOfBucket: Bool, query: [(name: String, value: String)]) {
    let isOfUpload = query.contains { $0.name == "uploadId" }
    self =
      switch method {
      case "PUT": isOfUpload ? .uploadPart : .putObject
      case "POST": isOfUpload ? .completeMultipartUpload : .createMultipartUpload
      case "HEAD": .headObject
      case "DELETE": isOfUpload ? .abortMultipartUpload : .deleteObject
      default: isOfBucket ? .listMultipartUploads : isOfUpload ? .listParts : .getObject
      }
  }

  /// The operations of the headers that belong to other requests than those that begin an object, by the header's name in lower
  /// case.
  ///
  /// They are those whose "Request Syntax" in the S3 API reference (2006-03-01, read 2026-11) names the header. AWS's model of
  /// its service says the same (`service-2.json` in botocore).
  static let byHeader: [String: Set<S3Operation>] = [
    "x-amz-expected-bucket-owner": Set(allCases),
    "x-amz-request-payer": Set(allCases),
    CustomerKey.algorithmHeader: ofCustomerKey,
    CustomerKey.keyHeader: ofCustomerKey,
    CustomerKey.digestHeader: ofCustomerKey,
  ]

  /// The operations that need the customer's key: they read or write the object's bytes, checksum or ETag.
  private static let ofCustomerKey: Set<S3Operation> = [
    .putObject, .createMultipartUpload, .uploadPart, .completeMultipartUpload, .listParts, .headObject, .getObject,
  ]

  /// True if a header of this name goes with the operation: any other header is one of an object, and goes with the request that
  /// begins it.
  func takes(_ header: String) -> Bool {
    Self.byHeader[header.lowercased()]?.contains(self) ?? (self == .putObject || self == .createMultipartUpload)
  }
}

/// The configured headers, by the requests that they go with.
struct ConfiguredHeaders: Sendable {
  /// Those of an object, in the order of their names. They go with the request that begins it.
  let ofObjects: [HTTPHeader]
  /// The key of the customer among them.
  let customerKey: String?
  private let byOperation: [S3Operation: [HTTPHeader]]

  /// - Parameter headers: the values by name.
  init(_ headers: [String: String]) {
    let all = headers.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
    let others = all.filter { S3Operation.byHeader[$0.name.lowercased()] != nil }
    ofObjects = all.filter { !others.contains($0) }
    customerKey = others.first { $0.isNamed(CustomerKey.keyHeader) }?.value
    var byOperation: [S3Operation: [HTTPHeader]] = [:]
    if !others.isEmpty {
      for operation in S3Operation.allCases { byOperation[operation] = others.filter { operation.takes($0.name) } }
    }
    self.byOperation = byOperation
  }

  /// Those that go with each request of an operation, besides an object's own.
  func also(with operation: S3Operation) -> [HTTPHeader] { byOperation[operation] ?? [] }

  /// The value of a header; nil if it is not configured.
  subscript(name: String) -> String? {
    (ofObjects + also(with: .putObject)).first { $0.isNamed(name) }?.value
  }
}
