import PackagePlugin

/// Has the declarations of the control API made, at each build in which `share/waybill-api.yaml` is new.
@main
struct APIDeclarations: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let description = context.package.directoryURL.appending(path: "share/waybill-api.yaml")
    let (messages, bytes) = (
      context.pluginWorkDirectoryURL.appending(path: "Messages.swift"),
      context.pluginWorkDirectoryURL.appending(path: "APIDescription.swift")
    )
    return [
      .buildCommand(
        displayName: "Declarations of the control API", executable: try context.tool(named: "api-declarations").url,
        arguments: [description.path, messages.path, bytes.path], inputFiles: [description],
        outputFiles: [messages, bytes])
    ]
  }
}
