// Made by scripts/messages from Table/standstill.txt.

extension MessageTable {
  static let standstill: [MessageForm] = [
    MessageForm("in-flight", "its {step:noun} is in flight, and goes on with the answer", "正在{step:noun}，收到应答后继续"),
    MessageForm("begins-next", "its {step:noun} begins next", "接下来就{step:noun}"),
    MessageForm("slots-all", "all slots are in use: it begins when an attempt in flight ends", "所有名额都在使用中：有一次尝试结束后即开始"),
    MessageForm(
      "slots-kept", "the slots that are free are kept for other destinations: it begins when an attempt in flight ends",
      "空闲的名额留给其他目标：有一次尝试结束后即开始"),
    MessageForm(
      "slots-limit", "{destination} has as many attempts in flight as it takes now: it begins when one of them ends",
      "{destination} 目前已达到其并发上限：其中一次尝试结束后即开始"),
    MessageForm(
      "slots-large", "uploads of large files have all the slots that they may have: it begins when one of them ends",
      "大文件的上传名额都在使用中：其中一个结束后即开始"),
    MessageForm("tried-again-at", "it is tried again at {at:time}", "将于 {at} 重试"),
    MessageForm("tried-again-at-for", "it is tried again at {at:time}: {why:message}", "将于 {at} 重试：{why}"),
    MessageForm("next-try", "{hold:message}; the next try is at {at:time}", "{hold}；下次尝试 {at}"),
    MessageForm(
      "next-try-way", "{hold:message}; the next try is at {at:time} ({way:message})", "{hold}；下次尝试 {at}（{way}）"),
    MessageForm(
      "next-try-key", "{hold:message}; the next try is at {at:time}, or once there is another key",
      "{hold}；下次尝试 {at}，或在换了密钥之后"),
    MessageForm(
      "next-try-network", "{hold:message}; the next try is at {at:time}, or once the network changes",
      "{hold}；下次尝试 {at}，或在网络变化之后"),
    MessageForm(
      "next-try-network-way",
      "{hold:message}; the next try is at {at:time} ({way:message}), or once the network changes",
      "{hold}；下次尝试 {at}（{way}），或在网络变化之后"),
    MessageForm("probing", "{hold:message}; job {job:number} tries it now", "{hold}；任务 {job} 正在试探"),
    MessageForm(
      "probing-way", "{hold:message}; job {job:number} tries it now ({way:message})", "{hold}；任务 {job} 正在试探（{way}）"),
    MessageForm("awaits-working-key", "{what:message}; it waits for a working key", "{what}；等待可用的密钥"),
    MessageForm(
      "awaits-working-key-for", "{what:message}; it waits for a working key: {why:message}", "{what}；等待可用的密钥：{why}"),
    MessageForm("awaits-network", "{what:message}; it waits for the network", "{what}；等待网络"),
    MessageForm("awaits-network-for", "{what:message}; it waits for the network: {why:message}", "{what}；等待网络：{why}"),
    MessageForm("has-question", "it has a question: {question:message}", "有待答复的问题：{question}"),
    MessageForm(
      "cleanup-first", "what its cancel left at the storage is cleaned up first: {what:message}",
      "先清理取消后留在存储上的内容：{what}"),
    MessageForm("cleanup-in-flight", "that is in flight", "正在进行"),
    MessageForm("cleanup-begins", "that begins next", "接下来就进行"),
    MessageForm("cleanup-next-try", "the next try is at {at:time}", "下次尝试 {at}"),
    MessageForm(
      "about-to-ask", "{destination} is no longer configured: it is about to ask what to do",
      "{destination} 已不在配置中：它即将提问"),
    MessageForm(
      "ledger-disk-full", "the disk under the ledger is full: it goes on once there is space", "账本所在的磁盘已满：有空间后继续"),
    MessageForm("goes-on-after-start", "the daemon is stopping: it goes on after the next start", "守护进程正在停止：下次启动后继续"),
    MessageForm(
      "nothing-ends-it",
      "nothing ends its wait ({lack:message}): this is a defect of Waybill; a restart of the daemon may help",
      "没有什么能结束它的等待（{lack}）：这是 Waybill 的缺陷；重启守护进程可能有帮助"),
    MessageForm("lacks-question", "it has no question", "它没有问题"),
    MessageForm("lacks-time", "it has no time", "它没有时间"),
    MessageForm("lacks-cleanup", "no cleanup is owed", "没有待做的清理"),
    MessageForm("lacks-probe", "no probe is in flight", "没有正在进行的试探"),
    MessageForm("lacks-asker", "nobody is asked", "没有人被提问"),
    MessageForm("lacks-slots", "no slot is in use", "没有名额在使用"),
  ]
}
