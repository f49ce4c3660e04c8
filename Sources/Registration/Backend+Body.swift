import FoundationEssentials
import Jobs

extension Backend {
  /// The body that registers a document, to be frozen with the job: a JSON object in UTF-8, its members in this order.
  ///
  /// A member of which nothing is known is null. `name_base64` is there only for a name that is not UTF-8.
  public func body(of document: StoredDocument) -> [UInt8] {
    let ticket = document.ticket
    let receipt = document.receipt
    var json = JSONText()
    json.object { members in
      members.add("id", ticket.id.description)
      members.add("job", document.job.rawValue)
      members.add("link", document.link)
      members.add("bucket", receipt?.bucket ?? ticket.bucket)
      members.add("key", receipt?.key ?? ticket.key)
      members.add("name", ticket.name.text)
      if !ticket.name.isUTF8 { members.add("name_base64", Data(ticket.name.bytes).base64EncodedString()) }
      members.add("size", receipt?.size ?? document.identity.size)
      members.add("sha256", receipt?.sha256)
      if let checksum = receipt?.checksum {
        members.object("checksum") { members in
          members.add("algorithm", checksum.algorithm)
          members.add("type", checksum.type.rawValue)
          members.add("value", checksum.value)
        }
      } else {
        members.add("checksum", nil)
      }
      members.add("etag", receipt?.etag)
      members.add("version", receipt?.version)
      members.add("content_type", receipt?.contentType ?? ticket.contentType)
      members.add("spool", ticket.spool)
      members.add("host", options.host)
      members.add("modified_at", document.identity.modifiedAt.rfc3339)
      members.add("uploaded_at", receipt?.uploadedAt.rfc3339)
      members.object("metadata") { members in
        for (name, value) in ticket.metadata.sorted(by: { $0.key < $1.key }) { members.add(name, value) }
      }
    }
    return json.bytes
  }
}
