import SeededNumbers
import Simulation
import Testing

@Suite struct FileContentTests {
  @Test func matchesContentInPieces() {
    let content = FileContent(file: 3, runs: [.init(mark: 1, size: 100), .init(mark: 2, size: 300)])
    let bytes = content.bytes
    #expect(bytes.count == 400)
    #expect(content.matches([Piece(bytes)]))
    #expect(content.matches([Piece(Array(bytes[..<250])), Piece(Array(bytes[250...]))]))
    #expect(!content.matches([Piece(Array(bytes[..<399]))]))
    var other = content
    other.runs[1].mark = 3
    #expect(!other.matches([Piece(bytes)]))
  }
}
