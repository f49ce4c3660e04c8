import ChildProcesses
import Settings
import Testing

@Suite struct BrokenTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test(
    arguments: Broken.rows(
      #"""
      3 bukcet = "documents"
        F:1: storage.main.bucket: missing; add a line like bucket = "documents"
        F:3: storage.main.bukcet: unknown key; did you mean "bucket"?
      + [daemon]⏎concurency = 3
        F:11: daemon.concurency: unknown key; did you mean "concurrency"?
      + [deamon]⏎concurrency = 3
        F:10: deamon: unknown key; did you mean "daemon"?
      + xyzzy = 1
        F:10: spool.documents.xyzzy: unknown key; the keys here are after, archive, backend, duplicates, ignore, key, link, marker, match, max_size, name, path, priority, recursive, scan_interval, settle, settle_renamed, settle_unseen, sidecar, sidecar_missing, sidecar_wait, storage, unmatched
      4 access_key = { fiel = "KEYS/access" }
        F:4: storage.main.access_key.fiel: unknown key; did you mean "file"?
      + [daemon]⏎concurrency = "32"
        F:11: daemon.concurrency: is the string "32" where an integer or "auto" belongs; write it like concurrency = "auto" or concurrency = 32
      + [daemon]⏎bandwidth = "1KiB"
        F:11: daemon.bandwidth: is less than 16KiB a second; write at least "16KiB", or "0" for no limit
      3 bucket = "documents"⏎rate = "50/s"
        F:4: storage.main.rate: is the string "50/s" where a number belongs; write it like rate = 50
      3 bucket = "documents"⏎rate = nan
        F:4: storage.main.rate: nan is out of range; it may be 0.001 to 100000
      + [daemon]⏎history = 30
        F:11: daemon.history: is the integer 30 where a duration in quotes belongs; write it like history = "30d"
      + [daemon]⏎min_free = 67108864
        F:11: daemon.min_free: is the integer 67108864 where a size in quotes belongs; write it like min_free = "64MiB"
      + [retry]⏎delays = "1s"
        F:11: retry.delays: is the string "1s" where an array of durations belongs; write it like delays = ["1s", "3s", "5s", "10s"]
      + [retry]⏎delays = [1, 3]
        F:11: retry.delays: is the integer 1 where a duration in quotes belongs; write it like delays = ["1s", "3s", "5s", "10s"]
        F:11: retry.delays: is the integer 3 where a duration in quotes belongs; write it like delays = ["1s", "3s", "5s", "10s"]
      + recursive = "no"
        F:10: spool.documents.recursive: is the string "no" where true or false belongs; write it like recursive = false
      + ignore = [1]
        F:10: spool.documents.ignore: has the integer 1 in it where a string belongs; write it like ignore = ["*.tmp", "*.part"]
      + priority = 1.5
        F:10: spool.documents.priority: is the number 1.5 where an integer belongs; write it like priority = 0
      = storage = 1
        F:1: storage: is the integer 1 where a table belongs; write it like [storage.main]
      = [spool]⏎path = "/srv/a"
        F:1: spool: is a table where an array of tables belongs; write it like [[spool]]
      = spool = [1]
        F:1: spool: has the integer 1 in it where a table belongs; write it like [[spool]]
      = [storage]⏎endpoint = "http://127.0.0.1"
        F:2: storage.endpoint: is a string outside of a named storage; put it below a line [storage.main]
      + [daemon]⏎concurrency = 0
        F:11: daemon.concurrency: 0 is out of range; it may be 1 to 1024
      + [daemon]⏎history = "200y"
        F:11: daemon.history: "200y" is out of range; it may be 0s to 100y
      + [daemon]⏎history = "soon"
        F:11: daemon.history: "soon" is not a duration; write it like history = "30d", with the units us, ms, s, min, h, d, w
      + [daemon]⏎min_free = "20MB"
        F:11: daemon.min_free: "20MB" is not a size; write it like min_free = "64MiB", with the units KiB, MiB, GiB, TiB
      + [daemon]⏎journal = "verbose"
        F:11: daemon.journal: "verbose" is not known; it may be "debug", "info", "notice"
      + [retry]⏎delays = [⏎  "1s",⏎  "3 sex",⏎  "1000d",⏎]
        F:13: retry.delays: "3 sex" is not a duration; write it like delays = ["1s", "3s", "5s", "10s"], with the units us, ms, s, min, h, d, w
        F:14: retry.delays: "1000d" is out of range; it may be 0s to 30d
      + ignore = ["a/b"]
        F:10: spool.documents.ignore: "a/b" matches no name; a pattern is for a name, not for a path: 1 to 255 bytes, no slash
      =
        F: no storage is configured; add [storage.main] with endpoint, bucket and keys
        F: no backend is configured; add [backend.main] with url
        F: no spool is configured; add [[spool]] with path
      = [storage.main]⏎[backend.main]⏎[[spool]]⏎
        F:1: storage.main.access_key: missing; add a line like access_key = { file = "/etc/waybill/keys/s3-access-key" }
        F:1: storage.main.bucket: missing; add a line like bucket = "documents"
        F:1: storage.main.endpoint: missing; add a line like endpoint = "https://s3.eu-central-1.amazonaws.com"
        F:1: storage.main.secret_key: missing; add a line like secret_key = { file = "/etc/waybill/keys/s3-secret-key" }
        F:2: backend.main.url: missing; add a line like url = "https://api.example.com/documents"
        F:3: spool[1].path: missing; add a line like path = "/var/spool/waybill/documents"
      2
        F:1: storage.main.endpoint: missing; add a line like endpoint = "https://s3.eu-central-1.amazonaws.com"
      7 url = ""
        F:7: backend.main.url: is empty; write it like url = "https://api.example.com/documents"
      9 name = "documents"
        F:8: spool.documents.path: missing; add a line like path = "/var/spool/waybill/documents"
      + storage = "mian"
        F:10: spool.documents.storage: there is no [storage.mian]; there is "main"
      + backend = "other"⏎[backend.b]⏎url = "http://127.0.0.1"
        F:10: spool.documents.backend: there is no [backend.other]; there is "b", "main"
      7 url = "http://127.0.0.1"⏎success = "ok"
        F:8: backend.main.success: is the string "ok" where a table belongs; write it like success = { status = [200, 201], json = "ok" }
      7 url = "http://127.0.0.1"⏎success = { status = 200 }
        F:8: backend.main.success.status: is the integer 200 where an array of integers belongs; write it like status = [200, 201]
      7 url = "http://127.0.0.1"⏎success = { status = [] }
        F:8: backend.main.success.status: is empty, so no answer would be a success; write it like status = [200, 201], or leave it out
      7 url = "http://127.0.0.1"⏎success = { status = [200, "201"] }
        F:8: backend.main.success.status: has the string "201" in it where an integer belongs; write it like status = [200, 201]
      7 url = "http://127.0.0.1"⏎success = { json = "result..ok" }
        F:8: backend.main.success.json: "result..ok" is not a path to a member; write it like "ok" or "result.accepted": up to 16 names with a dot between them, 256 bytes in all
      7 url = "http://127.0.0.1"⏎[backend.main.success]⏎status = [⏎  200,⏎  404,⏎]
        F:11: backend.main.success.status: 404 is not a success; a status may be 200 to 299
      7 url = "http://127.0.0.1"⏎success = { json = { a = 1979-05-27, b = [1], c = {}, d = nan } }
        F:8: backend.main.success.json: is the date 1979-05-27 where a path or a table of strings, numbers, true, false and [] belongs; write it like json = "ok" or json = { status = "ok", errors = [] }
        F:8: backend.main.success.json: is an array where a path or a table of strings, numbers, true, false and [] belongs; write it like json = "ok" or json = { status = "ok", errors = [] }
        F:8: backend.main.success.json: is a table where a path or a table of strings, numbers, true, false and [] belongs; write it like json = "ok" or json = { status = "ok", errors = [] }
        F:8: backend.main.success.json: is the number nan where a path or a table of strings, numbers, true, false and [] belongs; write it like json = "ok" or json = { status = "ok", errors = [] }
      7 url = "http://127.0.0.1"⏎success = { json = { a = { "b." = 1 } } }
        F:8: backend.main.success.json: "a.b." is not a path to a member; write it like "ok" or "result.accepted": up to 16 names with a dot between them, 256 bytes in all
      7 url = "http://127.0.0.1"⏎success = { json = "ok", text = "OK" }
        F:8: backend.main.success: has both json and text, and no answer is both; leave one of them out
      7 url = "http://127.0.0.1"⏎fields = { a = "{nmae}", b = { c = [["{nmae}"]] } }
        F:8: backend.main.fields.a: unknown placeholder "{nmae}"; did you mean {name}?
        F:8: backend.main.fields.b.c: unknown placeholder "{nmae}"; did you mean {name}?
      7 url = "http://127.0.0.1"⏎fields = { a = [{ b = 1979-05-27 }], c = inf }
        F:8: backend.main.fields.a.b: is the date 1979-05-27 where a string, a finite number, true, false, an array or a table belongs; write it like b = "{link}"
        F:8: backend.main.fields.c: is the number inf where a string, a finite number, true, false, an array or a table belongs; write it like c = "{link}"
      7 url = "http://127.0.0.1"⏎format = "form"⏎fields = { a = "{id}", b = 1, c = "{files}" }
        F:9: backend.main.fields: has a table or a list in it, for which a form has no place; write format = "json"
      + storage = "g"⏎[storage.g]⏎from = "backend.main"
        F:11: storage.g.upload_url: missing; add a line like upload_url = "https://api.example.com/uploads"
      + storage = "g"⏎[storage.g]⏎from = "main"⏎upload_url = "https://h"
        F:12: storage.g.from: "main" is no section of a backend; there is "backend.main"
      + storage = "g"⏎[storage.g]⏎from = "backend.main"⏎upload_url = "https://h"⏎bucket = "b"⏎checksum = "crc32c"
        F:14: storage.g.bucket: does not go with from: the backend says where each upload goes; leave one of them out
        F:15: storage.g.checksum: "crc32c" is not known; it may be "sha256", "none"
      + storage = "g"⏎[storage.g]⏎from = "backend.main"⏎upload_url = "https://h"⏎upload_hosts = ["https://a"]
        F:14: storage.g.upload_hosts: "https://a" is no host; write it like ["*.blob.core.windows.net"], without scheme, port and path
      + storage = "g"⏎[storage.g]⏎from = "backend.main"⏎upload_url = "https://h"⏎upload_hosts = []
        F:14: storage.g.upload_hosts: is empty, so no upload could be granted; leave it out
      + storage = "g"⏎link = "https://l/{key}"⏎marker = "done"⏎[storage.g]⏎from = "backend.main"⏎upload_url = "https://h"
        F:11: spool.documents.link: does not go with storage.g, whose uploads a backend grants; the grant names the link: leave it out
        F:12: spool.documents.marker: does not go with storage.g, whose uploads a backend grants; a grant is for one file: leave it out
      + [storage.g]⏎endpoint = "https://h"⏎bucket = "bbb"⏎access_key = { file = "KEYS/access" }⏎secret_key = { file = "KEYS/secret" }⏎upload_url = "https://h"
        F:15: storage.g.upload_url: has no effect; it needs a line like from = "backend.main"
      """#)
      + [
        Broken(
          .after("[daemon]\ncontrol = \"/\(String(repeating: "s", count: 107))\""),
          "F:11: daemon.control: is longer than 107 bytes, the limit for a socket's path"),
        Broken(
          .all(
            Sample.storage.replacing("main", with: "a") + "\n" + Sample.storage.replacing("main", with: "b") + "\n"
              + Sample.backend + "\n" + Sample.spool),
          #"F:13: spool.documents.storage: missing; there are several, so name one of "a", "b""#),
      ])
  func saysWhatIsWrongAndWhatToDo(broken: Broken) throws { try broken.check(in: directory) }

  /// toml++ asserts some of what it expects of a text, and reports the rest itself.
  @Test(arguments: [
    "[.spool]", "[[[spool]]]", "[=", "[[ # x", "  [*]", "a = 1979-05-27T:", "a = 1:", "a = [\u{2028}1]",
    "a = \u{A0}\"1s\"", "a = fünf", "a = [1, }", "a = 1]",
  ])
  func reportsLineOfInvalidTextWithoutCrash(line: String) throws {
    let before = "[daemon]\nignored = [\n[1], # [\n'[' ]\ntext = \"\"\"\n[[[\n\"\"\"\n"
    let problems = try Sample.problems(before + line, in: directory)
    #expect(problems.count == 1 && problems.first?.hasPrefix("F:8: not valid TOML") == true, "\(problems)")
  }
}
