import FoundationEssentials
import SystemPackage

enum RecordFile {
  static func read<Record: Decodable>(_ path: FilePath) throws -> Record {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(Record.self, from: Data(contentsOf: URL(filePath: path.string)))
  }

  static func write(_ record: some Encodable, to path: FilePath) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try encoder.encode(record).write(to: URL(filePath: path.string), options: .atomic)
  }
}
