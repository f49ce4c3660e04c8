// Made by scripts/messages from Table/remedies.txt.

extension MessageTable {
  static let remedies: [MessageForm] = [
    MessageForm("mount-it-or", "mount it, or {else:message}", "请挂载它，或{else}"),
    MessageForm("grant-writing", "give user {user} the right to write there: {how}", "请允许用户 {user} 在那里写入：{how}"),
    MessageForm("grant-reading", "give user {user} the right to read and enter it", "请允许用户 {user} 读取并进入它"),
    MessageForm(
      "grant-reading-how", "give user {user} the right to read and enter it{how}", "请允许用户 {user} 读取并进入它{how}"),
    MessageForm(
      "grant-reading-path", "give user {user} the right to read and enter the directories on its path",
      "请允许用户 {user} 读取并进入路径上的目录"),
    MessageForm("make-room-in", "make room in {path}", "请在 {path} 中腾出空间"),
    MessageForm(
      "name-other-archive", "its file system does not take this name: name an archive on another one",
      "它的文件系统不接受这个名称：请把 archive 设在另一个文件系统上"),
    MessageForm("make-files-possible", "see that files can be made in {path}", "请确保可以在 {path} 中创建文件"),
    MessageForm("make-it", "make it: {how}", "请创建它：{how}"),
    MessageForm("name-a-directory", "name a directory as its path", "请把 path 设为一个目录"),
    MessageForm("make-readable", "see that it can be read", "请确保可以读取"),
    MessageForm("make-path-readable", "see that {path} can be read", "请确保 {path} 可以读取"),
    MessageForm("raise-limits", "raise the limits of threads and open files", "请提高线程数和打开文件数的限制"),
    MessageForm(
      "raise-inotify", "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances",
      "请提高 fs.inotify.max_user_watches 和 fs.inotify.max_user_instances"),
    MessageForm("tried-again", "it is tried again every {time:duration}", "每 {time} 重试一次"),
    MessageForm(
      "looked-for", "make or mount it again; it is looked for every {time:duration}", "请重新创建或挂载；每 {time} 查找一次"),
    MessageForm(
      "stop-other-daemon", "stop the other daemon, or take the spool out of one configuration",
      "请停止另一个守护进程，或从其中一份配置中删去此目录"),
    MessageForm("polled-meanwhile", "the directory is polled meanwhile", "目前改为轮询此目录"),
    MessageForm(
      "rename-finished-files", "let programs write elsewhere and rename the finished file into the spool",
      "请让程序在别处写好文件，再改名移入投递目录"),
    MessageForm("cannot-read", "cannot read {path}: {why}", "无法读取 {path}：{why}"),
    MessageForm(
      "put-value-into-file", "put the value into this file, readable by the daemon's user alone",
      "请把值写入此文件，并只允许守护进程的用户读取"),
    MessageForm(
      "let-user-read", "let the daemon's user read it, and enter each directory above it", "请允许守护进程的用户读取它，并进入其上的每个目录"),
    MessageForm("value-alone", "it must hold the value alone, on one line", "文件中只能有这一个值，且在同一行"),
    MessageForm(
      "regular-file-value-alone", "it must be a regular file that holds the value alone, on one line",
      "它必须是普通文件，其中只有这一个值，且在同一行"),
    MessageForm("set-in-unit", "set it in the daemon's unit, or use a file", "请在守护进程的 unit 中设置它，或改用文件"),
    MessageForm(
      "load-credential", "add LoadCredential={name}:/path/to/file to the unit",
      "请在 unit 中加入 LoadCredential={name}:/path/to/file"),
    MessageForm(
      "load-credential-and-start", "add LoadCredential={name}:/path/to/file to the unit and start it with systemctl",
      "请在 unit 中加入 LoadCredential={name}:/path/to/file，并用 systemctl 启动它"),
    MessageForm(
      "read-at-start", "{why:message} (read at start: restart waybill after changing it)",
      "{why}（启动时读取：更改后请重新启动 waybill）"),
    MessageForm("command", "{command}", "{command}"),
    MessageForm("command-or", "{command}, or {other}", "{command}，或 {other}"),
    MessageForm("look-after-disk", "look after the disk, then start the daemon again", "请检查磁盘，然后重新启动守护进程"),
    MessageForm(
      "make-marker-when-done", "let programs make the marker when they are done with the directory",
      "请让程序在处理完目录后再创建标记文件"),
    MessageForm("name-directory", "name a directory", "请指定一个目录"),
    MessageForm("name-another-archive", "name another archive", "请指定另一个归档目录"),
    MessageForm("mount-read-write", "mount it read-write, or {how}", "请以读写方式挂载它，或者 {how}"),
    MessageForm(
      "needs-other-file-system", "the file system cannot rename without replacing: put the spool on another one",
      "文件系统不能在不覆盖的情况下改名：请把投递目录放到另一个文件系统上"),
    MessageForm(
      "sandbox-refuses", "a sandbox around the daemon, or an old kernel, refuses a call that it makes",
      "守护进程外的沙箱或旧内核拒绝了它的某个调用"),
    MessageForm(
      "claims-elsewhere", ".waybill is on another file system: it must be a plain directory of the spool",
      ".waybill 在另一个文件系统上：它必须是投递目录中的普通目录"),
    MessageForm("no-space-left", "there is no space left: make room there", "空间已满：请在那里腾出空间"),
    MessageForm("make-renames-possible", "see that files can be made and renamed in {path}", "请确保可以在 {path} 中创建和重命名文件"),
    MessageForm("must-be-pem", "it must be a PEM file", "它必须是 PEM 文件"),
    MessageForm(
      "must-be-key", "it must hold 32 bytes, or their base64 on one line: {command}",
      "它必须含 32 字节，或在一行内含其 base64：{command}"),
    MessageForm("must-be-regular", "it must be a regular file", "它必须是普通文件"),
    MessageForm("value-too-large", "a value has at most 64 KiB", "一个值最多 64 KiB"),
    MessageForm(
      "name-aws-file", "name the credentials file by AWS_SHARED_CREDENTIALS_FILE in the daemon's unit",
      "请在守护进程的单元中用 AWS_SHARED_CREDENTIALS_FILE 指定凭据文件"),
    MessageForm(
      "set-aws-file", "set AWS_SHARED_CREDENTIALS_FILE in the daemon's unit", "请在守护进程的单元中设置 AWS_SHARED_CREDENTIALS_FILE"
    ),
    MessageForm(
      "aws-file-not-found", "{source} cannot be found: neither AWS_SHARED_CREDENTIALS_FILE nor HOME is set",
      "找不到 {source}：AWS_SHARED_CREDENTIALS_FILE 和 HOME 都没有设置"),
    MessageForm("is-no-profile", "{source} is no AWS profile", "{source} 不是 AWS 配置档"),
    MessageForm("is-not-set", "{source} is not set", "{source} 没有设置"),
    MessageForm("not-usable-here", "{source} cannot be used here", "{source} 不能在这里使用"),
    MessageForm("being-fetched", "{source}: it is being fetched", "{source}：正在获取"),
    MessageForm("no-certificate", "no certificate", "没有证书"),
    MessageForm(
      "credential-missing", "{source} is missing: $CREDENTIALS_DIRECTORY is not set",
      "缺少 {source}：$CREDENTIALS_DIRECTORY 没有设置"),
    MessageForm("check-then-reload", "waybill check, then waybill reload", "先运行 waybill check，再运行 waybill reload"),
    MessageForm("reload-when-named", "then waybill reload", "然后运行 waybill reload"),
    MessageForm(
      "put-spool-back", "put [[spool]] {spool} back with its path, then waybill reload",
      "请恢复 [[spool]] {spool} 及其 path，然后运行 waybill reload"),
    MessageForm(
      "put-storage-back", "put [{storage}] back until they are deleted, then waybill reload",
      "请恢复 [{storage}] 直到这些对象被删除，然后运行 waybill reload"),
    MessageForm(
      "see-why-they-wait", "waybill explain FILE says why a file waits: move away those that are not to be sent",
      "waybill explain FILE 会说明文件为何等待：请移走不需要发送的文件"),
    MessageForm("drop-both-as-one", "have one user drop a document and its sidecar", "请由同一用户投递文件及其说明文件"),
    MessageForm(
      "split-directory", "split the directory, and give each part a spool of its own", "请拆分目录，并为每一部分配置自己的投递目录"),
    MessageForm("remove-notes", "if that is meant, remove the directory {path}", "若确有此意，请删除目录 {path}"),
    MessageForm("finish-with-after", "finish them first with the earlier \"after\"", "请先用原来的 after 完成它们"),
    MessageForm("own-state-directory", "see that {path} is a directory of user {user}", "请确认 {path} 是用户 {user} 的目录"),
    MessageForm(
      "mount-or-make", "mount it, or make the directory; it is looked for every {time:duration}",
      "请挂载它，或创建该目录；每 {time} 查找一次"),
    MessageForm(
      "raise-descriptors",
      "raise the limit and restart (LimitNOFILE= in the unit, --ulimit nofile= of a container), or set a lower concurrency",
      "提高该限制并重启（单元文件中的 LimitNOFILE=，容器的 --ulimit nofile=），或把 concurrency 设得更低"),
    MessageForm(
      "see-description",
      "see if the document was sent with the right description; a sidecar waits for a document of its name",
      "查看文件是否带着正确的说明发送；说明文件会等待与其同名的文件"),
    MessageForm(
      "see-sidecar-writer", "see the program that writes it; sidecar_wait is the time to wait",
      "查看写入它的程序；sidecar_wait 是等待的时间"),
    MessageForm(
      "sidecar-is-kept", "the sidecar is kept with its document, and its text is sent if it is text",
      "说明文件与其文件一起保留，如果它是文本，则发送其文本"),
    MessageForm(
      "compare-sidecars",
      "it is kept in {path}/.waybill/sidecars: compare it with the one in the spool, and remove one of them",
      "它保留在 {path}/.waybill/sidecars 中：将它与投递目录中的比较，并删除其中一个"),
    MessageForm(
      "shorten-metadata", "put first in the sidecar what the object needs, or make it shorter",
      "在说明文件中把对象需要的内容放在最前面，或将其缩短"),
    MessageForm(
      "see-beside-claim", "see what stands beside {id} in {path}/.waybill; it is tried again by itself",
      "查看 {path}/.waybill 中 {id} 旁边有什么；会自动重试"),
    MessageForm(
      "group-of-files-only", "see that a group has files and directories alone, and not too many",
      "确保一组中只有文件和目录，并且数量不太多"),
    MessageForm("move-it-away", "look what it is and move it away", "查看它是什么，并将其移走"),
    MessageForm("run-as-owner", "run the daemon as user {owner}, or move {path} away", "以用户 {owner} 运行守护进程，或移走 {path}"),
    MessageForm(
      "close-for-others", "look that nobody put files there, then chmod 0700 {path}",
      "确认没有人在那里放入文件，然后 chmod 0700 {path}"),
    MessageForm(
      "own-claims-directory", "see that {path} is a directory of user {user}, mode 0700",
      "确保 {path} 是用户 {user} 的目录，模式 0700"),
    MessageForm("see-who-writes", "see who writes in {path}", "查看谁在 {path} 中写入"),
    MessageForm(
      "rename-into-or-wait",
      "let programs rename finished files into it; one that may be open must be unchanged for {time:duration}",
      "让程序把已完成的文件重命名到其中；可能打开着的文件必须 {time} 没有变化"),
    MessageForm(
      "rename-into-or-settle",
      "let programs rename finished files into it; one that is written in place must be unchanged for settle_unseen",
      "让程序把已完成的文件重命名到其中；就地写入的文件必须在 settle_unseen 内没有变化"),
    MessageForm("give-lease-right", "give the daemon CAP_LEASE, so that it can ask", "授予守护进程 CAP_LEASE，使其可以询问"),
    MessageForm(
      "raise-queued-events", "if this is frequent, raise fs.inotify.max_queued_events",
      "如果经常发生，请提高 fs.inotify.max_queued_events"),
    MessageForm("path-limit", "paths below a spool have at most {limit:number} bytes", "投递目录下的路径最多 {limit} 字节"),
    MessageForm(
      "set-the-clock", "set the clock: timedatectl shows it, and systemd-timesyncd or chrony keeps it right",
      "校准时钟：timedatectl 显示它，systemd-timesyncd 或 chrony 使其保持准确"),
    MessageForm(
      "see-receiver", "see {receiver} in waybill.toml, and whether its receiver is up",
      "查看 waybill.toml 中的 {receiver}，以及其接收方是否在运行"),
    MessageForm("credential-unusable", "{source} {why}", "{source}：{why}"),
    MessageForm("credential-not-fetched", "{source}: {why}", "{source}：{why}"),
  ]
}
