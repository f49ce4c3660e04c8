// Made by scripts/messages from Table/jobs.txt.

extension MessageTable {
  static let jobs: [MessageForm] = [
    MessageForm("text", "{text}", "{text}"),
    MessageForm(
      "step-question", "{step:Noun} of {name} failed: {why:clause}. Retry?", "{step:Noun} {name} 失败：{why:clause}。重试吗？"),
    MessageForm("step-question-alone", "{step:Noun} of {name} failed. Retry?", "{step:Noun} {name} 失败。重试吗？"),
    MessageForm("step-deferred", "{step:Noun} of {name} deferred: {why:message}", "{step:Noun} {name} 稍后重试：{why}"),
    MessageForm(
      "step-awaits-key", "{step:Noun} of {name} waits for a key: {why:message}", "{step:Noun} {name} 等待密钥：{why}"),
    MessageForm(
      "step-awaits-network", "{step:Noun} of {name} waits for the network: {why:message}",
      "{step:Noun} {name} 等待网络：{why}"),
    MessageForm(
      "step-aborted", "{step:Noun} of {name} aborted: service unavailable (503)", "{step:Noun} {name} 已中止：服务不可用 (503)"),
    MessageForm("step-cancelled", "{step:Noun} of {name} cancelled by {user}", "{user} 取消了{step:Noun} {name}"),
    MessageForm("step-confirmed", "{step:Noun} of {name} confirmed by {user}", "{user} 确认重试{step:Noun} {name}"),
    MessageForm("step-retried", "{step:Noun} of {name} retried by {user}", "{user} 重新安排{step:Noun} {name}"),
    MessageForm("many-skipped", "not sent: the bytes were sent before", "未发送：其内容此前已发送"),
    MessageForm("many-failed", "{step:Noun} failed: {why:message}", "{step:Noun}失败：{why}"),
    MessageForm("many-deferred", "{step:Noun} deferred: {why:message}", "{step:Noun}稍后重试：{why}"),
    MessageForm("many-await-key", "{step:Noun} waits for a key: {why:message}", "{step:Noun}等待密钥：{why}"),
    MessageForm("many-await-network", "{step:Noun} waits for the network: {why:message}", "{step:Noun}等待网络：{why}"),
    MessageForm("many-aborted", "{step:Noun} aborted: service unavailable (503)", "{step:Noun}已中止：服务不可用 (503)"),
    MessageForm("more-file", "1 more file: {what:message}", "另有 1 个文件：{what}"),
    MessageForm("more-files", "{count:number} more files: {what:message}", "另有 {count} 个文件：{what}"),
    MessageForm(
      "more-files-example", "{count:number} more files, for example: {what:message}", "另有 {count} 个文件，例如：{what}"),
    MessageForm("more-problem", "1 more problem: {what:message}", "另有 1 个问题：{what}"),
    MessageForm("more-problems", "{count:number} more problems: {what:message}", "另有 {count} 个问题：{what}"),
    MessageForm(
      "more-problems-example", "{count:number} more problems, for example: {what:message}", "另有 {count} 个问题，例如：{what}"),
    MessageForm("unknown-reason", "unknown reason", "原因不明"),
    MessageForm("reason-not-known", "why is not known any more", "原因已无从得知"),
    MessageForm("admitted", "{name} admitted as job {job:number}", "{name} 已接收为任务 {job}"),
    MessageForm("uploaded", "{name} uploaded", "{name} 已上传"),
    MessageForm("registered", "{name} uploaded and registered", "{name} 已上传并登记"),
    MessageForm("skipped", "{name} not sent: its bytes were sent before", "{name} 未发送：其内容此前已发送"),
    MessageForm("skipped-as", "{name} not sent: the same bytes as job {job:number}", "{name} 未发送：与任务 {job} 内容相同"),
    MessageForm("released", "{name} released by {user}", "{user} 取回了 {name}"),
    MessageForm("discarded", "{name} discarded by {user}", "{user} 丢弃了 {name}"),
    MessageForm("queued-for", "{name} queued for {step:noun}", "{name} 已排队等待{step:noun}"),
    MessageForm("nothing-left", "Nothing of {name} is left at {destination}", "{destination} 上已没有 {name} 的任何内容"),
    MessageForm("object-left", "The object of {name} is left at {destination}", "{name} 的对象留在 {destination}"),
    MessageForm(
      "object-may-be-left", "The object of {name} may be left at {destination}: {why:message}",
      "{name} 的对象可能留在 {destination}：{why}"),
    MessageForm(
      "object-of-job-left", "The object {key} of job {job:number} stays at {destination}",
      "任务 {job} 的对象 {key} 留在 {destination}"),
    MessageForm(
      "object-of-job-may-be-left", "The object {key} of job {job:number} may be left at {destination}: {why:message}",
      "任务 {job} 的对象 {key} 可能留在 {destination}：{why}"),
    MessageForm(
      "recovered-one",
      "1 file was claimed before the ledger was lost or restored; its answer may be lost, so nothing is claimed or sent. Look at the jobs first (waybill list), then: waybill resume --recovered",
      "账本丢失或恢复之前已接收 1 个文件，它的答复可能已丢失，因此不再接收或发送。请先查看任务（waybill list），然后：waybill resume --recovered"),
    MessageForm(
      "recovered-many",
      "{count:number} files were claimed before the ledger was lost or restored; their answers may be lost, so nothing is claimed or sent. Look at the jobs first (waybill list), then: waybill resume --recovered",
      "账本丢失或恢复之前已接收 {count} 个文件，它们的答复可能已丢失，因此不再接收或发送。请先查看任务（waybill list），然后：waybill resume --recovered"),
    MessageForm(
      "file-of-another-job", "job {job:number} is about {name} too, and goes first", "任务 {job} 也处理 {name}，并先执行"),
    MessageForm(
      "may-have-been-sent", "{name} may have been sent before: the list of sent files was lost",
      "{name} 可能已发送过：已发送文件的列表已丢失"),
    MessageForm("in-place-away", "{name} is on a medium that is not there now", "{name} 所在的介质当前不在"),
    MessageForm(
      "file-in-place", "the file was never moved: it is at {path}; discard the job instead", "文件从未移动：它在 {path}；请改为丢弃任务"),
  ]
}
