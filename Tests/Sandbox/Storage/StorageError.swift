struct StorageError: Error, Sendable, Equatable {
  var status: Int
  var code: String
  var message: String
  var details: [String: String]

  init(_ status: Int, _ code: String, _ message: String, details: [String: String] = [:]) {
    self.status = status
    self.code = code
    self.message = message
    self.details = details
  }

  static let invalidURI = StorageError(400, "InvalidURI", "Couldn't parse the specified URI.")
  static let noSuchKey = StorageError(404, "NoSuchKey", "The specified key does not exist.")
  static let precondition = StorageError(
    412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold.",
    details: ["Condition": "If-None-Match"])

  /// The error for a fault's status. If the fault names no code, it has the usual code of the status.
  static func fault(_ status: Int, code: String?, message: String?) -> StorageError {
    let usual =
      switch status {
      case 400: "InvalidRequest"
      case 401, 403: "AccessDenied"
      case 404: "NoSuchBucket"
      case 405: "MethodNotAllowed"
      case 408: "RequestTimeout"
      case 409: "OperationAborted"
      case 411: "MissingContentLength"
      case 412: "PreconditionFailed"
      case 413: "EntityTooLarge"
      case 429: "TooManyRequests"
      case 500: "InternalError"
      case 501: "NotImplemented"
      case 503: "ServiceUnavailable"
      default: "SandboxFault"
      }
    return StorageError(status, code ?? usual, message ?? "The sandbox was asked to answer \(status).")
  }

  func xml(resource: String, requestID: String) -> String {
    var elements = [("Code", code), ("Message", message)]
    elements += details.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    elements += [("Resource", resource), ("RequestId", requestID)]
    return XML.document("Error", elements.map { XML.element($0.0, $0.1) })
  }
}

enum XML {
  static func document(_ root: String, _ elements: [String]) -> String {
    #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n<\(root)>\(elements.joined())</\(root)>\n"
  }

  static func element(_ name: String, _ text: String) -> String { "<\(name)>\(escape(text))</\(name)>" }

  /// Escapes markup; a character that XML 1.0 cannot contain becomes a question mark.
  static func escape(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "\t", "\n", "\r": out += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: out += "?"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
