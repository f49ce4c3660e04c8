// The page's own words, in English and Chinese, and how numbers, times and names are written. What the daemon says comes in the
// reader's language already.

const $ = (id) => document.getElementById(id);
const WORDS = {
  live: ["live", "实时"], off: ["not connected, trying again", "未连接，正在重试"], denied: ["no access", "无权访问"],
  about: ["version {0}, up {1}", "版本 {0}，已运行 {1}"],
  noToken: ["This page needs the URL that “waybill web” prints: run it, and open that URL.", "此页面需要“waybill web”显示的网址：请运行它，并打开该网址。"],
  good: ["All is well: nothing waits for you.", "一切正常：没有需要您处理的事。"],
  idle: ["Nothing is under way, and nothing waits for you.", "当前没有任务，也没有需要您处理的事。"],
  questions: ["{0} awaiting confirmation", "{0} 个等待确认"], ended: ["{0} aborted", "{0} 个已中止"],
  keys: ["{0} awaiting credentials", "{0} 个等待密钥"], net: ["{0} awaiting network", "{0} 个等待网络"],
  closed: ["closed after writing", "写入后已关闭"], paused: ["{0} paused", "{0} 已暂停"], ledger: ["Ledger: {0}", "台账：{0}"],
  problem: ["{0}; {1}", "{0}；{1}"], problems: ["What does not work", "现有问题"], problemSince: ["{0} (since {1})", "{0}（自 {1}）"],
  lookFirst: ["Nothing is claimed or sent since the ledger was lost or restored ({0}): look at the jobs, cancel what is not to be sent, then resume", "自台账丢失或恢复（{0}）以来，不接收也不发送任何文件：请先查看任务，取消不应发送的，再点“全部继续”"],
  untaken: ["{0} in the spools, not taken yet", "投递目录中有 {0} 个文件尚未接收"], pauseAll: ["Pause all", "全部暂停"],
  resumeAll: ["Resume all", "全部继续"], pause: ["Pause", "暂停"], resume: ["Resume", "继续"], tryNow: ["Try now", "立即重试"],
  closedFor: ["{0} is on hold: {1}, since {2}", "{0} 暂不使用：{1}，自 {2}"], until: [", next try {0}", "，下次尝试 {0}"],
  way: [" ({0})", "（{0}）"], pausedFor: ["{0} is paused since {1}", "{0} 已暂停，自 {1}"],
  r_unavailable: ["service unavailable (503)", "服务不可用（503）"], r_gateway: ["server errors or time-outs", "服务器一再出错或超时"],
  r_throttled: ["too many requests (429)", "请求过多（429）"], r_credentials: ["its key was refused or cannot be read", "密钥被拒绝或无法读取"],
  r_network: ["it cannot be reached", "无法连接"], r_question: ["it has a question", "有一个待答复的问题"], r_paused: ["paused", "已暂停"],
  held: ["On hold", "暂不使用"], uploading: ["Uploading", "正在上传"], registering: ["Registering", "正在登记"], backlog: ["Backlog", "积压"],
  now: ["Now", "现在"], lastHour: ["Registered a minute, over the last hour", "最近一小时每分钟登记数"],
  chartIs: ["{0} registered; at most {1} a minute (the upper line)", "已登记 {0} 个；每分钟最多 {1} 个（上方横线）"],
  large: ["Large uploads", "大文件上传"], jobs: ["Jobs", "任务"], show: ["Show", "显示"], step: ["Step", "步骤"], both: ["both", "两者"],
  upload: ["upload", "上传"], register: ["registration", "登记"], spool: ["Spool", "投递目录"], all: ["all", "全部"], name: ["Name", "文件名"],
  reason: ["Reason", "原因"], search: ["Search", "搜索"],
  retry: ["Retry", "重试"], cancelDots: ["Cancel…", "取消…"], job: ["Job", "编号"], file: ["File", "文件"], state: ["State", "状态"],
  size: ["Size", "大小"], changed: ["Changed", "更新于"], act: ["Act", "操作"], prev: ["Previous page", "上一页"], next: ["Next page", "下一页"],
  page: ["Page {0}", "第 {0} 页"], spools: ["Spools", "投递目录"], folder: ["Folder", "路径"], watched: ["Watched by", "监视方式"],
  ready: ["A file is ready when", "文件就绪的条件"], scanned: ["Last scan", "上次扫描"], oldest: ["Oldest waits", "最久等待"],
  events: ["What happened", "事件"], quiet: ["Nothing yet.", "尚无事件。"], older: ["Older", "更早的"], close: ["Close", "关闭"],
  why: ["Why (kept with the job)", "原因（随任务保存）"], remove: ["Also delete what is stored already", "同时删除已存储的对象"], back: ["Back", "返回"],
  chosen: ["{0} chosen", "已选 {0} 个"], choosePage: ["Choose all on this page", "选择本页全部"], chooseJob: ["Choose job {0}", "选择任务 {0}"],
  noSuch: ["No such jobs.", "没有这样的任务。"],
  lookInAll: ["Under Show, “all” looks in every state.", "在“显示”中选择“全部”可查找所有状态。"], skip: ["To the jobs", "跳到任务列表"],
  searchJobs: ["Search for jobs", "搜索任务"], jobList: ["The list of jobs", "任务列表"], spoolList: ["The list of spools", "投递目录列表"],
  pagesOfJobs: ["Pages of jobs", "任务分页"], noReason: ["no reason", "没有原因"], otherReasons: ["other reasons", "其他原因"],
  moreKinds: ["{0} more kinds: the list of jobs has them.", "还有 {0} 类：见任务列表。"], onlyLike: ["Only this kind: {0}", "仅显示这一类：{0}"],
  notOnly: ["All others too", "显示其他任务"], perSecond: ["{0}/s", "{0}/秒"], files: ["{0} files/s", "{0} 个文件/秒"], oldestIs: ["the oldest waits {0}", "最久已等待 {0}"],
  nothing: ["nothing waits", "没有等待的文件"], done: ["{0} done, {1} not", "完成 {0} 个，未完成 {1} 个"], cancelTitle: ["Cancel {0}?", "取消 {0}？"], cancelDo: ["Cancel it", "确认取消"],
  oneJob: ["1 job", "1 个任务"], manyJobs: ["{0} jobs", "{0} 个任务"],
  retryAll: ["Retry {0}?", "重试 {0}？"], yes: ["Retry them", "全部重试"],
  attempts: ["Attempts", "尝试"], history: ["History", "历史"], by: ["by {0}", "操作者 {0}"], from: ["from", "开始"], to: ["to", "结束"],
  result: ["Result", "结果"], number: ["No.", "序号"], time: ["Time", "时间"],
  changedMeanwhile: ["It has changed meanwhile: {0}", "任务已发生变化：{0}"], failed: ["That did not work: {0}", "操作未成功：{0}"],
  files_: ["Files", "文件数"], ofFiles: ["({0} files)", "（{0} 个文件）"], storedOf: ["{0} of {1} stored", "已存储 {0} / {1}"],
  sidecar: ["Sidecar", "说明文件"], path: ["File is at", "文件位置"], link: ["Link", "链接"], key: ["Key", "对象键"],
  id: ["Id", "ID"], remote: ["At the storage", "存储端"], givenTo: ["to {0}, by {1}", "由 {1} 取回到 {0}"], metadata: ["Metadata", "元数据"],
  created: ["Taken in", "接收于"], finished: ["Finished", "结束于"], inotify: ["kernel's events", "内核事件"], poll: ["polling", "轮询"],
  renamed: ["renamed in", "已重命名移入"], lease: ["nobody has it open", "没有程序打开它"], still: ["it stays unchanged", "保持不变"],
  never: ["not yet", "尚未"], ago: ["{0} ago", "{0}前"], needs: ["needs you, or aborted", "需要您处理，或已中止"],
  byState: ["Jobs by state", "按状态列出的任务数"], p_waiting: ["waiting", "等待中"], p_working: ["working", "进行中"],
  "p_needs-you": ["needs you", "需要您处理"], p_stopped: ["stopped", "已停止"], p_done: ["done", "完成"], queued: ["queued", "排队中"],
  active: ["active", "传输中"], deferred: ["deferred", "稍后重试"], "awaiting-confirmation": ["awaiting confirmation", "等待确认"],
  "awaiting-credentials": ["awaiting credentials", "等待密钥"], "awaiting-network": ["awaiting network", "等待网络"],
  registered: ["registered", "已登记"], aborted: ["aborted", "已中止"], skipped: ["skipped", "已跳过"],
  cancelled: ["cancelled", "已取消"], discarded: ["discarded", "已丢弃"], confirmed: ["confirmed", "已确认重试"],
  retried: ["retried", "已重新开始"], released: ["released", "已取回"], sent: ["{0} of {1}, {2}", "{0} / {1}，{2}"],
  left: ["{0} left", "剩余 {0}"], o_succeeded: ["succeeded", "成功"], o_failed: ["failed", "失败"], o_cut: ["cut", "中断"],
  onHold: ["{0} on hold", "{0} 暂不使用"], faults: ["{0} not working", "{0} 项异常"], forYou: ["Needs you", "需要您处理"], host: ["Host", "主机"],
  hosts: ["Hosts", "主机"], hostList: ["The list of hosts", "主机列表"], version: ["Version", "版本"], heard: ["Last heard", "最近联系"], late: ["late", "逾期"],
  behind: ["Changes to come", "待传更改"], trouble: ["Trouble", "故障"], nameHint: ["a part of it", "名称的一部分"],
  retryKind: ["Retry {0}", "重试 {0} 个"], cancelKind: ["Cancel {0}…", "取消 {0} 个…"], showKind: ["Show {0}", "显示 {0} 个"],
  heldBy: ["{0} is on hold: {1}", "{0} 暂不使用：{1}"], nextTry: ["Next try", "下次尝试"],
  receipt_upload: ["The storage's receipt", "存储的回执"], receipt_register: ["The backend's receipt", "后端的回执"],
  type_composite: ["of the parts' sums", "各分段之和"], type_full: ["of the whole object", "整个对象"], clean: ["nothing left", "无遗留"],
  pending: ["being cleaned up", "正在清理"], bucket: ["Bucket", "存储桶"], etag: ["ETag", "ETag"], checksum: ["Checksum", "校验和"],
  content_type: ["Media type", "媒体类型"], uploaded_at: ["Stored", "存储于"], status: ["HTTP status", "HTTP 状态"],
  location: ["Location", "Location"], body: ["Answer", "响应"], registered_at: ["Registered", "登记于"], sha256: ["SHA-256", "SHA-256"],
  admitted: ["taken in", "已接收"], uploaded: ["uploaded", "已上传"], question: ["question", "有待答复的问题"], cleaned: ["cleaned up", "已清理"],
  "object-left": ["object left", "对象留存"],
};
// The states of a choice that means several: what a person should look at, and the phases.
const GROUPS = { needs: [...PHASES["needs-you"], "aborted"], ...Object.fromEntries(Object.entries(PHASES).map(([phase, states]) => ["p_" + phase, states])) };
const UNFINISHED = new Set([...PHASES.waiting, ...PHASES.working, ...PHASES["needs-you"]]), ENDED = new Set(PHASES.stopped);
const WAITING = new Set([...UNFINISHED].filter((state) => state !== "queued" && state !== "active"));
// The states that a command takes.
const TAKES = { retry: [...WAITING, ...ENDED], cancel: [...UNFINISHED] };
const LIMIT = 100;

let language = sessionStorage.getItem("language") || (navigator.language.startsWith("zh") ? "zh" : "en");
const t = (key, ...values) => (Object.hasOwn(WORDS, key) ? WORDS[key][language === "zh" ? 1 : 0] : key).replace(/\{(\d)\}/g, (_, n) => values[n]);

// --- small things

const el = (tag, text, attributes) => {
  const node = document.createElement(tag);
  if (text !== undefined && text !== null) node.textContent = text;
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") node.addEventListener("click", value); else node.setAttribute(name, value);
  }
  return node;
};
const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
const bytes = (n) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (n >= 1024 && i < 4) { n /= 1024; i += 1; }
  return (i === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)) + " " + units[i];
};
const count = (n) => n.toLocaleString(language);
const jobCount = (n) => n === 1 ? t("oneJob") : t("manyJobs", count(n));
const span = (seconds) => {
  const s = Math.max(0, Math.round(seconds));
  const parts = [[Math.floor(s / 86400), "d", "天"], [Math.floor(s / 3600) % 24, "h", "小时"], [Math.floor(s / 60) % 60, "min", "分"], [s % 60, "s", "秒"]];
  const first = parts.findIndex(([n]) => n > 0);
  if (first < 0) return language === "zh" ? "0 秒" : "0 s";
  return parts.slice(first, first + 2).filter(([n]) => n > 0).map(([n, en, zh]) => n + " " + (language === "zh" ? zh : en)).join(" ");
};
const since = (time) => span((Date.now() - Date.parse(time)) / 1000);
const clock = (time) => {
  const at = new Date(time);
  const day = at.toDateString() === new Date().toDateString() ? "" : at.toLocaleDateString(language) + " ";
  return day + at.toLocaleTimeString(language, { hour12: false });
};
// Characters that turn the writing direction, or that cannot be seen, must not make one name look like another.
const plain = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
// A text of the daemon, with its moments in the time zone of the reader.
const told = (text) => plain(text).replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => clock(time));
let saidTimer;
const say = (words) => {
  put($("said"), words);
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => put($("said"), ""), 8000);
};
// Runs soon, and not again before `pause` ms, or ten times what it took, have passed: many events make one call.
const gathered = (least, work) => {
  let timer, last = 0, pause = least;
  return () => {
    if (timer) return;
    timer = setTimeout(async () => {
      timer = undefined;
      const began = Date.now();
      try { await work(); } catch (error) { lost(error); }
      last = Date.now();
      pause = Math.max(least, 10 * (last - began));
    }, Math.max(100, last + pause - Date.now()));
  };
};
