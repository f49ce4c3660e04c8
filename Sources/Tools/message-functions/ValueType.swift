/// The type of a value in a message, as tables name it.
enum ValueType: String {
  case text = ""
  case noun, word, number, bytes, duration, seconds, time, message, clause
  case capitalNoun = "Noun"

  var swift: String {
    switch self {
    case .text, .noun, .capitalNoun, .word, .time: "String"
    case .number: "some BinaryInteger"
    case .bytes: "Int64"
    case .duration, .seconds: "Duration"
    case .message, .clause: "Message"
    }
  }

  func value(_ parameter: String) -> String {
    switch self {
    case .text, .noun, .capitalNoun, .word: ".text(\(parameter))"
    case .number: ".number(Int64(clamping: \(parameter)))"
    case .bytes: ".bytes(\(parameter))"
    case .duration, .seconds: ".duration(\(parameter))"
    case .time: ".time(\(parameter))"
    case .message, .clause: ".message(\(parameter))"
    }
  }
}
