import Jobs
import LinuxFiles

extension Section {
  /// Returns the pattern of sidecars' names.
  mutating func sidecar(_ key: String, ignore: [String]) -> SidecarPattern? {
    guard let text = text(key, example: "\"{name}.json\""), !text.isEmpty else { return nil }
    let pattern: SidecarPattern
    do throws(SidecarPattern.Fault) {
      pattern = try SidecarPattern(text)
    } catch {
      problem(key, "\(Quoted(text)) \(error.words)", error.remedy)
      return nil
    }
    let example = pattern.sidecar(of: FileName("document.pdf"))
    if let ignored = ignore.first(where: { ShellPattern($0).matches(example.bytes) }) {
      problem(
        key, "\(Quoted(text)) makes names that ignore leaves alone, by \(Quoted(ignored))", "leave that out of ignore")
      return nil
    }
    return pattern
  }
}
