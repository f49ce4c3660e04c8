// Made by scripts/messages from Table/files.txt.

extension MessageTable {
  static let files: [MessageForm] = [
    MessageForm("file-error", "cannot {operation} {path}: {why} ({code})", "无法{operation:name} {path}：{why} ({code})"),
    MessageForm(
      "file-error-to", "cannot {operation} {path} to {target}: {why} ({code})",
      "无法{operation:name} {path} 到 {target}：{why} ({code})"),
    MessageForm(
      "file-error-advice", "cannot {operation} {path}: {why} ({code}); {advice}",
      "无法{operation:name} {path}：{why} ({code})；{advice}"),
    MessageForm(
      "file-error-to-advice", "cannot {operation} {path} to {target}: {why} ({code}); {advice}",
      "无法{operation:name} {path} 到 {target}：{why} ({code})；{advice}"),
    MessageForm("file-error-and-advice", "{error:message}: {advice}", "{error}：{advice}"),
    MessageForm("not-configured", "{name} is no longer configured", "{name} 已不在配置中"),
    MessageForm("files-unlisted", "its files cannot be listed: {why:message}", "无法列出它的文件：{why}"),
    MessageForm("sidecar-unreadable", "the sidecar {name} cannot be read: {why:message}", "无法读取说明文件 {name}：{why}"),
    MessageForm("without-sidecar", "{what:message}; confirm sends it without", "{what}；确认即不带说明文件发送"),
    MessageForm("unexpected-error", "unexpected error {name}: {why}", "意外错误 {name}：{why}"),
    MessageForm("no-link", "the ledger has no link for this job", "账本中没有此任务的链接"),
    MessageForm("file-replaced", "the file was replaced by another one", "文件已被另一个文件取代"),
    MessageForm(
      "file-size-changed", "the file changed: it had {before:number} bytes and has {now:number} now",
      "文件已变化：原为 {before} 字节，现为 {now} 字节"),
    MessageForm("file-written-to", "the file was written to at {at:time}", "文件在 {at} 被写入"),
    MessageForm("file-time-set-back", "the file was changed, and its time was set back", "文件已更改，且其时间被改回"),
    MessageForm(
      "file-ended-short", "the file {path} ended before its length of {size:number} bytes", "文件 {path} 不足其应有的 {size} 字节"
    ),
    MessageForm(
      "belongings-unreadable",
      "what belongs to it cannot be read: {why:message}; confirm sends it without that, release gives it back",
      "无法读取属于它的内容：{why}；确认即不带这些发送，取回则归还文件"),
    MessageForm(
      "empty-group", "it has no files besides its marker; confirm registers it with an empty list",
      "除标记文件外没有其他文件；确认即以空列表登记"),
    MessageForm(
      "name-unmatched", "its name does not match {pattern}; confirm sends it without the parts of its name",
      "其名称不匹配 {pattern}；确认即不带名称的各部分发送"),
    MessageForm(
      "match-too-long",
      "its name takes too many steps to match {pattern}: simplify match of spool {spool}; confirm sends it without the parts of its name",
      "其名称匹配 {pattern} 所需步骤过多：请简化投递目录 {spool} 的 match；确认即不带名称的各部分发送"),
  ]
}
