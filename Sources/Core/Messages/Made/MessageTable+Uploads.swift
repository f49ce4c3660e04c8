// Made by scripts/messages from Table/uploads.txt.

extension MessageTable {
  static let uploads: [MessageForm] = [
    MessageForm(
      "not-a-storage",
      "HTTP {status:number} to {method}: answers like a web server, not like an S3 storage ({doubt:message})",
      "HTTP {status}（{method}）：应答的像网页服务器，而不是 S3 存储（{doubt}）"),
    MessageForm(
      "not-a-storage-head",
      "HTTP 200 to {method}, but HEAD {finding:message}: answers like a web server, not like an S3 storage",
      "HTTP 200（{method}），但 HEAD {finding}：应答的像网页服务器，而不是 S3 存储"),
    MessageForm(
      "answer-not-of-storage", "{answer:message}: answers like a web server, not like an S3 storage ({doubt:message})",
      "{answer}：应答的像网页服务器，而不是 S3 存储（{doubt}）"),
    MessageForm("answer-but-head", "{answer:message}; HEAD {finding:message}", "{answer}；HEAD {finding}"),
    MessageForm("head-finds-none", "finds no such object", "没有找到该对象"),
    MessageForm(
      "head-shows-another", "shows an object without the id that was sent with it ({header})",
      "显示的对象没有随之发送的 id（{header}）"),
    MessageForm("head-shows-no-size", "shows an object without its size", "显示的对象没有大小"),
    MessageForm("head-shows-other-bytes", "shows an object that may hold other bytes", "显示的对象内容可能不同"),
    MessageForm("doubt-status", "S3 says {expected:number}", "S3 应答 {expected}"),
    MessageForm("doubt-body", "it has a body", "它带有正文"),
    MessageForm("doubt-page", "it is a page of HTML", "它是 HTML 页面"),
    MessageForm("doubt-empty", "it has no body", "它没有正文"),
    MessageForm("doubt-no-etag", "it has no ETag", "它没有 ETag"),
    MessageForm("doubt-weak-etag", "its ETag is weak or not in quotes", "它的 ETag 是弱标签，或没有引号"),
    MessageForm(
      "doubt-early", "it came when {sent:number} of {count:number} bytes had been sent", "{count} 字节只发送了 {sent} 字节时它就到了"
    ),
    MessageForm("doubt-unreadable", "its document cannot be read", "无法读取它的文档"),
    MessageForm(
      "no-upload-id", "the storage began a multipart upload but gave no UploadId", "存储开始了分段上传，但没有给出 UploadId"),
    MessageForm("listing-unreadable", "the storage's answer to a listing is not readable XML", "存储对列举的应答不是可读的 XML"),
    MessageForm("still-shown", "DELETE was accepted, but HEAD still shows the object", "DELETE 已被接受，但 HEAD 仍显示该对象"),
    MessageForm(
      "other-bytes-stored", "the storage has different bytes of {what:message} than were sent: its {checksum} differs",
      "存储中{what}的内容与发送的不同：其 {checksum} 不一致"),
    MessageForm(
      "other-bytes-of-forgotten-job",
      "the storage has an object with this job's id and other bytes, which this ledger does not know; the next try writes over it",
      "存储中已有带此任务 id 的对象，但内容不同，且此账本没有它的记录；下次尝试会覆盖它"),
    MessageForm(
      "encrypted-otherwise", "the storage was asked to encrypt with {asked}, and says that it used {said}",
      "要求存储用 {asked} 加密，但它称使用的是 {said}"),
    MessageForm(
      "encryption-unsaid",
      "the storage was asked to encrypt with {asked}, and does not say that it did: it may keep objects unencrypted",
      "要求存储用 {asked} 加密，但它没有确认：对象可能未加密"),
    MessageForm("the-object", "the object", "对象"),
    MessageForm("the-part", "part {part:number}", "第 {part} 段"),
    MessageForm("key-empty", "the key's template gives an empty key for this name", "键模板对此名称得到空键"),
    MessageForm(
      "key-too-long", "the object's key would have {size:number} bytes, and S3 allows at most 1,024: shorten the name",
      "对象的键会有 {size} 字节，而 S3 最多允许 1,024 字节：请缩短名称"),
    MessageForm(
      "key-empty-or-too-long",
      "the object's key would be empty or over 1,024 bytes: shorten the name, or the spool's key template",
      "对象的键会为空或超过 1,024 字节：请缩短名称，或缩短投递目录的键模板"),
    MessageForm("tag-refused", "the tag {tag} of the object {fault:message}", "对象的标签 {tag} {fault}"),
    MessageForm("tag-too-long", "is longer than {most:number} characters", "超过 {most} 个字符"),
    MessageForm(
      "tag-character", "has the character {character} in it, and S3 takes letters, digits, spaces and + - = . _ : / @",
      "含有字符 {character}，而 S3 只接受字母、数字、空格和 + - = . _ : / @"),
    MessageForm(
      "metadata-too-long",
      "the file's metadata (user.waybill.*) makes the upload's headers {size:number} bytes long, but S3 allows at most 8,192 bytes of headers, with at most 2,048 bytes of metadata",
      "文件的元数据 (user.waybill.*) 使上传的标头达到 {size} 字节，而 S3 最多允许 8,192 字节的标头，其中元数据最多 2,048 字节"),
    MessageForm(
      "file-too-large",
      "the file has {size:number} bytes, and an object in {storage} has at most 5 TiB: divide the file",
      "文件有 {size} 字节，而 {storage} 中的对象最多 5 TiB：请拆分文件"),
    MessageForm(
      "too-many-parts",
      "the file has {size:number} bytes, more than {parts:number} parts of 5 GiB can hold, which is what [storage.{storage}] takes of a file: divide the file",
      "文件有 {size} 字节，超过 {parts} 个 5 GiB 的分段，即 [storage.{storage}] 对一个文件的上限：请拆分文件"),
    MessageForm(
      "group-list-too-long", "the list of its files has more than {limit:number} bytes: divide the group",
      "它的文件清单超过 {limit} 字节：请拆分该组"),
    MessageForm("storage-set", "set {setting} in [storage.{storage}]", "请在 [storage.{storage}] 中设置 {setting}"),
    MessageForm(
      "storage-leave-out", "leave out {setting} in [storage.{storage}]", "请去掉 [storage.{storage}] 中的 {setting}"),
    MessageForm(
      "storage-leave-header-out", "leave {header} out of headers in [storage.{storage}]",
      "请从 [storage.{storage}] 的 headers 中去掉 {header}"),
    MessageForm(
      "storage-without-bucket", "create the bucket {bucket}, or correct bucket in [storage.{storage}]",
      "请创建存储桶 {bucket}，或更正 [storage.{storage}] 中的 bucket"),
    MessageForm(
      "storage-without-condition",
      "if the storage does not support If-None-Match, set overwrite = true in [storage.{storage}]",
      "如果存储不支持 If-None-Match，请在 [storage.{storage}] 中设置 overwrite = true"),
    MessageForm(
      "storage-throttles-by-503", "if the storage throttles by 503, set {setting} in [storage.{storage}]",
      "如果存储用 503 限流，请在 [storage.{storage}] 中设置 {setting}"),
    MessageForm(
      "customer-keys-blocked",
      "a right is missing, or the bucket takes no customer keys (SSE-C): since April 2026 AWS blocks them by default. Unblock them in the bucket's encryption settings (PutBucketEncryption, BlockedEncryptionTypes NONE), or write {setting}",
      "缺少权限，或存储桶不接受客户密钥 (SSE-C)：自 2026 年 4 月起 AWS 默认禁止它们。请在存储桶的加密设置中解除 (PutBucketEncryption, BlockedEncryptionTypes NONE)，或写 {setting}"
    ),
    MessageForm(
      "signature-of-storage",
      "the key is right, since the storage accepts other requests that it signs. A proxy may change what is sent, or the storage may read a header of [storage.{storage}] differently",
      "密钥正确，因为存储接受用它签名的其他请求。可能是代理改动了发送的内容，或存储对 [storage.{storage}] 的某个标头理解不同"),
    MessageForm(
      "signature-of-request",
      "the key is right, and other files are stored. A proxy may change this object's key, type or metadata, or the storage may read them differently",
      "密钥正确，其他文件也能存储。可能是代理改动了此对象的键、类型或元数据，或存储对它们的理解不同"),
  ]
}
