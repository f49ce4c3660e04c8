import Testing

@testable import ObjectStorage

/// Each header goes with the requests for which S3's reference names it, and with no other.
@Suite struct S3OperationTests {
  private static let beginning: Set<S3Operation> = [.putObject, .createMultipartUpload]
  private static let withCustomerKey: Set<S3Operation> = [
    .putObject, .createMultipartUpload, .uploadPart, .completeMultipartUpload, .listParts, .headObject, .getObject,
  ]

  private static let headers: [(String, Set<S3Operation>)] = [
    ("x-amz-expected-bucket-owner", Set(S3Operation.allCases)), ("X-Amz-Request-Payer", Set(S3Operation.allCases)),
    ("x-amz-server-side-encryption-customer-algorithm", withCustomerKey),
    ("x-amz-server-side-encryption-customer-key", withCustomerKey),
    ("X-Amz-Server-Side-Encryption-Customer-Key-MD5", withCustomerKey),
    ("x-amz-server-side-encryption", beginning), ("x-amz-server-side-encryption-aws-kms-key-id", beginning),
    ("x-amz-storage-class", beginning), ("Cache-Control", beginning), ("X-Source", beginning),
  ]

  @Test(arguments: headers)
  func headerMatchesItsOperations(_ header: String, _ operations: Set<S3Operation>) {
    #expect(Set(S3Operation.allCases.filter { $0.takes(header) }) == operations)
    // A request has it once: as one of the object's own, or as one of each request.
    let headers = ConfiguredHeaders([header: "v"])
    for operation in S3Operation.allCases {
      let own = Self.beginning.contains(operation) ? headers.ofObjects : []
      #expect((own + headers.also(with: operation)).count == (operations.contains(operation) ? 1 : 0), "\(operation)")
    }
    #expect(headers[header.lowercased()] == "v" && headers["other"] == nil)
  }

  private static let requests: [(String, Bool, [String], S3Operation)] = [
    ("PUT", false, [], S3Operation.putObject), ("PUT", false, ["partNumber", "uploadId"], .uploadPart),
    ("POST", false, ["uploads"], .createMultipartUpload), ("POST", false, ["uploadId"], .completeMultipartUpload),
    ("DELETE", false, ["uploadId"], .abortMultipartUpload), ("DELETE", false, ["versionId"], .deleteObject),
    ("DELETE", false, [], .deleteObject), ("GET", false, ["max-parts", "uploadId"], .listParts),
    ("GET", true, ["uploads", "prefix"], .listMultipartUploads), ("GET", false, ["versionId"], .getObject),
    ("GET", false, [], .getObject), ("HEAD", false, ["versionId"], .headObject),
  ]

  @Test(arguments: requests)
  func requestIdentifiesOperation(
    _ method: String, _ isOfBucket: Bool, _ query: [String], _ operation: S3Operation
  ) {
    let query = query.map { (name: $0, value: "x") }
    #expect(S3Operation(method: method, isOfBucket: isOfBucket, query: query) == operation)
  }
}
