import HTTPTransfer

/// The operations of S3 that Waybill uses.
enum S3Operation: Hashable, CaseIterable {
  case putObject, createMultipartUpload, uploadPart, completeMultipartUpload, abortMultipartUpload, listParts
  case headObject, getObject, deleteObject, listMultipartUploads

  /// Determines the operation from the method and query of a request.
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

  /// The operations that a header is sent with, by its name in lower case. It has only headers that also belong to other requests
  /// than those that begin an object.
  ///
  /// An operation is listed if its "Request Syntax" in the S3 API reference (2006-03-01, read 2026-11) names the header. AWS's
  /// model of its service agrees (`service-2.json` in botocore).
  static let byHeader: [String: Set<S3Operation>] = [
    "x-amz-expected-bucket-owner": Set(allCases),
    "x-amz-request-payer": Set(allCases),
    CustomerKey.algorithmHeader: ofCustomerKey,
    CustomerKey.keyHeader: ofCustomerKey,
    CustomerKey.digestHeader: ofCustomerKey,
  ]

  /// The operations that need the customer key, because they read or write the object's bytes, checksum or ETag.
  private static let ofCustomerKey: Set<S3Operation> = [
    .putObject, .createMultipartUpload, .uploadPart, .completeMultipartUpload, .listParts, .headObject, .getObject,
  ]

  /// True if a header of this name is sent with the operation. Any header that is not in ``byHeader`` belongs to an object, and
  /// is sent with the request that begins it.
  func takes(_ header: String) -> Bool {
    Self.byHeader[header.lowercased()]?.contains(self) ?? (self == .putObject || self == .createMultipartUpload)
  }
}

/// The configured headers, by the operations that they are sent with.
struct ConfiguredHeaders: Sendable {
  /// The values of all, by their names.
  let values: [String: String]
  /// Those of an object, in the order of their names. They go with the request that begins it.
  let ofObjects: [HTTPHeader]
  /// The customer key for encryption, if a header contains it.
  let customerKey: String?
  private let byOperation: [S3Operation: [HTTPHeader]]

  /// - Parameter headers: the values by name.
  init(_ headers: [String: String]) {
    values = headers
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

  /// The headers for each request of an operation, besides those of an object.
  func also(with operation: S3Operation) -> [HTTPHeader] { byOperation[operation] ?? [] }

  /// The value of a header; nil if it is not configured.
  subscript(name: String) -> String? {
    (ofObjects + also(with: .putObject)).first { $0.isNamed(name) }?.value
  }
}
