import Foundation
import PackagePlugin

/// Has the functions of all messages made, at each build in which a table is new.
@main
struct MessageFunctions: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = target.directoryURL.appending(path: "Table")
    let tables = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }
    let output = context.pluginWorkDirectoryURL.appending(path: "MessageFunctions.swift")
    return [
      .buildCommand(
        displayName: "Functions of the messages", executable: try context.tool(named: "message-functions").url,
        arguments: tables.map(\.path) + [output.path], inputFiles: tables, outputFiles: [output])
    ]
  }
}
