import ChildProcesses
import Linux
import ObjectStorage
import Settings
import Testing

@testable import Spool
@testable import waybill

/// The commands that `waybill check` prints for the directories of a configuration.
@Suite struct SpoolCheckTests {
  @Test func recipeCoversAllDirectories() throws {
    let folder = try TemporaryFolder()
    for key in ["a", "s"] { try folder.write(key, Array("key\n".utf8)) }
    let toml = """
      [daemon]
      state = "/var/lib/waybill"
      [storage.main]
      endpoint = "https://s3.example.com"
      bucket = "documents"
      access_key = { file = "\(folder.path)/a" }
      secret_key = { file = "\(folder.path)/s" }
      [backend.main]
      url = "https://api.example.com"
      [[spool]]
      path = "/srv/100% scans"
      name = "scans"
      after = "archive"
      archive = "/srv/archive"
      [[spool]]
      path = "/var/spool/waybill/new"
      """
    let file = try folder.write("waybill.toml", Array(toml.utf8))
    let configuration = try Configuration.load(path: file, environment: [:])
    let recipe = DirectoryRecipe(user: "waybill", group: "waybill", droppers: "waybill-drop")
    var told: [String] = []
    func commands(_ owner: SpoolCheck.Owner) -> [String] {
      SpoolCheck.recipe(configuration, recipe, owner: { _ in owner }, findings: { told.append($0 + " " + $1.words) })
    }
    #expect(
      commands(.missing) == [
        "install -d -o waybill -g waybill-drop -m 3770 '/srv/100% scans'",
        "setfacl -d -m u::rwx,u:waybill:rwx,g::---,o::--- '/srv/100% scans'",
        "install -d -o waybill -g waybill -m 2750 /srv/archive",
        "install -d -o waybill -g waybill-drop -m 3770 /var/spool/waybill/new",
        "setfacl -d -m u::rwx,u:waybill:rwx,g::---,o::--- /var/spool/waybill/new",
      ])
    #expect(told.count == 3, "\(told)")
    #expect(told[1] == "spool.scans needs /srv/archive, which is missing")
    #expect(commands(.other).count == 5 && told[4] == "spool.scans needs /srv/archive, which is another user's")
    #expect(commands(.daemon).isEmpty && told.count == 6)
    #expect(commands(.noDirectory).isEmpty)
    #expect(told.last == "spool.new needs /var/spool/waybill/new, which is no directory")
    #expect(SpoolCheck.owner(of: file, for: ProcessRights.user) == .noDirectory)
  }
}
