// Made by scripts/messages from Table/fleet.txt.

extension MessageTable {
  static let fleet: [MessageForm] = [
    MessageForm("fleet-asked", "asked {host}; it has not answered yet", "已请求 {host}；它尚未答复"),
    MessageForm(
      "fleet-not-allowed", "{host} does not allow {action} from elsewhere: see allow in its fleet.toml",
      "{host} 不允许从别处执行“{action:word}”：见其 fleet.toml 中的 allow"),
    MessageForm(
      "fleet-read-only",
      "You can only look: nobody is named in whose name the answer would be, or the role in the database may not ask",
      "您只能查看：未指明以谁的名义答复，或数据库角色无权请求"),
    MessageForm(
      "fleet-ambiguous", "Several hosts have a job {job}: name it as HOST:NUMBER, or with the ledger of its host",
      "有多台主机有任务 {job}：请写成 HOST:NUMBER，或写明其主机的账本"),
    MessageForm(
      "fleet-damaged", "Job {job} of {host} cannot be shown: its row in the database is damaged",
      "无法显示 {host} 的任务 {job}：数据库中的该行已损坏"),
    MessageForm("fleet-elsewhere", "Only the daemon of a host can do this: ask it there", "只有主机上的守护进程能做到：请在那里请求"),
    MessageForm(
      "fleet-elsewhere-host", "Only the daemon of {host} can do this: ask it there", "只有 {host} 的守护进程能做到：请在那里请求"),
    MessageForm(
      "fleet-hosts", "done on {done:number} hosts; refused by {refused:number}; not answered yet by {open:number}",
      "已在 {done} 台主机上完成；{refused} 台拒绝；{open} 台尚未答复"),
    MessageForm("fleet-busy", "too many wait for the database already: try again in a moment", "等待数据库的请求已过多：请稍后再试"),
    MessageForm(
      "fleet-other-name", "this fleet is not served under that name: add it to server_names of [web] in fleet.toml",
      "此机群不以该名称提供服务：请将其加入 fleet.toml 中 [web] 的 server_names"),
    MessageForm("fleet-other-page", "the request came from another page", "该请求来自其他页面"),
    MessageForm(
      "fleet-json-needed", "a command needs Content-Type: application/json", "命令需要 Content-Type: application/json"),
    MessageForm("fleet-no-host", "there is no such host", "没有这样的主机"),
    MessageForm("fleet-host-needed", "host needs a value", "host 需要一个值"),
    MessageForm("problem-on-host", "a problem: ask the host", "有一个问题：请询问该主机"),
    MessageForm("host-is-of-fleet", "host is for a fleet: this is the daemon of one host", "host 只用于机群：这是单台主机的守护进程"),
  ]
}
