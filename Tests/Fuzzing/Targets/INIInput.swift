import Credentials

/// Sections are what stands below a title: nothing is made up, and a value is on one line.
enum INIInput {
  static func take(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let sections = INISections(text).sections
    promise(sections.count <= bytes.count(where: { $0 == UInt8(ascii: "[") }), "more sections than titles")
    for section in sections {
      promise(text.contains(section.title), "a title that is not in the file")
      for (key, value) in section.values {
        promise(key == key.lowercased(), "a name in capitals")
        promise(!value.contains(where: \.isNewline), "a value of several lines")
        promise(text.contains(value), "a value that is not in the file")
      }
    }
    // The profiles of AWS are sections too.
    let profiles = AWSConfiguration(configuration: text, credentials: "").profiles
    promise(profiles.count <= sections.count, "more profiles than sections")
  }
}
