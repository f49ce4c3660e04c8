// Made by scripts/messages from Table/explain.txt.

extension MessageTable {
  static let explain: [MessageForm] = [
    MessageForm("is-spool", "it is the directory of spool {spool}", "它是投递目录 {spool} 本身"),
    MessageForm("name-files", "name the files in it, or see waybill status", "请指定其中的文件，或查看 waybill status"),
    MessageForm(
      "spool-not-read", "the spool is not read yet: the daemon is starting or stopping", "尚未读取投递目录：守护进程正在启动或停止"),
    MessageForm(
      "intake-paused", "no file is taken: the intake was paused by {user} at {since:time}",
      "不接收文件：{user} 于 {since} 暂停了接收"),
    MessageForm(
      "intake-paused-lost", "no file is taken: the intake was paused since the ledger was lost at {since:time}",
      "不接收文件：账本丢失，自 {since} 起暂停接收"),
    MessageForm("ledger-unwritable", "no file is taken: the ledger cannot be written", "不接收文件：账本无法写入"),
    MessageForm(
      "too-many-ahead",
      "jobs of the spool that have not had their turn: {count:number}; further files wait from {most:number} on",
      "该 spool 已有 {count} 个任务等待处理，达到 {most} 个后其余文件留在目录中等待"),
    MessageForm(
      "taken-when-done", "it is taken when some of them are done; waybill status tells what holds them",
      "其中一些完成后即接收；waybill status 说明它们在等什么"),
    MessageForm("is-job", "it is job {job:number}: {why:message}", "它是任务 {job}：{why}"),
    MessageForm("was-registered", "it was registered as job {job:number}", "它已登记，是任务 {job}"),
    MessageForm("was-registered-at", "it was registered as job {job:number} at {at:time}", "它已登记，是任务 {job}，时间 {at}"),
    MessageForm(
      "was-skipped", "it was not sent by job {job:number}: its bytes were sent before", "任务 {job} 未发送它：其内容此前已发送"),
    MessageForm(
      "was-skipped-as", "it was not sent by job {job:number}: the same bytes as job {earlier:number}",
      "任务 {job} 未发送它：与任务 {earlier} 内容相同"),
    MessageForm("was-aborted", "job {job:number} was aborted", "任务 {job} 已中止"),
    MessageForm("was-aborted-for", "job {job:number} was aborted: {why:message}", "任务 {job} 已中止：{why}"),
    MessageForm("was-cancelled", "job {job:number} was cancelled", "任务 {job} 已取消"),
    MessageForm(
      "was-given-back", "job {job:number} was given back to {directory} by {user}",
      "任务 {job} 的文件已由 {user} 取回到 {directory}"),
    MessageForm(
      "was-given-up", "job {job:number} was discarded, and its file stays where it is", "任务 {job} 已丢弃，其文件留在原处"),
    MessageForm("was-deleted", "job {job:number} is over, and its file was deleted", "任务 {job} 已结束，其文件已删除"),
    MessageForm("has-just-ended", "job {job:number} has just ended", "任务 {job} 刚刚结束"),
    MessageForm("nowhere", "no spool has a file of this name, and no job either", "没有投递目录含有此文件名的文件，也没有这样的任务"),
    MessageForm("in-no-spool", "it is not in a spool of this daemon", "它不在此守护进程的投递目录中"),
    MessageForm("the-spools-are", "the spools are {paths}", "投递目录是 {paths}"),
    MessageForm("the-spools-are-none", "the spools are none", "投递目录是（无）"),
    MessageForm(
      "move-to-spool", "the spools are {paths}: move it there, or use waybill add",
      "投递目录是 {paths}：请移到那里，或使用 waybill add"),
    MessageForm("no-spool", "there is no spool", "没有投递目录"),
  ]
}
