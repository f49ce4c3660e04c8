// Made by scripts/messages from Table/uploads.txt.

extension Message {
  /// `HTTP {status} to {method}: answers like a web server, not like an S3 storage ({doubt})`
  public static func notAStorage(status: some BinaryInteger, method: String, doubt: Message) -> Message {
    Message(
      code: "not-a-storage",
      ["status": .number(Int64(clamping: status)), "method": .text(method), "doubt": .message(doubt)])
  }

  /// `HTTP 200 to {method}, but HEAD {finding}: answers like a web server, not like an S3 storage`
  public static func notAStorageHead(method: String, finding: Message) -> Message {
    Message(code: "not-a-storage-head", ["method": .text(method), "finding": .message(finding)])
  }

  /// `{answer}: answers like a web server, not like an S3 storage ({doubt})`
  public static func answerNotOfStorage(answer: Message, doubt: Message) -> Message {
    Message(code: "answer-not-of-storage", ["answer": .message(answer), "doubt": .message(doubt)])
  }

  /// `{answer}; HEAD {finding}`
  public static func answerButHead(answer: Message, finding: Message) -> Message {
    Message(code: "answer-but-head", ["answer": .message(answer), "finding": .message(finding)])
  }

  /// `finds no such object`
  public static let headFindsNone = Message(code: "head-finds-none")

  /// `shows an object without the id that was sent with it ({header})`
  public static func headShowsAnother(header: String) -> Message {
    Message(code: "head-shows-another", ["header": .text(header)])
  }

  /// `shows an object without its size`
  public static let headShowsNoSize = Message(code: "head-shows-no-size")

  /// `shows an object that may hold other bytes`
  public static let headShowsOtherBytes = Message(code: "head-shows-other-bytes")

  /// `S3 says {expected}`
  public static func doubtStatus(expected: some BinaryInteger) -> Message {
    Message(code: "doubt-status", ["expected": .number(Int64(clamping: expected))])
  }

  /// `it has a body`
  public static let doubtBody = Message(code: "doubt-body")

  /// `it is a page of HTML`
  public static let doubtPage = Message(code: "doubt-page")

  /// `it has no body`
  public static let doubtEmpty = Message(code: "doubt-empty")

  /// `it has no ETag`
  public static let doubtNoEtag = Message(code: "doubt-no-etag")

  /// `its ETag is weak or not in quotes`
  public static let doubtWeakEtag = Message(code: "doubt-weak-etag")

  /// `it came when {sent} of {count} bytes had been sent`
  public static func doubtEarly(sent: some BinaryInteger, count: some BinaryInteger) -> Message {
    Message(code: "doubt-early", ["sent": .number(Int64(clamping: sent)), "count": .number(Int64(clamping: count))])
  }

  /// `its document cannot be read`
  public static let doubtUnreadable = Message(code: "doubt-unreadable")

  /// `the storage began a multipart upload but gave no UploadId`
  public static let noUploadId = Message(code: "no-upload-id")

  /// `the storage's answer to a listing is not readable XML`
  public static let listingUnreadable = Message(code: "listing-unreadable")

  /// `DELETE was accepted, but HEAD still shows the object`
  public static let stillShown = Message(code: "still-shown")

  /// `the storage has different bytes of {what} than were sent: its {checksum} differs`
  public static func otherBytesStored(what: Message, checksum: String) -> Message {
    Message(code: "other-bytes-stored", ["what": .message(what), "checksum": .text(checksum)])
  }

  /// `the storage has an object with this job's id and other bytes, which this ledger does not know; the next try writes over it`
  public static let otherBytesOfForgottenJob = Message(code: "other-bytes-of-forgotten-job")

  /// `the storage was asked to encrypt with {asked}, and says that it used {said}`
  public static func encryptedOtherwise(asked: String, said: String) -> Message {
    Message(code: "encrypted-otherwise", ["asked": .text(asked), "said": .text(said)])
  }

  /// `the storage was asked to encrypt with {asked}, and does not say that it did: it may keep objects unencrypted`
  public static func encryptionUnsaid(asked: String) -> Message {
    Message(code: "encryption-unsaid", ["asked": .text(asked)])
  }

  /// `the object`
  public static let theObject = Message(code: "the-object")

  /// `part {part}`
  public static func thePart(part: some BinaryInteger) -> Message {
    Message(code: "the-part", ["part": .number(Int64(clamping: part))])
  }

  /// `the key's template gives an empty key for this name`
  public static let keyEmpty = Message(code: "key-empty")

  /// `the object's key would have {size} bytes, and S3 allows at most 1,024: shorten the name`
  public static func keyTooLong(size: some BinaryInteger) -> Message {
    Message(code: "key-too-long", ["size": .number(Int64(clamping: size))])
  }

  /// `the object's key would be empty or over 1,024 bytes: shorten the name, or the spool's key template`
  public static let keyEmptyOrTooLong = Message(code: "key-empty-or-too-long")

  /// `the tag {tag} of the object {fault}`
  public static func tagRefused(tag: String, fault: Message) -> Message {
    Message(code: "tag-refused", ["tag": .text(tag), "fault": .message(fault)])
  }

  /// `is longer than {most} characters`
  public static func tagTooLong(most: some BinaryInteger) -> Message {
    Message(code: "tag-too-long", ["most": .number(Int64(clamping: most))])
  }

  /// `has the character {character} in it, and S3 takes letters, digits, spaces and + - = . _ : / @`
  public static func tagCharacter(character: String) -> Message {
    Message(code: "tag-character", ["character": .text(character)])
  }

  /// `the file's metadata (user.waybill.*) makes the upload's headers {size} bytes long, but S3 allows at most 8,192 bytes of headers, with at most 2,048 bytes of metadata`
  public static func metadataTooLong(size: some BinaryInteger) -> Message {
    Message(code: "metadata-too-long", ["size": .number(Int64(clamping: size))])
  }

  /// `the file has {size} bytes, and an object in {storage} has at most 5 TiB: divide the file`
  public static func fileTooLarge(size: some BinaryInteger, storage: String) -> Message {
    Message(code: "file-too-large", ["size": .number(Int64(clamping: size)), "storage": .text(storage)])
  }

  /// `the file has {size} bytes, more than {parts} parts of 5 GiB can hold, which is what [storage.{storage}] takes of a file: divide the file`
  public static func tooManyParts(size: some BinaryInteger, parts: some BinaryInteger, storage: String) -> Message {
    Message(
      code: "too-many-parts",
      ["size": .number(Int64(clamping: size)), "parts": .number(Int64(clamping: parts)), "storage": .text(storage)])
  }

  /// `the list of its files has more than {limit} bytes: divide the group`
  public static func groupListTooLong(limit: some BinaryInteger) -> Message {
    Message(code: "group-list-too-long", ["limit": .number(Int64(clamping: limit))])
  }

  /// `set {setting} in [storage.{storage}]`
  public static func storageSet(setting: String, storage: String) -> Message {
    Message(code: "storage-set", ["setting": .text(setting), "storage": .text(storage)])
  }

  /// `leave out {setting} in [storage.{storage}]`
  public static func storageLeaveOut(setting: String, storage: String) -> Message {
    Message(code: "storage-leave-out", ["setting": .text(setting), "storage": .text(storage)])
  }

  /// `leave {header} out of headers in [storage.{storage}]`
  public static func storageLeaveHeaderOut(header: String, storage: String) -> Message {
    Message(code: "storage-leave-header-out", ["header": .text(header), "storage": .text(storage)])
  }

  /// `create the bucket {bucket}, or correct bucket in [storage.{storage}]`
  public static func storageWithoutBucket(bucket: String, storage: String) -> Message {
    Message(code: "storage-without-bucket", ["bucket": .text(bucket), "storage": .text(storage)])
  }

  /// `if the storage does not support If-None-Match, set overwrite = true in [storage.{storage}]`
  public static func storageWithoutCondition(storage: String) -> Message {
    Message(code: "storage-without-condition", ["storage": .text(storage)])
  }

  /// `if the storage throttles by 503, set {setting} in [storage.{storage}]`
  public static func storageThrottlesBy503(setting: String, storage: String) -> Message {
    Message(code: "storage-throttles-by-503", ["setting": .text(setting), "storage": .text(storage)])
  }

  /// `a right is missing, or the bucket takes no customer keys (SSE-C): since April 2026 AWS blocks them by default. Unblock them in the bucket's encryption settings (PutBucketEncryption, BlockedEncryptionTypes NONE), or write {setting}`
  public static func customerKeysBlocked(setting: String) -> Message {
    Message(code: "customer-keys-blocked", ["setting": .text(setting)])
  }

  /// `the key is right, since the storage accepts other requests that it signs. A proxy may change what is sent, or the storage may read a header of [storage.{storage}] differently`
  public static func signatureOfStorage(storage: String) -> Message {
    Message(code: "signature-of-storage", ["storage": .text(storage)])
  }

  /// `the key is right, and other files are stored. A proxy may change this object's key, type or metadata, or the storage may read them differently`
  public static let signatureOfRequest = Message(code: "signature-of-request")
}
