import XML

struct S3Error: Error, Hashable {
  var status: Int
  var code: String
  var message: String

  init(_ status: Int, _ code: String, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  var answer: FarAnswer {
    FarAnswer(
      status, type: "application/xml",
      S3XML.document("Error", [S3XML.element("Code", code), S3XML.element("Message", message)]))
  }

  /// The code that S3 has for a status that it did not choose itself.
  static func usualCode(_ status: Int) -> String {
    switch status {
    case 400: "InvalidRequest"
    case 401, 403: "AccessDenied"
    case 404: "NoSuchBucket"
    case 405: "MethodNotAllowed"
    case 408: "RequestTimeout"
    case 409: "OperationAborted"
    case 412: "PreconditionFailed"
    case 413: "EntityTooLarge"
    case 429: "TooManyRequests"
    case 500: "InternalError"
    case 501: "NotImplemented"
    case 503: "ServiceUnavailable"
    default: "Trouble"
    }
  }
}

enum S3XML {
  static func document(_ root: String, _ elements: [String]) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<\(root)>\(elements.joined())</\(root)>\n"
  }

  static func element(_ name: String, _ text: String) -> String { "<\(name)>\(XMLElement.escaped(text))</\(name)>" }
}
