import CommandParts

/// Rows in columns, each as wide as it needs to be. If the terminal is too narrow, the widest elastic column is shortened.
struct Table {
  struct Column {
    var heading: String
    /// The least width of the column on a narrow terminal; nil for a column that is never cut.
    var least: Int?
    var isNumber = false
  }

  struct Cell {
    var text: String
    var style = Terminal.Style.plain
  }

  let columns: [Column]
  var rows: [[Cell]] = []

  func lines(_ terminal: Terminal) -> [String] {
    if rows.isEmpty { return [] }
    let widths = widths(within: terminal.columns)
    let headings = columns.map { Cell(text: $0.heading, style: .heading) }
    return ([headings] + rows).map { line($0, widths, terminal) }
  }

  private func widths(within limit: Int?) -> [Int] {
    var widths = columns.indices.map { column in
      rows.reduce(TextWidth.of(columns[column].heading)) { max($0, TextWidth.of($1[column].text)) }
    }
    guard let limit else { return widths }
    var excess = widths.reduce(0, +) + 2 * (columns.count - 1) - limit
    while excess > 0, let column = widestElastic(widths) {
      widths[column] -= 1
      excess -= 1
    }
    return widths
  }

  private func widestElastic(_ widths: [Int]) -> Int? {
    columns.indices.filter { widths[$0] > columns[$0].least ?? .max }.max { widths[$0] < widths[$1] }
  }

  private func line(_ cells: [Cell], _ widths: [Int], _ terminal: Terminal) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let text = TextWidth.fit(cell.text, widths[index])
      let padding = String(repeating: " ", count: max(0, widths[index] - TextWidth.of(text)))
      let styled = terminal.styled(text, cell.style)
      if columns[index].isNumber {
        line += padding + styled
      } else {
        line += index == cells.count - 1 ? styled : styled + padding
      }
      if index < cells.count - 1 { line += "  " }
    }
    return line
  }
}
