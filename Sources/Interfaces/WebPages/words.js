"use strict";
// The words of the pages in their languages, and how numbers, times and names are written.

const $ = (id) => document.getElementById(id);
const WORDS = {
  en: {
    live: "live", off: "not connected, trying again", denied: "no token", about: "version {0}, up {1}",
    noToken: "This page needs the URL that “waybill web” prints: run it, and open that URL.",
    good: "All is well: nothing waits for you.", idle: "Nothing is under way, and nothing waits for you.",
    questions: "{0} waiting for your answer", ended: "{0} aborted", keys: "{0} waiting for a key", net: "{0} waiting for the network",
    closed: "{0} on hold", paused: "{0} paused", ledger: "Ledger: {0}", problem: "{0}; {1}", problems: "What does not work", problemSince: "{0} (since {1})",
    recovered: "The ledger was lost or restored: {0} files are held, their answers may be lost",
    lookFirst: "Nothing is claimed or sent since the ledger was lost or restored ({0}): look at the jobs, cancel what is not to be sent, then resume",
    untaken: "{0} in the spools, not taken yet",
    pauseAll: "Pause all", resumeAll: "Resume all", pause: "Pause", resume: "Resume", tryNow: "Try now",
    closedFor: "{0} is on hold: {1}, since {2}", until: ", next try {0}", way: " ({0})", pausedFor: "{0} is paused since {1}",
    r_unavailable: "service unavailable (503)", r_gateway: "server errors or time-outs", r_throttled: "too many requests (429)",
    r_credentials: "its key was refused or cannot be read", r_network: "it cannot be reached", r_question: "it has a question", r_paused: "paused",
    held: "On hold", uploading: "Uploading", registering: "Registering", backlog: "Backlog", now: "Now",
    lastHour: "Registered a minute, and backlog, over the last hour", large: "Large uploads", jobs: "Jobs", show: "Show",
    step: "Step", both: "both", upload: "upload", register: "registration", spool: "Spool", all: "all", name: "Name", reason: "Reason",
    search: "Search", everything: "All that match, on every page", retry: "Retry", cancel: "Cancel", cancelDots: "Cancel…",
    job: "Job", file: "File", state: "State", what: "What happened", size: "Size", changed: "Changed", act: "Act",
    prev: "Previous page", next: "Next page", page: "Page {0}", spools: "Spools", folder: "Folder", watched: "Watched by",
    ready: "A file is ready when", scanned: "Last scan", oldest: "Oldest waits", events: "What happened", quiet: "Nothing yet.", logAll: "everything", logPeople: "what people did", logTrouble: "what went wrong", older: "Older", close: "Close",
    theLink: "Link to register instead of uploading", why: "Why (kept with the job)", remove: "Also delete what is stored already", back: "Back",
    useLink: "Use this link…", chosen: "{0} chosen", choosePage: "Choose all on this page", chooseJob: "Choose job {0}",
    noSuch: "No {0}.", anyJobs: "jobs", lookInAll: "Under Show, “all” looks in every state.", orAbove: "“Where is a file?” above tells of a file that is no job yet.", likeJob: "{0} like job {1}",
    skip: "To the jobs", where: "Where is a file?", nameOrPath: "Its name, or its path", look: "Look", searchJobs: "Search for jobs", jobList: "The list of jobs", spoolList: "The list of spools", pagesOfJobs: "Pages of jobs",
    alike: "Alike: one answer for all of a kind", showGroup: "Show {0}", retryGroup: "Retry {0}", cancelGroup: "Cancel {0}…", noReason: "no reason", otherReasons: "other reasons", moreKinds: "{0} more kinds: narrow the search to see them.", onlyLike: "Only those like job {0}: {1}", notOnly: "All others too",
    remedyIs: ". What to do: {0}", writer: "It is open for writing in {0}, process {1} of {2}.", lookedAt: "It is looked at again, or taken, at {0}.", itsJobs: "Jobs of this name:",
    rc_upload: "The storage's receipt", rc_register: "The backend's receipt", rc_bucket: "Bucket", rc_key: "Key", rc_size: "Size", rc_etag: "ETag", rc_version: "Version", rc_sha256: "SHA-256", rc_checksum: "Checksum", rc_content_type: "Media type", rc_uploaded_at: "Stored", rc_status: "HTTP status", rc_location: "Location", rc_body: "Answer", rc_registered_at: "Registered", rc_type_composite: "of the parts' sums", rc_type_full: "of the whole object",
    atOnce: "{0}: {1} of {2} at once", perSecond: "{0}/s", files: "{0} files/s", oldestIs: "the oldest waits {0}", nothing: "nothing waits",
    chartIs: "{0} registered, {1}; at most {2} waiting", chartScale: "Scale: {0} registered a minute (bars), {1} waiting (line)", done: "{0} done, {1} not", cancelTitle: "Cancel {0}?", cancelDo: "Cancel it",
    oneJob: "1 job", manyJobs: "{0} jobs", ofSpool: "{0} of spool {1}", atStep: "{0} at step {1}", withName: "{0} named like “{1}”",
    withReason: "{0} with “{1}” in the reason", inStates: "{0} ({1})", allJobs: "all jobs that match", linkTitle: "Use a link for {0}", linkDo: "Use it", linkNeeded: "A link is needed.",
    retryAll: "Retry {0}?", yes: "Retry them", attempts: "Attempts", history: "History", receipts: "Receipts", facts: "Facts",
    by: "by {0}", from: "from", to: "to", result: "Result", number: "No.", time: "Time", changedMeanwhile: "It has changed meanwhile: {0}",
    failed: "That did not work: {0}", size_: "Size", files_: "Files", ofFiles: "({0} files)", storedOf: "{0} of {1} stored", standstill: "Now", sidecar: "Sidecar", path: "File is at", link: "Link", key: "Key", id: "Id", next_: "Next try", remote: "At the storage", givenBack: "Given back", givenTo: "to {0}, by {1}", givenBy: "by {0}",
    metadata: "Metadata", created: "Taken in", finished: "Finished", held_: "{0} is on hold: {1}", inotify: "kernel's events", poll: "polling",
    renamed: "renamed in", closedW: "closed after writing", lease: "nobody has it open", still: "it stays unchanged", never: "not yet", ago: "{0} ago",
    needs: "needs you, or was aborted", byState: "Jobs by state",
    p_waiting: "waiting", p_working: "working", "p_needs-you": "needs you", p_stopped: "stopped", p_done: "done",
    "queued": "queued", "active": "in flight", "deferred": "tried again later", "awaiting-confirmation": "needs an answer",
    "awaiting-credentials": "waits for a key", "awaiting-network": "waits for the network", "registered": "registered", "aborted": "aborted",
    "skipped": "not sent again", "cancelled": "cancelled", "discarded": "discarded", "confirmed": "confirmed", "retried": "retried", "released": "released", sent: "{0} of {1}, {2}", left: "{0} left",
    o_succeeded: "succeeded", o_failed: "failed", o_cut: "cut",
    "e_admitted": "taken in", "e_uploaded": "uploaded", "e_registered": "registered", "e_skipped": "not sent again", "e_deferred": "deferred", "e_question": "question", "e_confirmed": "confirmed", "e_retried": "retried", "e_cancelled": "cancelled", "e_aborted": "aborted", "e_released": "released", "e_discarded": "discarded", "e_cleaned": "cleaned up", "e_object-left": "object left",
  },
  zh: {
    live: "实时", off: "未连接，正在重试", denied: "缺少令牌", about: "版本 {0}，已运行 {1}",
    noToken: "请运行 “waybill web”，并打开它显示的网址。",
    good: "一切正常：没有需要您处理的事。", idle: "当前没有任务，也没有需要您处理的事。",
    questions: "{0} 个等待您答复", ended: "{0} 个已中止", keys: "{0} 个等待密钥", net: "{0} 个等待网络",
    closed: "{0} 暂不使用", paused: "{0} 已暂停", ledger: "账本：{0}", problem: "{0}；{1}", problems: "无法工作的部分", problemSince: "{0}（自 {1}）",
    recovered: "账本曾丢失或被恢复：{0} 个文件被保留，它们的答复可能已丢失",
    lookFirst: "自账本丢失或被恢复（{0}）以来，不再接收或发送任何文件：请先查看任务，取消不应发送的，再点继续",
    untaken: "投递目录中有 {0} 个文件尚未接收",
    pauseAll: "全部暂停", resumeAll: "全部继续", pause: "暂停", resume: "继续", tryNow: "立即重试",
    closedFor: "{0} 暂不使用：{1}，自 {2}", until: "，下次尝试 {0}", way: "（{0}）", pausedFor: "{0} 已暂停，自 {1}",
    r_unavailable: "服务不可用 (503)", r_gateway: "网关错误或超时", r_throttled: "请求过多 (429)", r_credentials: "密钥被拒绝或无法读取",
    r_network: "无法连接", r_question: "有一个待答复的问题", r_paused: "已暂停",
    held: "暂不使用", uploading: "正在上传", registering: "正在登记", backlog: "积压", now: "现在", lastHour: "最近一小时：每分钟登记数与积压",
    large: "大文件上传", jobs: "任务", show: "显示", step: "步骤", both: "两者", upload: "上传", register: "登记", spool: "投递目录", all: "全部",
    name: "文件名", reason: "原因", search: "搜索", everything: "所有页上符合条件的任务", retry: "重试", cancel: "取消", cancelDots: "取消…",
    job: "编号", file: "文件", state: "状态", what: "发生了什么", size: "大小", changed: "更新于", act: "操作", prev: "上一页", next: "下一页",
    page: "第 {0} 页", spools: "投递目录", folder: "路径", watched: "监视方式", ready: "文件就绪的条件", scanned: "上次扫描", oldest: "最久等待",
    events: "发生了什么", quiet: "还没有。", logAll: "全部", logPeople: "人的操作", logTrouble: "出错的", older: "更早的", close: "关闭", theLink: "不再上传，改为登记此链接", why: "原因（随任务保存）", remove: "同时删除已存储的对象", back: "返回",
    useLink: "使用链接…", chosen: "已选 {0} 个", choosePage: "选择本页全部", chooseJob: "选择任务 {0}", noSuch: "没有{0}。", anyJobs: "任务", lookInAll: "在“显示”中选择“全部”可查找所有状态。", orAbove: "尚未成为任务的文件请用上面的“文件在哪里？”查询。", likeJob: "与任务 {1} 同类的 {0}",
    skip: "跳到任务列表", where: "文件在哪里？", nameOrPath: "文件名或路径", look: "查询", searchJobs: "搜索任务", jobList: "任务列表", spoolList: "投递目录列表", pagesOfJobs: "任务分页",
    alike: "同类：一次答复同一类的全部任务", showGroup: "显示 {0} 个", retryGroup: "重试 {0} 个", cancelGroup: "取消 {0} 个…", noReason: "没有原因", otherReasons: "其他原因", moreKinds: "还有 {0} 类：请缩小搜索范围查看。", onlyLike: "仅显示与任务 {0} 同类的：{1}", notOnly: "显示其他任务",
    remedyIs: "。处理办法：{0}", writer: "程序 {0}（进程 {1}，用户 {2}）正在写入它。", lookedAt: "将于 {0} 再次查看或接收。", itsJobs: "此文件名的任务：",
    rc_upload: "存储的回执", rc_register: "后端的回执", rc_bucket: "存储桶", rc_key: "键", rc_size: "大小", rc_etag: "ETag", rc_version: "版本", rc_sha256: "SHA-256", rc_checksum: "校验和", rc_content_type: "媒体类型", rc_uploaded_at: "存储于", rc_status: "HTTP 状态", rc_location: "Location", rc_body: "应答", rc_registered_at: "登记于", rc_type_composite: "各分段之和", rc_type_full: "整个对象",
   
    atOnce: "{0}：同时 {1}，最多 {2}", perSecond: "{0}/秒", files: "{0} 个文件/秒", oldestIs: "最久已等待 {0}", nothing: "没有等待的文件", chartIs: "已登记 {0} 个，{1}；积压最多 {2} 个", chartScale: "刻度：每分钟登记 {0} 个（柱），积压 {1} 个（线）",
    done: "完成 {0} 个，未完成 {1} 个", cancelTitle: "取消 {0}？", cancelDo: "确认取消", oneJob: "1 个任务", manyJobs: "{0} 个任务", ofSpool: "投递目录 {1} 的 {0}", atStep: "处于步骤“{1}”的 {0}", withName: "名称类似“{1}”的 {0}",
    withReason: "原因含有“{1}”的 {0}", inStates: "{0}（{1}）", allJobs: "所有符合条件的任务",
    linkTitle: "为 {0} 使用链接", linkDo: "使用", linkNeeded: "需要填写链接。", retryAll: "重试 {0}？", yes: "全部重试",
    attempts: "尝试", history: "历史", receipts: "回执", facts: "详情", by: "操作者 {0}", from: "开始", to: "结束", result: "结果", number: "序号", time: "时间",
    changedMeanwhile: "任务已发生变化：{0}", failed: "操作未成功：{0}", size_: "大小", files_: "文件数", ofFiles: "（{0} 个文件）", storedOf: "已存储 {0} / {1}", standstill: "目前", sidecar: "说明文件", path: "文件位置", link: "链接", key: "键", id: "标识", next_: "下次尝试",
    remote: "存储端", givenBack: "已取回", givenTo: "由 {1} 取回到 {0}", givenBy: "由 {0} 取回", metadata: "元数据", created: "接收于", finished: "结束于", held_: "{0} 暂不使用：{1}", inotify: "内核事件", poll: "轮询",
    renamed: "已改名移入", closedW: "写入后已关闭", lease: "没有程序打开它", still: "保持不变", never: "尚未", ago: "{0}前",
    needs: "需要您，或已中止", byState: "按状态列出的任务数",
    p_waiting: "等待中", p_working: "进行中", "p_needs-you": "需要您", p_stopped: "已停止", p_done: "完成",
    "queued": "排队中", "active": "传输中", "deferred": "稍后重试", "awaiting-confirmation": "等您答复", "awaiting-credentials": "等待密钥",
    "awaiting-network": "等待网络", "registered": "已登记", "skipped": "未重复发送", "aborted": "已中止", "cancelled": "已取消", "discarded": "已丢弃", "confirmed": "已确认重试", "retried": "已重新安排", "released": "已取回", sent: "{0} / {1}，{2}", left: "剩余 {0}",
    o_succeeded: "成功", o_failed: "失败", o_cut: "中断",
    "e_admitted": "已接收", "e_uploaded": "已上传", "e_registered": "已登记", "e_skipped": "未重复发送", "e_deferred": "推迟", "e_question": "提问", "e_confirmed": "确认重试", "e_retried": "重新安排", "e_cancelled": "取消", "e_aborted": "中止", "e_released": "取回", "e_discarded": "丢弃", "e_cleaned": "已清理", "e_object-left": "对象留存",
  },
};
// The states of a choice that means several: what a person should look at, and the phases.
const GROUPS = { needs: [...PHASES["needs-you"], "aborted"], ...Object.fromEntries(Object.entries(PHASES).map(([phase, states]) => ["p_" + phase, states])) };
const UNFINISHED = new Set([...PHASES.waiting, ...PHASES.working, ...PHASES["needs-you"]]), ENDED = new Set(PHASES.stopped);
const WAITING = new Set([...UNFINISHED].filter((state) => state !== "queued" && state !== "active"));
// The states that a command takes, those that it is for where nothing is asked for, and those that a filter without a state means.
const TAKES = { retry: [...WAITING, ...ENDED], cancel: [...UNFINISHED] };
const FOR_ALL = { retry: ["aborted"], cancel: ["awaiting-confirmation"] };
const FOR_FILTER = { retry: ["deferred", "awaiting-credentials", "awaiting-network", "aborted"], cancel: [...UNFINISHED] };
const LIMIT = 100;

let language = sessionStorage.getItem("language") || (navigator.language.startsWith("zh") ? "zh" : "en");
const t = (key, ...values) => (WORDS[language][key] ?? key).replace(/\{(\d)\}/g, (_, n) => values[n]);

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
