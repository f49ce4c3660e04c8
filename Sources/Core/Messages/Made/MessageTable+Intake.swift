// Made by scripts/messages from Table/intake.txt.

extension MessageTable {
  static let intake: [MessageForm] = [
    MessageForm("no-such-file", "there is no such file", "没有这个文件"),
    MessageForm("claimed-unreadable", "it is claimed and cannot be read yet: {why:message}", "它已被接收，但还无法读取：{why}"),
    MessageForm("tried-again-by-itself", "it is tried again by itself", "它会自动重试"),
    MessageForm("spool-disappeared", "the spool directory {path} has disappeared", "投递目录 {path} 已消失"),
    MessageForm(
      "path-has-link", "a directory on its path is a symbolic link, which is not followed", "路径上的某个目录是符号链接，不会进入"),
    MessageForm(
      "put-into-spool", "put the file into the spool itself, or make a spool of the directory",
      "请把文件直接放入投递目录，或把该目录设为投递目录"),
    MessageForm(
      "path-has-other-file-system", "a directory on its path is another file system, which is not looked into",
      "路径上的某个目录是另一个文件系统，不会进入"),
    MessageForm("make-own-spool", "make that directory a spool of its own", "请把该目录单独设为投递目录"),
    MessageForm(
      "begins-with-dot", "{name} begins with a dot, and such names are never taken", "{name} 以点开头，这样的文件名从不接收"),
    MessageForm("in-claims", "the daemon keeps the files of its jobs in .waybill", "守护进程把任务的文件存放在 .waybill 中"),
    MessageForm("leave-claims", "leave them there; waybill list has the jobs", "请不要移动；任务见 waybill list"),
    MessageForm("rename-without-dot", "rename it without the dot", "请改名，去掉开头的点"),
    MessageForm("matches-ignore", "{name} matches {pattern}, which the spool ignores", "{name} 符合投递目录忽略的模式 {pattern}"),
    MessageForm("rename-or-ignore", "rename it, or change ignore of spool {spool}", "请改名，或修改投递目录 {spool} 的 ignore"),
    MessageForm(
      "not-recursive", "it is in a directory below the spool, and the spool is not recursive",
      "它在投递目录的子目录中，而该投递目录不包含子目录"),
    MessageForm(
      "move-or-recursive", "move it to {path}, or set recursive of spool {spool}",
      "请移到 {path}，或打开投递目录 {spool} 的 recursive"),
    MessageForm(
      "path-too-long", "its path below the spool has more than {limit:number} bytes", "它在投递目录下的路径超过 {limit} 字节"),
    MessageForm("move-to-shorter", "move it to a directory with a shorter path", "请移到路径较短的目录"),
    MessageForm(
      "directory-of-files", "it is a directory: the files in it are taken, each by itself", "它是目录：其中的文件会逐个接收"),
    MessageForm("directory-not-recursive", "it is a directory, and the spool is not recursive", "它是目录，而该投递目录不包含子目录"),
    MessageForm(
      "recursive-or-drop", "set recursive of spool {spool}, or drop the files themselves",
      "请打开投递目录 {spool} 的 recursive，或直接投递文件"),
    MessageForm("is-link", "it is a symbolic link, and those are not followed", "它是符号链接，不会跟随"),
    MessageForm("drop-file-itself", "drop the file itself, or a hard link to it", "请投递文件本身，或它的硬链接"),
    MessageForm("is-no-file", "it is no regular file but a FIFO, a socket or a device", "它不是普通文件，而是管道、套接字或设备"),
    MessageForm("remove-it", "remove it", "请删除它"),
    MessageForm("open-for-writing", "a program has it open for writing", "有程序正打开它写入"),
    MessageForm("taken-when-closed", "it is taken when that program closes it", "该程序关闭它之后即接收"),
    MessageForm("being-read", "the spool is being read and has not come to it yet", "正在读取投递目录，尚未轮到它"),
    MessageForm("not-told", "no event told of it", "没有收到关于它的事件"),
    MessageForm("found-when-read", "it is found when the spool is read again", "下次读取投递目录时会发现它"),
    MessageForm(
      "not-listed", "its name matches none of those that the spool takes: {patterns}", "其名称不符合投递目录接收的任何模式：{patterns}"),
    MessageForm("rename-or-only", "rename it, or change only of spool {spool}", "请改名，或修改投递目录 {spool} 的 only"),
    MessageForm(
      "not-matched", "its name does not match {pattern}, and the spool leaves such files alone",
      "其名称不匹配 {pattern}，投递目录不处理此类文件"),
    MessageForm("rename-or-match", "rename it, or change match of spool {spool}", "请改名，或修改投递目录 {spool} 的 match"),
    MessageForm("empty-left", "it is empty, and the spool leaves empty files alone", "它是空文件，投递目录不接收空文件"),
    MessageForm(
      "written-or-empty", "it is looked at again when it is written to; or change min_size of spool {spool}",
      "写入内容后会再次检查；或修改投递目录 {spool} 的 min_size"),
    MessageForm(
      "too-small", "it has {size:number} bytes, fewer than min_size, {least:number}",
      "它有 {size} 字节，少于 min_size（{least}）"),
    MessageForm("too-small-one", "it has 1 byte, fewer than min_size, {least:number}", "它有 1 字节，少于 min_size（{least}）"),
    MessageForm(
      "grows-or-min-size", "it is looked at again when it grows; or change min_size of spool {spool}",
      "变大后会再次检查；或修改投递目录 {spool} 的 min_size"),
    MessageForm(
      "too-large", "it has {size:number} bytes, more than max_size, {most:number}", "它有 {size} 字节，多于 max_size（{most}）"),
    MessageForm("too-large-one", "it has 1 byte, more than max_size, {most:number}", "它有 1 字节，多于 max_size（{most}）"),
    MessageForm(
      "changes-or-max-size", "it is looked at again when it changes; or change max_size of spool {spool}",
      "变化后会再次检查；或修改投递目录 {spool} 的 max_size"),
    MessageForm("ready", "it is ready to be taken", "它已就绪，即将接收"),
    MessageForm(
      "may-be-open",
      "somebody may have it open, and nobody can tell: it is taken when it has been unchanged for {time:duration}",
      "可能有程序打开着它，无法确定：保持不变 {time} 后接收"),
    MessageForm("no-leases", "its file system has no leases, so the kernel cannot be asked", "其文件系统不支持租约，无法询问内核"),
    MessageForm("give-lease", "give the daemon CAP_LEASE, so that it can ask the kernel", "请给守护进程 CAP_LEASE 权限以便询问内核"),
    MessageForm(
      "settling-empty", "it is empty, and is taken if it stays so for {time:duration}", "它是空文件，若保持为空 {time} 则接收"),
    MessageForm("settling", "it is taken when it has been unchanged for {time:duration}", "保持不变 {time} 后接收"),
    MessageForm("is-sidecar-of", "it is a sidecar, and the document {name} has not come", "它是说明文件，其文件 {name} 尚未到来"),
    MessageForm(
      "is-sidecar-of-another", "it is a sidecar, and the document {name} is of another user: {other}",
      "它是说明文件，而文件 {name} 属于另一用户：{other}"),
    MessageForm("is-sidecar", "it is a sidecar, and its document has not come", "它是说明文件，其文件尚未到来"),
    MessageForm("drop-document", "drop the document; a sidecar is never sent by itself", "请投递该文件；说明文件从不单独发送"),
    MessageForm("sidecar-not-ready", "its sidecar {name} is there and not ready to be taken", "其说明文件 {name} 已在，但尚未就绪"),
    MessageForm("explain-says-why", "waybill explain {name} says why", "waybill explain {name} 说明原因"),
    MessageForm(
      "sidecar-missing", "its sidecar {name} has not come; it is taken without one after {time:duration}",
      "其说明文件 {name} 尚未到来；{time} 后不带说明文件接收"),
    MessageForm(
      "loose-in-groups", "it lies in the spool itself, and the spool takes directories as groups",
      "它直接放在投递目录中，而该投递目录按组接收子目录"),
    MessageForm("move-into-group", "move it into a directory with the files that belong to it", "请把它与同组的文件一起移入一个目录"),
    MessageForm("marker-missing", "the marker {marker} of {group} is not there", "{group} 的标记文件 {marker} 不在"),
    MessageForm(
      "marker-follows", "the program that writes the group makes the marker when all files are there",
      "写入该组的程序在全部文件就绪后创建标记文件"),
    MessageForm(
      "settling-group", "it is taken when nothing in it has changed for {time:duration}", "其中内容保持不变 {time} 后接收"),
    MessageForm("open-in-group", "a program has {file} in it open for writing", "有程序正打开其中的 {file} 写入"),
    MessageForm("not-looked-at", "it was not looked at yet", "尚未检查"),
    MessageForm("kept-already", "it is the file of job {job:number}, and stays where it is", "它是任务 {job} 的文件，留在原处"),
  ]
}
