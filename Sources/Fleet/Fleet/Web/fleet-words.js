"use strict";
// The words of the fleet's page. In English they come with the page.

Object.assign(WORDS.en, { off: "not connected, trying again" });
Object.assign(WORDS.zh, {
  f_skip: "跳到内容", f_title: "Waybill 主机群", f_pages: "页面", f_overview: "总览", f_asOf: "截至",
  f_youAre: "以 {0} 的名义答复", f_nobodyIsSet: "只能查看。如需答复：在 fleet.toml 中设置 user、user_header 或 peer",
  f_noHeader: "只能查看：反向代理没有给出用户（{0}）", f_roleMayNot: "只能查看：此页面的数据库角色不能向主机提出要求",
  f_silent: "{0} 台失去联系", f_troubled: "{0} 台有故障", f_quiet: "没有新文件的投递目录：{0} 个", f_silences: "没有新文件的投递目录", f_noHosts: "还没有主机：请在每台主机上启动 waybill-fleet.service。",
  f_notHeard: "失去联系，自", f_lookAt: "请检查该主机及其代理；其任务按当时的情况显示。", f_more: "还有 {0} 项",
  f_onOne: "，在 {0}", f_onHosts: "，在 {0} 台主机（{1}）", f_onHostsNumber: "{0} 台主机", f_hosts: "主机", f_host: "主机",
  f_lag: "落后事件",
  f_moreKinds: "还有 {0} 类：请在“任务”中缩小范围。", f_noneWaits: "没有等待的任务。",
  f_waits: "按目的地和原因列出的等待任务", f_groupSilent: "其中 {0} 台主机失去联系", f_requests: "提出过的要求",
  f_isSilent: "失去联系", f_isTroubled: "故障", f_isWell: "正常", f_heard: "最近联系", f_version: "版本", f_pauseAll: "暂停所有主机…",
  f_hostList: "主机列表", f_confirm: "确认重试", f_retry: "重试", f_cancel: "取消", f_discard: "丢弃", f_pause: "暂停", f_resume: "继续",
  f_askedBy: "由 {0} 提出", f_doneOf: "{1} 个中完成 {0} 个", f_o_changed: "{0} 个已发生变化", f_o_refused: "{0} 个被拒绝",
  f_o_expired: "{0} 个已过期", f_o_unknown: "{0} 个在那里不存在", f_o_forgotten: "{0} 个所属主机已被移除", f_open: "{0} 个尚未执行", f_notHeardOf: "{0} 失去联系，自",
  f_moreSilent: "还有 {0} 台主机失去联系", f_whenBack: "恢复后执行，有效期至", f_destination: "目的地", f_attempt: "尝试次数",
  f_groupGone: "这一类已经答复。", f_groupChanged: "所显示的内容之后已发生变化，未执行任何操作。现在的情况如下：", f_noJobs: "没有任务。", f_unreadable: "有 {0} 个任务无法读取，未显示（{1}）：来自更新版本的 Waybill，或其记录已损坏。",
  f_hostSilent: "{0} 最近失去联系：任务显示的是当时的情况，截至", f_nothing: "这里没有内容", f_refused: "未执行",
  f_askRetry: "重试 {0} 个任务？", f_askCancel: "取消 {0} 个任务？", f_askPause: "在 {0} 台主机上暂停 {1}？", f_askResume: "在 {0} 台主机上继续 {1}？",
  f_notAllowed: "另有 {0} 个在不允许远程执行此操作的主机上，不包括在内。", f_later: "其中 {0} 台主机最近失去联系：恢复后在 24 小时内执行。", f_cancelDo: "取消它们",
  f_removeSome: "（仅其中 {0} 个：其余主机不允许此操作，届时不包括在内）",
});
