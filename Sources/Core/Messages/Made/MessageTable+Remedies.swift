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
  ]
}
