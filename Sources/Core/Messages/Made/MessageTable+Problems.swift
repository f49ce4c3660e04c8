// Made by scripts/messages from Table/problems.txt.

extension MessageTable {
  static let problems: [MessageForm] = [
    MessageForm("ledger-lost-in-part", "the ledger was lost in part: {why}", "账本部分丢失：{why}"),
    MessageForm("ledger-writable-again", "the ledger can be written again", "账本已可写入"),
    MessageForm("space-again", "there is space enough for the ledger again: files are admitted", "账本空间已足够：恢复接收文件"),
    MessageForm(
      "space-short",
      "no new files are admitted: {free:bytes} are free for the ledger in {directory}, and min_free is {least:bytes}",
      "不再接收新文件：{directory} 中账本可用空间为 {free}，min_free 为 {least}"),
    MessageForm(
      "make-room-for-commits", "make room there: the same commit is tried until it succeeds", "请在那里腾出空间：同一次提交会一直重试到成功"),
    MessageForm(
      "make-room-for-ledger", "make room on the disk of {directory}, or lower min_free in waybill.toml",
      "请在 {directory} 所在磁盘腾出空间，或降低 waybill.toml 中的 min_free"),
    MessageForm("make-room-or-lower", "make room there, or lower min_free", "请腾出空间，或降低 min_free"),
    MessageForm("journal-refuses", "the journal does not take entries: {waiting:number} wait", "日志不接收条目：{waiting} 条等待"),
    MessageForm(
      "journal-refuses-dropped",
      "the journal does not take entries: {waiting:number} wait, {dropped:number} were dropped",
      "日志不接收条目：{waiting} 条等待，{dropped} 条已丢弃"),
    MessageForm(
      "see-journald", "see systemctl status systemd-journald; waybill log --since 1h has the events all the same",
      "请查看 systemctl status systemd-journald；waybill log --since 1h 仍能显示事件"),
    MessageForm("of-spool", "spool {spool}: {why:message}", "投递目录 {spool}：{why}"),
    MessageForm("and-remedy", "{what:message}; {remedy:message}", "{what}；{remedy}"),
    MessageForm("stays-in-spool", "{why:message} (the file stays in the spool)", "{why}（文件留在投递目录中）"),
    MessageForm("polled-instead", "{why:message}; it is polled every {time:duration} instead", "{why}；改为每 {time} 轮询一次"),
    MessageForm(
      "nothing-has-come",
      "nothing has come into spool {spool} for {time:duration}; a file is expected every {every:duration}",
      "投递目录 {spool} 已有 {time} 没有新文件；预期每 {every} 一个"),
    MessageForm(
      "nothing-was-taken",
      "nothing was taken from spool {spool} for {time:duration}, files there: {count:number}; a file is expected every {every:duration}",
      "投递目录 {spool} 已有 {time} 未接收文件，其中有 {count} 个；预期每 {every} 一个"),
    MessageForm(
      "see-the-sender", "see if the machine that drops files works; waybill explain FILE says why a file is not taken",
      "请检查投放文件的设备；waybill explain FILE 会说明文件未被接收的原因"),
    MessageForm(
      "still-there", "{name} of job {job:number}, which is {state}, is still there: {why:message}",
      "任务 {job}（{state:word}）的文件 {name} 仍在那里：{why}"),
    MessageForm("archive-unusable", "the archive cannot be used: {why:message}", "无法使用归档目录：{why}"),
    MessageForm("spool-missing", "there is no directory {path}", "没有目录 {path}"),
    MessageForm("not-a-directory", "{path} is not a directory", "{path} 不是目录"),
    MessageForm(
      "file-rewritten",
      "{name} was written to after job {job:number} had uploaded it: it is kept, and has become job {new:number}",
      "{name} 在任务 {job} 上传之后被写入：已保留，并成为任务 {new}"),
    MessageForm(
      "group-rewritten",
      "{name} was written to after job {job:number} had uploaded it: all of it is kept, and has become job {new:number}",
      "{name} 在任务 {job} 上传之后被写入：全部保留，并成为任务 {new}"),
    MessageForm("in-use-by-process", "{path} is in use by process {pid:number}", "{path} 正被进程 {pid} 使用"),
    MessageForm("in-use-by-another", "{path} is in use by another process", "{path} 正被另一个进程使用"),
    MessageForm(
      "configuration-refused",
      "configuration rejected; the old one stays in use: the file on disk is not the configuration in use: {why:message}",
      "配置被拒绝，仍使用旧配置：磁盘上的文件不是正在使用的配置：{why}"),
    MessageForm(
      "spool-renamed", "{jobs:number} jobs of {spool} need their files: set name = \"{spool}\" for {path}",
      "{spool} 的 {jobs} 个任务需要它们的文件：请为 {path} 设置 name = \"{spool}\""),
    MessageForm(
      "spool-renamed-one", "1 job of {spool} needs its file: set name = \"{spool}\" for {path}",
      "{spool} 的 1 个任务需要它的文件：请为 {path} 设置 name = \"{spool}\""),
    MessageForm(
      "spool-gone", "{jobs:number} jobs of {spool} need their files, and no spool has their directory",
      "{spool} 的 {jobs} 个任务需要它们的文件，而没有投递目录使用它们所在的目录"),
    MessageForm(
      "spool-gone-one", "1 job of {spool} needs its file, and no spool has its directory",
      "{spool} 的 1 个任务需要它的文件，而没有投递目录使用它所在的目录"),
    MessageForm(
      "cleanups-stranded", "objects of cancelled jobs may be at {storage}, which is no longer in the configuration",
      "已取消任务的对象可能仍在 {storage}，而配置中已没有它"),
    MessageForm(
      "names-give-way", "so many names wait in {path} that some give way to others; most are of user {user}",
      "{path} 中等待的文件名过多，其中一些须让位；大多属于用户 {user}"),
    MessageForm(
      "sidecar-of-another", "{sidecar} is of user {owner} and does not describe {document}, which is of user {other}",
      "{sidecar} 属于用户 {owner}，不能说明属于用户 {other} 的 {document}"),
    MessageForm(
      "kept-full", "more than {limit:number} files stay in {path}, and the others are not taken",
      "{path} 中留在原处的文件超过 {limit} 个，其余文件不再接收"),
    MessageForm(
      "kept-until-now",
      "the files of {path} were kept until now, by spool {spool}; as this spool is configured, all would be sent again and taken away",
      "{path} 中的文件此前由投递目录 {spool} 一直保留；按此投递目录的当前设置将全部重新发送并移走"),
    MessageForm(
      "claims-left", "files claimed in {path}/.waybill: {count:number}", "{path}/.waybill 中有 {count} 个已接收的文件"),
    MessageForm(
      "too-few-descriptors",
      "concurrency = {wanted:number}: at most {slots:number} attempts are made at once, because the process may open only {descriptors:number} files and connections",
      "concurrency = {wanted}：最多同时进行 {slots} 个尝试，因为该进程最多只能打开 {descriptors} 个文件和连接"),
    MessageForm(
      "sidecar-rewritten",
      "{name}, the sidecar of job {job:number}, was written to after it was taken: it is in the spool again",
      "任务 {job} 的说明文件 {name} 在取走之后被写入：它又回到了投递目录"),
    MessageForm(
      "sent-without-description", "{document} is sent without a description: {why:message}",
      "{document} 在没有说明的情况下发送：{why}"),
    MessageForm(
      "metadata-beyond-room",
      "{document} has metadata beyond the {limit:number} bytes that its object can have: {names}; the backend gets all of it",
      "{document} 的元数据超出其对象最多可有的 {limit} 字节：{names}；后端会收到全部"),
    MessageForm(
      "sidecar-did-not-come", "its sidecar {name} did not come within {time:duration}", "它的说明文件 {name} 在 {time} 内没有到来"),
    MessageForm("sidecar-unusable", "its sidecar {name} {why:message}", "它的说明文件 {name}：{why}"),
    MessageForm(
      "sidecar-stranded",
      "{sidecar} was taken without its document and cannot be put back: its name or its directory is not free",
      "{sidecar} 在没有其文件的情况下被取走，无法放回：它的名称或目录被占用"),
    MessageForm(
      "claim-unreadable", "{name}, claimed already, cannot be read: {why:message}", "{name} 已被取走，但无法读取：{why}"),
    MessageForm(
      "claim-unreadable-and", "{name} and {others:number} more, claimed already, cannot be read: {why:message}",
      "{name} 和另外 {others} 个文件已被取走，但无法读取：{why}"),
    MessageForm("claims-unreadable", "the files claimed already cannot be read: {why:message}", "已取走的文件无法读取：{why}"),
    MessageForm(
      "spool-exposed", "{path} is writable for others (mode {mode}) and not sticky, so they can move .waybill",
      "{path} 可由他人写入（模式 {mode}）且没有粘滞位，因此他们可以移动 .waybill"),
    MessageForm(
      "spool-links",
      "whoever writes in {path} can link any file of its file system into it, and what the daemon may read is sent",
      "能在 {path} 中写入的人可以把该文件系统中的任何文件链接进来，守护进程能读取的都会被发送"),
    MessageForm(
      "spool-sticky", "{path} is sticky and belongs to user {owner}, so user {user} cannot claim others' files there",
      "{path} 有粘滞位且属于用户 {owner}，因此用户 {user} 无法取走其中他人的文件"),
    MessageForm(
      "trial-file-left", "{what:message}, and the trial file is left: {why:message}", "{what}，并且试验文件被留下：{why}"),
    MessageForm(
      "belongs-to-another", "{path} belongs to user {owner}, not to user {user}", "{path} 属于用户 {owner}，而不是用户 {user}"),
    MessageForm("writable-for-others", "{path} is writable for others (mode {mode})", "{path} 可由他人写入（模式 {mode}）"),
    MessageForm("replaced-while-opened", "{path} was replaced while it was opened", "{path} 在打开时被替换"),
    MessageForm(
      "replaced-by-no-file", "{name} was replaced by something that is not a file while it was claimed",
      "{name} 在取走时被替换为不是文件的东西"),
    MessageForm(
      "spool-without-leases",
      "the file system of {path} has no leases, so nobody can tell who still writes a file in it",
      "{path} 的文件系统没有租约，因此无法知道谁还在写其中的文件"),
    MessageForm(
      "counts-as-finished",
      "{name} may still be open for writing; it was unchanged for {time:duration} and counts as finished",
      "{name} 可能仍在被写入；它已 {time} 没有变化，视为已完成"),
    MessageForm(
      "counts-as-finished-and",
      "{name} and {others:number} more may still be open for writing; it was unchanged for {time:duration} and counts as finished",
      "{name} 和另外 {others} 个文件可能仍在被写入；它已 {time} 没有变化，视为已完成"),
    MessageForm(
      "attributes-too-many",
      "{name} carries more than {count:number} attributes user.waybill.* or {size:number} bytes of them; the rest is not sent",
      "{name} 带有超过 {count} 个 user.waybill.* 属性，或其总量超过 {size} 字节；其余不发送"),
    MessageForm(
      "attribute-doubled",
      "{name} carries the attribute {attribute} twice, with its letters composed in two ways; one of them is not sent",
      "{name} 两次带有属性 {attribute}，其字母的组合方式不同；其中一个不发送"),
    MessageForm(
      "queue-overflowed", "more happened in {path} than the kernel's queue holds; it is read anew",
      "{path} 中发生的事件超出内核队列的容量；正在重新读取"),
    MessageForm(
      "spool-lost", "{path} was removed, replaced or unmounted, or its .waybill was", "{path} 或其 .waybill 被删除、替换或卸载"),
    MessageForm("kept-spool-lost", "{path} was removed, replaced or unmounted", "{path} 被删除、替换或卸载"),
    MessageForm(
      "other-file-system", "{folder} in {path} is another file system, and is not looked into",
      "{path} 中的 {folder} 是另一个文件系统，不会查看"),
    MessageForm("folder-too-deep", "{folder}… is too deep, and is not looked into", "{folder}… 层次太深，不会查看"),
    MessageForm(
      "clock-ahead-corrected",
      "the clock here is {time:duration} ahead of that of {storage}: its requests are signed with its own time",
      "此处的时钟比 {storage} 的快 {time}：发往它的请求以它自己的时间签名"),
    MessageForm(
      "clock-behind-corrected",
      "the clock here is {time:duration} behind that of {storage}: its requests are signed with its own time",
      "此处的时钟比 {storage} 的慢 {time}：发往它的请求以它自己的时间签名"),
    MessageForm(
      "clock-too-far-ahead",
      "the clock here is {time:duration} ahead of that of {storage}, which refuses signatures: they are corrected by 7 days at most",
      "此处的时钟比 {storage} 的快 {time}，它拒绝签名：签名最多修正 7 天"),
    MessageForm(
      "clock-too-far-behind",
      "the clock here is {time:duration} behind that of {storage}, which refuses signatures: they are corrected by 7 days at most",
      "此处的时钟比 {storage} 的慢 {time}，它拒绝签名：签名最多修正 7 天"),
    MessageForm(
      "clock-unsteady", "{storage} refuses the time of signatures, and its own time differs from answer to answer",
      "{storage} 拒绝签名的时间，而它自己的时间在各个回答中不一致"),
    MessageForm("ping-fails", "the ping to {url} fails: {why:message}", "对 {url} 的 ping 失败：{why}"),
    MessageForm("notices-fail", "notices to {url} fail: {why:message}", "发往 {url} 的通知失败：{why}"),
    MessageForm("it-answered", "it answered HTTP {status:number}", "它回答了 HTTP {status}"),
  ]
}
