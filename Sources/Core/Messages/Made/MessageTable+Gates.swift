// Made by scripts/messages from Table/gates.txt.

extension MessageTable {
  static let gates: [MessageForm] = [
    MessageForm("on-hold", "{destination} is on hold: {why:message}", "{destination} 暂不使用：{why}"),
    MessageForm("on-hold-alone", "{destination} is on hold", "{destination} 暂不使用"),
    MessageForm(
      "on-hold-asking", "{destination} is on hold: job {job:number} has a question about it",
      "{destination} 暂不使用：任务 {job} 对它有问题待答复"),
    MessageForm("in-use-again", "{destination} is in use again", "{destination} 恢复使用"),
    MessageForm("paused-by", "{target} paused by {user}", "{user} 暂停了 {target}"),
    MessageForm("resumed-by", "{target} resumed by {user}", "{user} 继续了 {target}"),
    MessageForm("paused-already", "{target} was paused already", "{target} 此前已暂停"),
    MessageForm("not-paused", "{target} was not paused", "{target} 没有暂停"),
    MessageForm("tried-at-once", "{destinations} is tried at once", "立即重试 {destinations}"),
    MessageForm("asks", "{destination} has a question: waybill ask", "{destination} 有待答复的问题：waybill ask"),
    MessageForm("resumed-and-tried", "{resumed:message}; {tried:message}", "{resumed}；{tried}"),
    MessageForm("gate-unavailable", "service unavailable (503)", "服务不可用 (503)"),
    MessageForm("gate-errors", "server errors or time-outs", "服务器一再出错或超时"),
    MessageForm("gate-throttled", "too many requests (429)", "请求过多 (429)"),
    MessageForm("gate-credentials", "its key was refused or cannot be read", "密钥被拒绝或无法读取"),
    MessageForm("gate-network", "it cannot be reached", "无法连接"),
    MessageForm("gate-question", "it has a question", "有一个待答复的问题"),
    MessageForm("gate-paused", "paused", "已暂停"),
    MessageForm("hold-unavailable", "it answered 503 (service unavailable)", "它应答 503（服务不可用）"),
    MessageForm("hold-errors", "it answers with server errors or not in time", "它应答服务器错误或超时"),
    MessageForm("hold-throttled", "it answered 429 (too many requests)", "它应答 429（请求过多）"),
    MessageForm("no-credentials", "it asked for credentials, and none are configured", "它要求凭据，但没有配置"),
    MessageForm(
      "standby", "spool {spool} is held by another host, or cannot be used yet", "投递目录 {spool} 由另一台主机占用，或尚不可用"),
    MessageForm("is-paused", "{target} is paused", "{target} 已暂停"),
    MessageForm("is-paused-by", "{target} is paused by {user}", "{target} 已暂停，由 {user} 操作"),
    MessageForm("all-paused", "everything is paused", "全部已暂停"),
    MessageForm("all-paused-by", "everything is paused by {user}", "全部已暂停，由 {user} 操作"),
    MessageForm("all-on-hold", "everything is on hold since the ledger was lost or restored", "账本丢失或恢复后，全部暂停"),
    MessageForm("said-by", "{what:message} by {user}", "{what}，由 {user} 操作"),
    MessageForm("head-first", "a HEAD goes first: a job goes once that is answered", "先发送 HEAD：得到应答后才发送任务"),
    MessageForm("get-first", "GET {url} goes first: a job goes once that answers 2xx", "先 GET {url}：应答 2xx 后才发送任务"),
    MessageForm("last-met", "{way:message}; it last met: {why:message}", "{way}；上次遇到：{why}"),
    MessageForm("stands-by", "spool {spool} stands by: {holder:message}", "投递目录 {spool} 待命：{holder}"),
    MessageForm("not-held-here", "spool {spool} is not held by this host ({why})", "投递目录 {spool} 不由本机持有（{why}）"),
    MessageForm(
      "not-held-here-but", "spool {spool} is not held by this host: {holder:message} ({why})",
      "投递目录 {spool} 不由本机持有：{holder}（{why}）"),
    MessageForm("host-holds-it", "{host} holds it", "由 {host} 持有"),
    MessageForm("host-holds-it-since", "{host} holds it since {since:time}", "由 {host} 自 {since} 起持有"),
    MessageForm("held-by-host", "held by {host}", "由 {host} 持有"),
    MessageForm("held-by-host-since", "held by {host} since {since:time}", "由 {host} 自 {since} 起持有"),
    MessageForm("held-here", "spool {spool} is held by this host", "投递目录 {spool} 由本机持有"),
    MessageForm(
      "taken-over-here", "spool {spool} is held by this host, taken over from {host}", "投递目录 {spool} 由本机持有，从 {host} 接管"),
  ]
}
