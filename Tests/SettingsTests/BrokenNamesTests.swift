import ChildProcesses
import Settings
import Testing

@Suite struct BrokenNamesTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test(
    arguments: Broken.rows(
      #"""
      2 endpoint = "s3.example.com"
        F:2: storage.main.endpoint: is not an http or https URL; begin it with https://
      2 endpoint = "https://"
        F:2: storage.main.endpoint: has no valid host; write it like https://HOST or https://HOST:PORT
      2 endpoint = "https://user:hunter2@s3.example.com"
        F:2: storage.main.endpoint: has a user or password in it; leave out the part before the @
      2 endpoint = "https://s3.example.com/?x=1"
        F:2: storage.main.endpoint: has a query or a fragment; an endpoint is scheme, host and port
      2 endpoint = "https://s3.example.com/documents"
        F:2: storage.main.endpoint: ends with the bucket; leave it out: the bucket goes into bucket
      2 endpoint = "https://s3.example.com/a/../b"
        F:2: storage.main.endpoint: has the path "/a/../b"; a path before the bucket may have letters, digits, -, ., _ and ~
      2 endpoint = "http://[::1]:9000"⏎addressing = "virtual"
        F:3: storage.main.addressing: is "virtual", but a bucket name cannot be put before the IP address [::1]:9000; write addressing = "path", or an endpoint with a name
      3 bucket = "My_bucket"⏎addressing = "virtual"
        F:4: storage.main.addressing: is "virtual", but "My_bucket" cannot be part of a host's name; write addressing = "path"
      4 access_key = { aws_profile = "default" }
        F:4: storage.main.access_key: AWS profile default cannot be found: neither AWS_SHARED_CREDENTIALS_FILE nor HOME is set; set AWS_SHARED_CREDENTIALS_FILE in the daemon's unit
      5 secret_key = { aws_profile = "default" }
        F:5: storage.main.secret_key.aws_profile: cannot be used here; write one of { file = "/path" }, { credential = "NAME" } or { env = "NAME" }
      2 endpoint = "https://s3.example.com:70000"
        F:2: storage.main.endpoint: has no valid port; a port is 1 to 65535
      2 endpoint = "https://s3.exa mple.com"
        F:2: storage.main.endpoint: has a character that a URL cannot have; percent-encode it
      2 endpoint = "https://bücher.example/s3"
        F:2: storage.main.endpoint: has a host outside ASCII; write its xn-- form, which idn2 HOST prints, for example
      7 url = "https://api.example.com"⏎health = "https://api.example.com/{id}"
        F:8: backend.main.health: has a character that a URL cannot have; percent-encode it
      7 url = "https://{host}/documents"
        F:7: backend.main.url: has a placeholder before its path; put placeholders into the path or the query
      7 url = "https://api.example.com/{id}#{id}"
        F:7: backend.main.url: has a fragment; leave out the # and what follows: it is never sent
      7 url = "https://api.example.com/a?a={nmae}"
        F:7: backend.main.url: unknown placeholder "{nmae}"; did you mean {name}?
      7 url = "https://api.example.com/{sidecar}"
        F:7: backend.main.url: unknown placeholder "{sidecar}"; it may have {link} {bucket} {key} {etag} {version} {sha256} {size} {content_type} {name} {stem} {ext} {path} {spool} {host} {id} {job} {modified_at} {uploaded_at} {yyyy} {mm} {dd} {metadata.NAME}
      7 url = "https://api.example.com/{metadata.a?b}"
        F:7: backend.main.url: "https://api.example.com/{metadata.a" has a { that is not closed; write placeholders like {name}
        F:7: backend.main.url: "b}" has a } that closes nothing; write placeholders like {name}
      3 bucket = "ab"
        F:3: storage.main.bucket: "ab" is not a valid bucket name; it has 3 to 63 letters, digits, dots and hyphens, and begins and ends with a letter or digit
      3 bucket = "my-tenant:documents"
        F:3: storage.main.bucket: "my-tenant:documents" has no valid tenant; it has at most 63 letters, digits and underscores
      3 bucket = "documents"⏎region = "eu/1"
        F:4: storage.main.region: "eu/1" is not a valid region name; write it like region = "eu-central-1"
      1 [storage."ma in"]
        F:1: storage."ma in": is not a valid storage name; a name has 1 to 64 letters, digits, - and _
      + name = "my scans"
        F:10: spool[1].name: "my scans" is not a valid spool name; a name has 1 to 64 letters, digits, - and _
      9 path = "/srv/my scans"
        F:8: spool[1].name: missing, and "my scans" is not a valid spool name; add a line like name = "documents"
      + [[spool]]⏎path = "/srv/documents"
        F:10: spool.documents.name: there is another spool of this name, in F:8; give one of them another name
      9 path = "spool"
        F:9: spool[1].path: "spool" is a relative path; write the absolute path, from /
      9 path = "/"
        F:9: spool[1].path: is the root directory; give the spool a directory of its own
      9 path = "/srv/../x"
        F:9: spool[1].path: "/srv/../x" has a .. in it; write the path that it leads to
      9 path = "/srv/a\u0007b"
        F:8: spool[1].name: missing, and "a\x07b" is not a valid spool name; add a line like name = "documents"
        F:9: spool[1].path: has a control character in it
      + [[spool]]⏎name = "b"⏎path = "/var/spool/waybill/documents/"
        F:12: spool.b.path: is the same directory as spool.documents.path, "/var/spool/waybill/documents"; give each a directory of its own, side by side
      + [[spool]]⏎path = "/var/spool/waybill"
        F:11: spool.waybill.path: contains the directory of spool.documents.path, "/var/spool/waybill/documents"; give each a directory of its own, side by side
      + [[spool]]⏎path = "/var/spool/waybill/documents/inner"
        F:11: spool.inner.path: is inside the directory of spool.documents.path, "/var/spool/waybill/documents"; give each a directory of its own, side by side
      + sidecar = "{name}"
        F:10: spool.documents.sidecar: "{name}" is no pattern of names beside a document; write it like {name}.json or {stem}.xml: ending in .json, .xml or .txt, no slash, no dot at the beginning
      + sidecar = "{name}.json"⏎ignore = ["*.json"]
        F:10: spool.documents.sidecar: "{name}.json" makes names that ignore leaves alone, by "*.json"; leave that out of ignore
      + sidecar_wait = "1s"
        F:10: spool.documents.sidecar_wait: has no effect; it needs sidecar = "{name}.json"
      + marker = "a/b"
        F:10: spool.documents.marker: "a/b" matches no name; it is a name or a pattern of 1 to 255 bytes, without a slash
      + marker = "*.done"⏎recursive = true
        F:11: spool.documents.recursive: does not go with marker; a group has all that is in its directory; remove one of them
      + marker = "*.done"⏎sidecar = "{name}.json"
        F:11: spool.documents.sidecar: does not go with marker; a description is one of the group's files; remove one of them
      + archive = "/srv/archive"
        F:10: spool.documents.archive: has no effect; it needs after = "archive"
      + after = "archive"⏎archive = "/var/spool/waybill/documents/done"
        F:11: spool.documents.archive: is inside the directory of spool.documents.path, "/var/spool/waybill/documents"; give each a directory of its own, side by side
      + [daemon]⏎state = "/var/spool/waybill/documents/.state"
        F:11: daemon.state: is inside the directory of spool.documents.path; give each a directory of its own, side by side
      3 bucket = "documents"⏎ca_file = "KEYS/none.pem"
        F:4: storage.main.ca_file: cannot read KEYS/none.pem: No such file or directory; name a PEM file of certificates that the daemon can read
      4 access_key = { file = "KEYS/none" }
        F:4: storage.main.access_key: cannot read KEYS/none: No such file or directory; put the value into this file, readable by the daemon's user alone
      4 access_key = "hunter2"
        F:4: storage.main.access_key: is a string, but a secret must not be in the configuration; put it into a file and write access_key = { file = "/etc/waybill/keys/s3-access-key" }
      4 access_key = {}
        F:4: storage.main.access_key: does not say where to read it from; write one of { file = "/path" }, { credential = "NAME" } or { env = "NAME" }
      4 access_key = { file = "KEYS/access", env = "KEY" }
        F:4: storage.main.access_key: names several places to read it from; write one of { file = "/path" }, { credential = "NAME" } or { env = "NAME" }
      4 access_key = { env = "KEY" }
        F:4: storage.main.access_key: environment variable KEY is not set; set it in the daemon's unit, or use a file
      4 access_key = { env = "A=B" }
        F:4: storage.main.access_key.env: "A=B" is not a valid environment variable name
      4 access_key = { credential = "s3-key" }
        F:4: storage.main.access_key: systemd credential s3-key is missing: $CREDENTIALS_DIRECTORY is not set; add LoadCredential=s3-key:/path/to/file to the unit and start it with systemctl
      4 access_key = { credential = "../s3-key" }
        F:4: storage.main.access_key.credential: "../s3-key" is not a valid credential name; use the NAME of LoadCredential=NAME:/path
      4 access_key = { file = "KEYS" }
        F:4: storage.main.access_key: cannot read KEYS: Is a directory; it must be a regular file that contains only the value, on one line
      7 url = "http://127.0.0.1"⏎token = 12345678
        F:8: backend.main.token: is an integer, but a secret must not be in the configuration; put it into a file and write token = { file = "/etc/waybill/keys/backend-token" }
      7 url = "http://127.0.0.1"⏎headers = { Authorization = "Bearer x" }
        F:8: backend.main.headers.Authorization: is set by waybill; a backend's bearer token goes into token
      7 url = "http://127.0.0.1"⏎headers = { host = "a", Content-Length = "1" }
        F:8: backend.main.headers.Content-Length: is set by waybill; leave it out
        F:8: backend.main.headers.host: is set by waybill; leave it out
      7 url = "http://127.0.0.1"⏎headers = { "X Y" = "1" }
        F:8: backend.main.headers."X Y": is not a valid header name; a name has letters, digits and -
      7 url = "http://127.0.0.1"⏎headers = { X-Y = "a\r\nX-Evil: 1" }
        F:8: backend.main.headers.X-Y: has a control character or a non-ASCII character in it; a header's value is printable ASCII
      7 url = "http://127.0.0.1"⏎headers = { X-Y = 1 }
        F:8: backend.main.headers.X-Y: is the integer 1 where a string or a place to read it from belongs; write it like X-Y = "value"
      7 url = "http://127.0.0.1"⏎headers = { X-Y = "" }
        F:8: backend.main.headers.X-Y: is empty, or begins or ends with a blank; leave it out, or leave the blanks out
      7 url = "http://127.0.0.1"⏎headers = { X-Y = "1", x-y = "2" }
        F:8: backend.main.headers.x-y: is the same header as "X-Y"; leave one of them out
      7 url = "http://127.0.0.1"⏎headers = ["X-Y: 1"]
        F:8: backend.main.headers: is an array where a table belongs; write it like headers = { "X-Source" = "scanner-3" }
      3 bucket = "documents"⏎headers = { x-amz-meta-waybill-id = "1" }
        F:4: storage.main.headers.x-amz-meta-waybill-id: is set by waybill; leave it out
      3 bucket = "documents"⏎headers = { X-Z = "{name:head}" }
        F:4: storage.main.headers.X-Z: unknown placeholder "{name:head}"; it may have {spool} {yyyy} {mm} {dd} {id} {name} {stem} {ext} {job} {host} {path} {spread} {metadata.NAME}
      3 bucket = "documents"⏎headers = { X-Y = { file = "KEYS/access" } }
        F:4: storage.main.headers.X-Y: is a table where a string belongs; write it like X-Y = "value"
      + key = "{spool}/{nmae}"
        F:10: spool.documents.key: unknown placeholder "{nmae}"; did you mean {name}?
      + key = "{bucket}/{name}"
        F:10: spool.documents.key: unknown placeholder "{bucket}"; it may have {spool} {yyyy} {mm} {dd} {id} {name} {stem} {ext} {job} {host} {path} {spread} {metadata.NAME}
      + key = "a//{name}"
        F:10: spool.documents.key: "a//{name}" makes keys with an empty segment; remove the extra slash
      + key = "a/../{name}"
        F:10: spool.documents.key: "a/../{name}" makes keys with a . or .. segment; leave it out
      + link = "https://cdn.example.com/a b/{key}"
        F:10: spool.documents.link: "https://cdn.example.com/a b/{key}" does not make a valid link; it has up to 2,048 printable ASCII characters and no blanks
      """#))
  func saysWhatIsWrongWithTexts(broken: Broken) throws { try broken.check(in: directory) }
}
