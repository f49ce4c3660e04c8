// Made by scripts/messages from Table/files.txt.

extension MessageTable {
  static let files: [MessageForm] = [
    MessageForm("file-gone", "the file {path} is gone", "文件 {path} 已不存在"),
    MessageForm(
      "file-unreadable", "the file {path} cannot be read: give the daemon's user the right to read it",
      "没有权限读取文件 {path}：请允许守护进程的用户读取它"),
    MessageForm(
      "file-unreadable-mode",
      "the file {path} (mode {mode}) cannot be read: give the daemon's user the right to read it",
      "没有权限读取文件 {path}（权限 {mode}）：请允许守护进程的用户读取它"),
    MessageForm(
      "file-unreadable-owner",
      "the file {path} (owner {owner}) cannot be read: give the daemon's user the right to read it",
      "没有权限读取文件 {path}（属主 {owner}）：请允许守护进程的用户读取它"),
    MessageForm(
      "file-unreadable-owner-mode",
      "the file {path} (owner {owner}, mode {mode}) cannot be read: give the daemon's user the right to read it",
      "没有权限读取文件 {path}（属主 {owner}，权限 {mode}）：请允许守护进程的用户读取它"),
    MessageForm(
      "file-input-output", "the file {path} cannot be read: input/output error; check the disk and its journal entries",
      "无法读取文件 {path}：输入/输出错误；请检查磁盘及其日志"),
    MessageForm(
      "file-stale", "the file {path} cannot be read: its network file system has lost it (ESTALE)",
      "无法读取文件 {path}：网络文件系统已丢失它 (ESTALE)"),
    MessageForm("file-not-regular", "{path} is not a regular file ({code})", "{path} 不是普通文件 ({code})"),
    MessageForm(
      "too-many-open-files", "too many open files to {operation} {path}: raise LimitNOFILE=",
      "打开的文件过多，无法{operation:name} {path}：请提高 LimitNOFILE="),
    MessageForm("file-operation-failed", "cannot {operation} {path}: {why}", "无法{operation:name} {path}：{why}"),
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
    MessageForm("ledger-unreadable", "the ledger cannot be read: {why}", "无法读取账本：{why}"),
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
  ]
}
