/// A step of a dropping program, with its time after the program's beginning.
package struct TimedStep: Codable, Hashable, Sendable {
  package var after: Duration
  package var step: FileStep
}

extension Drop {
  /// What the dropping program does, in order.
  package var steps: [TimedStep] {
    var steps = Steps(drop: self)
    if !folder.isEmpty { steps.add(.makeFolder("\(spool)/\(folder)")) }
    switch kind {
    case .single:
      steps.write(content(0), .document, to: path)
    case .withSidecar(let sidecarFirst):
      if sidecarFirst { steps.writeSidecar() }
      steps.write(content(0), .document, to: path)
      if !sidecarFirst { steps.writeSidecar() }
    case .group(let files):
      // A directory that is not renamed in is made where it is to be.
      let place = manner == .renamedIn ? "\(Self.outside)/\(name)" : path
      steps.add(.makeFolder(place + "/data"))
      for file in 0..<files {
        let member = Self.member(file)
        steps.write(content(file), .member(member), to: "\(place)/\(member)")
      }
      steps.add(.open("\(place)/\(SpoolPlan.marker)", drop: self, .marker))
      steps.add(.close("\(place)/\(SpoolPlan.marker)"))
      if place != path { steps.add(.rename(place, to: path)) }
    }
    steps.add(.finish(self, version))
    return steps.all
  }

  /// What it is once it is whole.
  package var version: FileVersion {
    func part(_ role: FileVersion.Part.Role, _ content: FileContent) -> FileVersion.Part {
      FileVersion.Part(role, sum: content.sum, content: content)
    }
    switch kind {
    case .single: return FileVersion([part(.document, content(0))])
    case .withSidecar:
      let sum = ContentSum(Array(Self.sidecarText(of: number).utf8))
      return FileVersion([part(.document, content(0)), FileVersion.Part(.sidecar, sum: sum, content: nil)])
    case .group(let files):
      let members = (0..<files).map { part(.member(Self.member($0)), content($0)) }
      return FileVersion(members + [part(.marker, FileContent(file: number, runs: []))])
    }
  }

  package func content(_ part: Int) -> FileContent {
    var runs = [FileContent.Run(mark: 1, size: size)]
    if case .inPieces(let count, _) = manner, count > 1 {
      runs = (1...count).map { .init(mark: $0, size: size / count + ($0 == count ? size % count : 0)) }
    }
    return FileContent(file: sameAs ?? number, part: part, runs: runs)
  }

  package static func member(_ index: Int) -> String { (index % 2 == 0 ? "" : "data/") + "part-\(index).bin" }

  package static func sidecarText(of file: Int) -> String { #"{"invoice":"\#(file)","pages":\#(file % 7)}"# }
}

private struct Steps {
  let drop: Drop
  var all: [TimedStep] = []
  var now = Duration.zero

  /// Sidecar and document do not come in the same moment.
  private static let sidecarPause = Duration.milliseconds(200)

  mutating func add(_ step: FileStep) { all.append(TimedStep(after: now, step: step)) }

  /// Writes a file in the drop's manner. Those of a group are not renamed and linked one by one.
  mutating func write(_ content: FileContent, _ role: FileVersion.Part.Role, to path: String) {
    let isAlone = role == .document
    switch drop.manner {
    case .renamedIn where isAlone:
      let hidden = "\(drop.spool)/\(drop.folder).\(drop.name)"
      write(content.runs, of: content, role, to: hidden)
      add(.rename(hidden, to: path))
    case .linked where isAlone:
      let outside = "\(Drop.outside)/\(drop.name)"
      write(content.runs, of: content, role, to: outside)
      add(.link(outside, to: path))
    case .direct, .renamedIn, .linked: write(content.runs, of: content, role, to: path)
    case .inPieces(_, let pause): write(content.runs, of: content, role, to: path, pause: pause)
    }
  }

  mutating func writeSidecar() {
    if all.contains(where: { if case .open = $0.step { true } else { false } }) { now += Self.sidecarPause }
    let path = drop.path + ".json"
    add(.open(path, drop: drop, .sidecar))
    add(.writeSidecar(path, file: drop.number))
    add(.close(path))
    now += Self.sidecarPause
  }

  private mutating func write(
    _ runs: [FileContent.Run], of content: FileContent, _ role: FileVersion.Part.Role, to path: String,
    pause: Duration = .zero
  ) {
    add(.open(path, drop: drop, role))
    for run in runs {
      add(.write(path, content, run))
      now += pause
    }
    add(.close(path))
  }
}
