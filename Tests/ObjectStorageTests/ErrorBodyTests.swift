import Testing

@testable import ObjectStorage

@Suite struct ErrorBodyTests {
  @Test func errorNeedsCode() {
    #expect(S3ErrorBody(Array("<Error><Message>m</Message></Error>".utf8)) == nil)
    #expect(S3ErrorBody(Array("<ListBucketResult><Code>c</Code></ListBucketResult>".utf8)) == nil)
    #expect(S3ErrorBody(Array("<html><body>login</body></html>".utf8)) == nil)
    #expect(S3ErrorBody(Array("<ErrorResponse><Error><Code>c</Code></Error></ErrorResponse>".utf8))?.code == "c")
  }

  /// The status of such an answer says that it is an error.
  @Test(arguments: [
    "<error><Code>c</Code></error>", "<E:Fault xmlns:E='e'><E:Code>c</E:Code></E:Fault>",
    "<A><Error><Code>c</Code></Error></A>",
  ])
  func readsCodeUnderAnyRoot(_ body: String) {
    #expect(S3ErrorBody(Array(body.utf8), ofAnyRoot: true)?.code == "c")
    #expect(S3ErrorBody(Array(body.utf8)) == nil)
    #expect(S3ErrorBody(Array("<html><head/><body/></html>".utf8), ofAnyRoot: true) == nil)
  }
}
