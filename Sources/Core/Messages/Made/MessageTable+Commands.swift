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
  ]
}
