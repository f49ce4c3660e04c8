import FoundationEssentials

extension WorldFacts {
  /// The directory of spools that are away, from the world's root.
  package static let away = "away"

  /// The files that are on disk in the folder of a world, but for those that droppers keep outside of the spools.
  package init(root: String, jobs: [Job]? = nil, told: [String] = []) throws {
    var files: [File] = []
    let manager = FileManager.default
    for folder in ["archives", Self.away, ConfigurationPlan.releaseFolder, "spools"] {
      guard manager.fileExists(atPath: "\(root)/\(folder)") else { continue }
      // It may be a link to another file system.
      let place = (try? manager.destinationOfSymbolicLink(atPath: "\(root)/\(folder)")) ?? "\(root)/\(folder)"
      for name in try manager.subpathsOfDirectory(atPath: place).sorted() {
        let path = "\(folder)/\(name)"
        let kind = try manager.attributesOfItem(atPath: "\(root)/\(path)")[.type] as? FileAttributeType
        guard kind == .typeRegular else { continue }
        let bytes = try Data(contentsOf: URL(filePath: "\(root)/\(path)"))
        files.append(File(path: path, sum: ContentSum(Array(bytes))))
      }
    }
    self.init(files: files, jobs: jobs, told: told)
  }
}
