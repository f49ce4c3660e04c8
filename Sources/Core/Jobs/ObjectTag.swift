public import Messages

/// S3's rules for an object's tags ("Categorizing your storage using tags" in the S3 user guide).
public enum ObjectTag {
  /// The maximum number of tags of an object.
  public static let most = 10
  /// The maximum number of characters of a tag's name.
  public static let longestName = 128
  /// The maximum number of characters of a tag's value.
  public static let longestValue = 256

  /// Returns the reason why a text cannot be a tag's name, as the predicate of a sentence; nil if it can.
  public static func fault(ofName name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name.unicodeScalars.count > longestName { return "is longer than 128 characters" }
    if name.lowercased().hasPrefix("aws:") { return "begins with aws:, which S3 keeps to itself" }
    return characterFault(name)?.text
  }

  /// Returns the reason why a text cannot be a tag's value, as the predicate of a sentence; nil if it can.
  public static func fault(ofValue value: String) -> Message? {
    if value.unicodeScalars.count > longestValue { return .tagTooLong(most: longestValue) }
    return characterFault(value)
  }

  private static func characterFault(_ text: String) -> Message? {
    guard let bad = text.unicodeScalars.first(where: { !isAllowed($0) }) else { return nil }
    return .tagCharacter(character: DisplayText.escape(String(Character(bad))))
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .spaceSeparator:
      true
    default: "+-=._:/@".unicodeScalars.contains(scalar)
    }
  }
}
