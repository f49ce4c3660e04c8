// Made by scripts/messages from Table/commands.txt.

extension MessageTable {
  static let commands: [MessageForm] = [
    MessageForm(
      "cannot-be", "job {job:number} is {state:message}; it cannot be {wanted}",
      "任务 {job} 现为“{state}”，不能再变为“{wanted:word}”"),
    MessageForm(
      "cannot-be-since", "job {job:number} was {what} by {user} at {at:time}; it cannot be {wanted}",
      "任务 {job} 已由 {user} 于 {at} 变为“{what:word}”，不能再变为“{wanted:word}”"),
    MessageForm("state-queued", "queued for {step}", "排队等待{step:word}"),
    MessageForm("state-active", "at its {step}", "正在{step:word}"),
    MessageForm("state-deferred", "waiting for its next try to {step}", "等待再次{step:word}"),
    MessageForm("state-asking", "waiting for an answer about its {step}", "等待关于{step:word}的答复"),
    MessageForm("state-awaiting-key", "waiting for a key to {step}", "等待密钥以{step:word}"),
    MessageForm("state-awaiting-network", "waiting for the network to {step}", "等待网络以{step:word}"),
    MessageForm("state-ended", "{state}", "{state:word}"),
    MessageForm(
      "revision-changed", "Job {job:number} has changed: its revision is {now:number}, not {seen:number}",
      "任务 {job} 已变化：修订为 {now}，不是 {seen}"),
    MessageForm(
      "job-changed-since", "job {job} has changed since: it is {state}, revision {revision:number}",
      "任务 {job} 此后已变化：现为“{state:word}”，修订 {revision}"),
    MessageForm("job-not-known", "job {job} is not known", "没有任务 {job}"),
    MessageForm("job-is", "job {job} is {state}", "任务 {job} 现为“{state:word}”"),
    MessageForm("job-left", "job {job} is left as it is: {why:message}", "任务 {job} 保持不变：{why}"),
    MessageForm("no-such-job", "There is no job {job}", "没有任务 {job}"),
    MessageForm(
      "no-such-group", "There is no group {group:number}; the groups are shown by: waybill list --by reason",
      "没有组 {group}；各组见 waybill list --by reason"),
    MessageForm(
      "link-without-backend", "backend.{name} is no longer configured, so the link cannot be registered there",
      "backend.{name} 已不在配置中，无法在那里登记链接"),
    MessageForm("stopping", "The daemon is stopping", "守护进程正在停止"),
    MessageForm(
      "group-changed",
      "Group {group:number} is not the one that was shown, and nothing was changed: it is now {count:number} jobs {state} at {step}",
      "第 {group} 类已不是所显示的那一类，未作任何更改：现在有 {count} 个任务（{state:word} · {step:word}）"),
    MessageForm(
      "group-changed-one",
      "Group {group:number} is not the one that was shown, and nothing was changed: it is now 1 job {state} at {step}",
      "第 {group} 类已不是所显示的那一类，未作任何更改：现在有 1 个任务（{state:word} · {step:word}）"),
    MessageForm(
      "group-changed-why",
      "Group {group:number} is not the one that was shown, and nothing was changed: it is now {count:number} jobs {state} at {step}: {why:message}",
      "第 {group} 类已不是所显示的那一类，未作任何更改：现在有 {count} 个任务（{state:word} · {step:word}：{why}）"),
    MessageForm(
      "group-changed-one-why",
      "Group {group:number} is not the one that was shown, and nothing was changed: it is now 1 job {state} at {step}: {why:message}",
      "第 {group} 类已不是所显示的那一类，未作任何更改：现在有 1 个任务（{state:word} · {step:word}：{why}）"),
    MessageForm(
      "group-gone",
      "Group {group:number} is not the one that was shown, and nothing was changed: none of its jobs is left",
      "第 {group} 类已不是所显示的那一类，未作任何更改：其中的任务都已不在"),
    MessageForm("cannot-be-released", "{name} cannot be released: {why:message}", "无法取回 {name}：{why}"),
    MessageForm("release-to-reserved", "{path} is {what:message}; {remedy:message}", "{path} 是{what}；{remedy}"),
    MessageForm(
      "release-to-other-spool",
      "{path} is in the spool of another waybilld, where the file would be taken as a new job; name a directory outside of it",
      "{path} 位于另一个 waybilld 的投递目录中，文件在那里会成为新任务；请指定该目录之外的目录"),
    MessageForm("reserved-state", "the daemon's state directory", "守护进程的状态目录"),
    MessageForm("reserved-control", "the directory of the control socket", "控制套接字所在的目录"),
    MessageForm("reserved-runtime", "the daemon's runtime directory", "守护进程的运行时目录"),
    MessageForm("reserved-configuration", "the directory of the configuration", "配置所在的目录"),
    MessageForm("reserved-configuration-part", "a part of the configuration", "配置的一部分"),
    MessageForm("reserved-daemon-keys", "the directory of the daemon's keys", "守护进程密钥所在的目录"),
    MessageForm("reserved-keys", "a directory of keys", "存放密钥的目录"),
    MessageForm(
      "reserved-spool", "in the spool {spool}, where the file would be taken as a new job",
      "投递目录 {spool} 之内的位置，文件在那里会成为新任务"),
    MessageForm("name-own-directory", "name a directory of your own", "请指定自己的目录"),
    MessageForm(
      "retry-or-name-outside", "waybill retry sends it again; otherwise name a directory outside of it",
      "waybill retry 会重新发送它；否则请指定它之外的目录"),
    MessageForm("method-not-here", "{method} is not for this path", "{method} 不适用于此路径"),
    MessageForm("journal-says-why", "The daemon's journal says why", "守护进程的日志说明了原因"),
    MessageForm("too-many-readers", "There are too many readers of events already", "事件的读取者已经太多"),
    MessageForm("too-many-waiting", "There are too many callers that wait for changes already", "等待变化的调用者已经太多"),
    MessageForm("too-many-connections", "The control socket has too many connections", "控制套接字的连接太多"),
    MessageForm(
      "no-browsers", "Browsers are not served here: waybill web opens the operator's page for one",
      "此处不为浏览器提供服务：waybill web 会为浏览器打开操作页面"),
    MessageForm(
      "wrong-host", "The control socket is not {host}: ask it as localhost, e.g. http://localhost/v1/status",
      "控制套接字不是 {host}：请以 localhost 访问，例如 http://localhost/v1/status"),
    MessageForm("body-too-large", "A request's body may have at most {limit:number} bytes", "请求的正文最多 {limit} 字节"),
    MessageForm(
      "request-body-unreadable",
      "The body cannot be read: it has neither Content-Length nor a chunked form, or breaks off",
      "无法读取正文：它既没有 Content-Length 也不是分块形式，或者中断了"),
    MessageForm(
      "query-of-command", "A command takes nothing behind its path: put ?{query} into the body, as JSON",
      "命令的路径之后不能有内容：请将 ?{query} 以 JSON 放入正文"),
    MessageForm(
      "parameter-unknown", "parameter \"{query}\" is not known; there are none here", "参数 \"{query}\" 未知；此处没有参数"),
    MessageForm(
      "job-name-unknown", "There is no job {job}; a job is named by its number or its id", "没有任务 {job}；任务以其编号或 ID 命名"),
    MessageForm("nothing-at", "There is nothing at {path}", "{path} 处没有内容"),
    MessageForm(
      "may-not-act-for-others",
      "User {user} may not act for other people (Waybill-On-Behalf-Of): only the agent of the fleet may, whose user is [daemon] fleet_user in the configuration",
      "用户 {user} 不能代表他人操作（Waybill-On-Behalf-Of）：只有舰队的代理可以，其用户是配置中的 [daemon] fleet_user"),
    MessageForm(
      "no-persons-name",
      "Waybill-On-Behalf-Of has to be the name of a person, of at most {person:number} bytes without commas and parentheses, and so has Waybill-On-Behalf-Role that of a role, of at most {role:number}",
      "Waybill-On-Behalf-Of 必须是人名，最多 {person} 字节，不含逗号和括号；Waybill-On-Behalf-Role 同样必须是角色名，最多 {role} 字节"),
    MessageForm("daemon-does-not-start", "The daemon does not start: {why}", "守护进程无法启动：{why}"),
    MessageForm("events-unreadable", "the events cannot be read: {why}", "无法读取事件：{why}"),
    MessageForm(
      "spool-of-file-missing",
      "Nothing was changed: spool.{spool} is no longer configured, so the file of job {job:number} cannot be removed. Give a [[spool]] with its directory the name {spool}, then discard it",
      "没有任何更改：spool.{spool} 已不在配置中，因此无法删除任务 {job} 的文件。请为其目录的 [[spool]] 取名 {spool}，然后再丢弃"),
    MessageForm(
      "recovered-only-resumed", "recovered can only be resumed: pause all jobs instead", "recovered 只能恢复：请改为暂停所有任务"),
    MessageForm(
      "hold-of-late-spool", "the daemon itself begins and ends the hold of a late spool", "守护进程自行开始和结束对迟到投递目录的搁置"),
    MessageForm(
      "no-such-name", "There is no {kind} {name}; the {kind}s are: {names}", "没有 {kind} {name}；现有的 {kind}：{names}"),
    MessageForm(
      "configuration-rejected", "Configuration rejected; the old one stays in use:{why}", "配置被拒绝；继续使用旧配置：{why}"),
  ]
}
