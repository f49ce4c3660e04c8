/// Configurations that Waybill takes or refuses: each is a small one with some lines in one of its sections.
enum ConfigurationSamples {
  private static let base = [
    ("[daemon]", ["state = \"/var/lib/waybill\""]), ("[retry]", ["unavailable = \"abort\""]),
    (
      "[storage.main]",
      [
        "endpoint = \"https://store.example.com\"", "bucket = \"documents\"", "access_key = { file = \"/k/a\" }",
        "secret_key = { file = \"/k/s\" }",
      ]
    ), ("[backend.main]", ["url = \"https://api.example.com/documents\""]),
    ("[[spool]]", ["path = \"/var/spool/waybill/documents\""]),
    ("[webhook.main]", ["url = \"https://ops.example.com/waybill\""]),
  ]

  /// The small configuration with other lines in a section. They take the place of those with the same keys; `!KEY` takes one
  /// away. Without a section the lines stand at the beginning.
  static func text(_ section: String, _ lines: String) -> String {
    let more = lines.split(separator: "\n").map(String.init)
    let keys = more.map { $0.hasPrefix("!") ? String($0.dropFirst()) : String($0.prefix { $0 != " " }) }
    let written = more.filter { !$0.hasPrefix("!") }
    let sections = base.map { name, old in
      guard name == section else { return ([name] + old).joined(separator: "\n") }
      let kept = old.filter { line in !keys.contains { line.hasPrefix($0 + " ") } }
      return ([name] + kept + written).joined(separator: "\n")
    }
    return ((section.isEmpty ? written : []) + sections).joined(separator: "\n") + "\n"
  }

  static let taken = [
    ("[daemon]", "journal = \"debug\""), ("[daemon]", "concurrency = 8"), ("[daemon]", "concurrency = \"auto\""),
    ("[daemon]", "min_free = \"1.5GiB\""),
    ("[daemon]", "min_free = \" 64 MiB \""), ("[daemon]", "bandwidth = \"16KiB\""),
    ("[daemon]", "timezone = \"UTC\""), ("[daemon]", "history = \"100y\""),
    ("[daemon]", "history = \"25\""), ("[daemon]", "history = \"1min 30 s\""), ("[daemon]", "metrics = \"[::1]:9464\""),
    ("[daemon]", "metrics = \"localhost:9464\""), ("[daemon]", "metrics = \"\""),
    ("[daemon]", "state = \"/srv//state/./x/\""), ("[retry]", "delays = []"),
    ("[retry]", "delays = [\"1h 30min\", \"1.5s\", \"90\", \"5min30s\"]"), ("[retry]", "delays = [\"1w\"]"),
    ("[retry]", "unavailable = \"retry\""),
    ("[storage.main]", "endpoint = \"HTTP://127.0.0.1:9000/s3/v1/\""),
    ("[storage.main]", "headers = { \"x-amz-storage-class\" = \"{metadata.class}\" }"),
    ("[storage.main]", "tags = { type = \"{ext}\", \"the case\" = \"{metadata.case}/ä\" }"),
    ("[storage.main]", "object_lock = { legal_hold = true }"),
    ("[storage.main]", "object_lock = { mode = \"compliance\", retain = \"6 months\" }"),
    ("[storage.main]", "encryption = { kms = \"arn:aws:kms:eu-central-1:123456789012:key/1234\" }"),
    ("[storage.main]", "encryption = { customer_key = { env = \"KEY\" } }"),
    ("[storage.main]", "access_key = { aws_profile = \"a\" }\n!secret_key"),
    ("[storage.main]", "endpoint = \"https://s3.eu-west-1.amazonaws.com\"\n!access_key\n!secret_key"),
    ("[storage.main]", "checksum = \"crc64nvme\""),
    ("[storage.main]", "checksum = \"none\""),
    ("[storage.main]", "retry = { delays = [\"5s\"], unavailable = \"retry\" }"), ("[storage.main]", "ca_file = \"\""),
    ("[storage.main]", "client_cert = { file = \"/k/c.pem\" }\nclient_key = { credential = \"key\" }"),
    ("[storage.main]", "part_size = \"5MiB\""),
    ("[backend.main]", "url = \"http://[::1]:8080/a/b?c=d\"\nhealth = \"https://h.example.com\""),
    ("[backend.main]", "fields = { \"\" = \"{uploaded_at} {sidecar}\", files = \"{files}\" }"),
    ("[backend.main]", "format = \"cloudevents\"\nmethod = \"PUT\"\nconflict = \"registered\""),
    ("[backend.main]", "headers = { \"X-A\" = \"b c\", \"X-Key\" = { file = \"/k/x\" } }"),
    ("[backend.main]", "success = { status = [200, 201], json = \"result.ok\" }"),
    ("[backend.main]", "token = { credential = \"token\" }\nsigning_secret = { env = \"S\" }"),
    (
      "[backend.main]",
      "token = { oauth = { url = \"https://l.example.com/t\", client_id = \"w\", client_secret = { file = \"/k/c\" } } }"
    ),
    (
      "[backend.main]",
      "token = { oauth = { url = \"https://l.example.com/t\", client_id = \"w\", client_secret = { env = \"S\" } } }"
    ),
    (
      "[backend.main]",
      "token = { oauth = { url = \"https://l.example.com/t\", client_id = \"w\", client_cert = { file = \"/k/c\" } } }"
    ), ("[[spool]]", "marker = \"*.done\""),
    ("[[spool]]", "after = \"archive\"\narchive = \"/var/spool/waybill/archive\""),
    ("[[spool]]", "link = \"https://cdn.example.com/{bucket}/{key}\""),
    ("[[spool]]", "duplicates = \"skip\""),
    ("[[spool]]", "after = \"keep\""),
    ("[[spool]]", "after = \"keep\"\nduplicates = \"skip\""),
    ("[[spool]]", "match = '(?<case>\\d+)_.*'\nunmatched = \"ignore\"\nkey = \"{case}/{name}\""),
    ("[[spool]]", "key = \"{stem}-{metadata.a b}.{ext}\""), ("[[spool]]", "key = \"a/.../{path}/{name}\""),
    ("[[spool]]", "sidecar = \"{stem}.json\"\nsidecar_wait = \"0\""),
    ("[[spool]]", "priority = -1000\nscan_interval = \"100ms\""),
    ("[[spool]]", "ignore = []\nmax_size = \"1TiB\""),
    ("[webhook.main]", "events = [\"question\", \"gate\"]\ntoken = { file = \"/k/t\" }"),
  ]

  static let refused = [
    ("", "deamon = { concurrency = 3 }"), ("", "xyzzy = 1"), ("[daemon]", "concurency = 3"),
    ("[daemon]", "concurrency = 0"), ("[daemon]", "concurrency = 1025"), ("[daemon]", "concurrency = \"32\""),
    ("[daemon]", "history = 25"), ("[daemon]", "history = \"soon\""), ("[daemon]", "history = \"-1s\""),
    ("[daemon]", "history = \"1 s 2x\""), ("[daemon]", "min_free = \"20MB\""), ("[daemon]", "min_free = 67108864"),
    ("[daemon]", "bandwidth = \"1KiB\""), ("[daemon]", "bandwidth = [\"2MiB\"]"),
    ("[daemon]", "state = \"var\""), ("[daemon]", "state = \"/a/../b\""), ("[daemon]", "journal = \"verbose\""),
    ("[daemon]", "metrics = \"9464\""), ("[daemon]", "metrics = \"localhost\""), ("[daemon]", "timezone = \"a//b\""),
    ("[retry]", "unavailable = \"wait\""), ("[retry]", "delays = \"1s\""),
    ("[retry]", "delays = [1]"), ("[retry]", "unavailable = \"ignore\""), ("[storage.main]", "bukcet = \"documents\""),
    ("[storage.main]", "!bucket"), ("[storage.main]", "!secret_key"), ("[storage.main]", "!access_key\n!secret_key"),
    ("[storage.main]", "access_key = \"AKIDEXAMPLE\""), ("[storage.main]", "access_key = { fiel = \"/k/a\" }"),
    ("[storage.main]", "access_key = { file = \"/k/a\", env = \"A\" }"), ("[storage.main]", "access_key = {}"),
    ("[storage.main]", "endpoint = \"store.example.com\""), ("[storage.main]", "endpoint = \"https://a/b?c\""),
    ("[storage.main]", "bucket = \"ab\""), ("[storage.main]", "bucket = \"a..b\""),
    ("[storage.main]", "addressing = \"host\""), ("[storage.main]", "checksum = \"md5\""),
    ("[storage.main]", "headers = { Authorization = \"x\" }"),
    ("[storage.main]", "headers = { \"x-a\" = \"{Nope}\" }"), ("[storage.main]", "headers = { \"x-a\" = 1 }"),
    ("[storage.main]", "headers = { \"x a\" = \"b\" }"), ("[storage.main]", "tags = { \"aws:a\" = \"b\" }"),
    ("[storage.main]", "tags = { a = \"b#\" }"), ("[storage.main]", "object_lock = {}"),
    ("[storage.main]", "object_lock = { mode = \"governance\" }"),
    ("[storage.main]", "object_lock = { legal_hold = true }\nchecksum = \"none\""),
    ("[storage.main]", "encryption = { kms = \"aws:kms\" }"),
    ("[storage.main]", "encryption = { kms = \"a\", customer_key = { file = \"/k\" } }"),
    ("[storage.main]", "client_key = { file = \"/k/c.key\" }"), ("[storage.main]", "client_cert = \"c.pem\""),
    ("[storage.main]", "part_size = 5"), ("[storage.main]", "retry = { delay = [] }"),
    ("[backend.main]", "!url"),
    ("[backend.main]", "url = \"\""), ("[backend.main]", "url = \"https://u:p@api.example.com\""),
    ("[backend.main]", "url = \"https://api.example.com/#a\""), ("[backend.main]", "url = \"ftp://a\""),
    ("[backend.main]", "url = \"https://a:0/\""), ("[backend.main]", "method = \"GET\""),
    ("[backend.main]", "fields = { a = \"{Nope}\" }"), ("[backend.main]", "fields = { a = \"{name\" }"),
    ("[backend.main]", "success = { status = [404] }"), ("[backend.main]", "success = { status = [] }"),
    ("[backend.main]", "success = { page = true }"), ("[backend.main]", "success = { json = \"a..b\" }"),
    ("[backend.main]", "token = { aws = \"default\" }"), ("[backend.main]", "signing_secret = { oauth = {} }"),
    ("[backend.main]", "token = { oauth = { url = \"https://l.example.com/t\", client_id = \"w\" } }"),
    (
      "[backend.main]",
      "token = { oauth = { url = \"https://l.example.com/t\", client_id = \"w\", client_cert = { file = \"/c\" }, key_id = \"a\" } }"
    ), ("[[spool]]", "!path"), ("[[spool]]", "path = \"/\""), ("[[spool]]", "retry = {}"),
    ("[[spool]]", "name = \"a b\""), ("[[spool]]", "archive = \"/a\""), ("[[spool]]", "after = \"archive\""),
    ("[[spool]]", "marker = 1"), ("[[spool]]", "marker = \"a\"\nrecursive = true"),
    ("[[spool]]", "marker = \"a/b\""), ("[[spool]]", "key = \"/a/{name}\""),
    ("[[spool]]", "key = \"a//{name}\""), ("[[spool]]", "key = \"../{name}\""), ("[[spool]]", "key = \"{bucket}\""),
    ("[[spool]]", "duplicates = \"once\""),
    ("[[spool]]", "duplicates = \"skip\"\nmarker = \"done\""),
    ("[[spool]]", "unmatched = \"ignore\""), ("[[spool]]", "match = 'a'\nunmatched = \"leave\""),
    ("[[spool]]", "link = {}"),
    ("[[spool]]", "link = \"https://a b/\""), ("[[spool]]", "ignore = [\"a/b\"]"), ("[[spool]]", "ignore = [1]"),
    ("[[spool]]", "sidecar = \"name.json\""), ("[[spool]]", "sidecar = \"{name}.yaml\""),
    ("[[spool]]", "sidecar_wait = \"1s\""), ("[[spool]]", "priority = 1.5"), ("[[spool]]", "priority = 1001"),
    ("[[spool]]", "settle = 1979-05-27"),
    ("[webhook.main]", "!url"), ("[webhook.main]", "events = []"), ("[webhook.main]", "events = [\"all\"]"),
  ]

  static let fleetTaken = [
    "database = \"dbname=x\"", "database = \"x\"\nallow = [\"discard\"]\nnames = false\nheartbeat = \"30s\"",
    "database = \"x\"\n[web]\nlisten = \"/run/w.sock\"\nuser = \"anna\"",
    "database = \"x\"\n[web]\nuser_header = \"X-Remote-User\"\nserver_names = [\"fleet.example.com\", \"a:8710\"]",
  ]

  static let fleetRefused = [
    "", "database = \"\"", "database = \"x\"\nallow = [\"drop\"]", "database = \"x\"\nheartbeat = 1",
    "database = \"x\"\nhartbeat = \"1s\"", "database = \"x\"\nsocket = \"x\"",
    "database = \"x\"\n[web]\nlisten = \"8710\"", "database = \"x\"\n[web]\nuser = \"a,b\"",
    "database = \"x\"\n[web]\nuser = \"a\"\nuser_header = \"X-A\"",
    "database = \"x\"\n[web]\nserver_names = [\"https://a/\"]", "database = \"x\"\n[web]\nuser_headers = \"X-A\"",
  ]
}
