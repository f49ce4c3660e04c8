// Made by scripts/messages from Table/summary.txt.

extension MessageTable {
  static let summary: [MessageForm] = [
    MessageForm(
      "daily-summary",
      "Registered since {since:time}: {registered:number} ({size:bytes}). Now waiting: {waiting:number}, working: {working:number}, needs you: {asking:number}, stopped: {stopped:number}, problems: {problems:number}",
      "自 {since} 起已登记：{registered}（{size}）。目前等待中：{waiting}，进行中：{working}，需要您：{asking}，已停止：{stopped}，问题：{problems}")
  ]
}
