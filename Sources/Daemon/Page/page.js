"use strict";
// The operator's page. It asks what the control socket answers and shows it; names and words of far sides are only ever
// set as text, because they are anybody's.

const $ = (id) => document.getElementById(id);
const WORDS = {
  en: {
    live: "live", off: "not connected, trying again", denied: "no token", about: "version {0}, up {1}",
    noToken: "This page needs the URL that “waybill web” prints: run it, and open that URL.",
    good: "All is well: nothing waits for you.", idle: "Nothing is under way, and nothing waits for you.",
    questions: "{0} waiting for your answer", ended: "{0} aborted", keys: "{0} waiting for a key", net: "{0} waiting for the network",
    closed: "{0} closed", paused: "{0} paused", ledger: "Ledger: {0}",
    pauseAll: "Pause all", resumeAll: "Resume all", pause: "Pause", resume: "Resume", tryNow: "Try now",
    closedFor: "{0} is closed: {1}, since {2}", until: ", next try {0}", pausedFor: "{0} is paused since {1}",
    r_unavailable: "service unavailable (503)", r_gateway: "gateway errors or time-outs", r_throttled: "too many requests (429)",
    r_credentials: "the key is refused", r_network: "no way there", r_question: "a question is open about it", r_paused: "paused",
    held: "What is held", uploading: "Uploading", registering: "Registering", backlog: "Backlog", now: "Now",
    lastHour: "Registered a minute, and backlog, over the last hour", large: "Large uploads", jobs: "Jobs", show: "Show",
    step: "Step", both: "both", upload: "upload", register: "registration", spool: "Spool", all: "all", name: "Name", reason: "Reason",
    search: "Search", everything: "All that match, on every page", retry: "Retry", cancel: "Cancel", cancelDots: "Cancel…",
    job: "Job", file: "File", state: "State", what: "What happened", size: "Size", changed: "Changed", act: "Act",
    prev: "Previous page", next: "Next page", page: "Page {0}", spools: "Spools", folder: "Folder", watched: "Watched by",
    ready: "A file is ready when", scanned: "Last scan", oldest: "Oldest waits", events: "Events", quiet: "They show here as they happen.", close: "Close",
    theLink: "Link to register instead of uploading", why: "Why (kept with the job)", remove: "Also delete what is stored already", back: "Back",
    useLink: "Use this link…", chosen: "{0} chosen", choosePage: "Choose all on this page", chooseJob: "Choose job {0}",
    none: "No job is like that.", perSecond: "{0}/s", files: "{0} files/s", oldestIs: "the oldest waits {0}", nothing: "nothing waits",
    chartIs: "{0} registered, {1}; at most {2} waiting", done: "{0} done, {1} not", cancelTitle: "Cancel {0}", cancelDo: "Cancel it",
    manyJobs: "{0} jobs", allJobs: "all jobs that match", linkTitle: "Use a link for {0}", linkDo: "Use it", linkNeeded: "A link is needed.",
    retryAll: "Retry all jobs that match?", yes: "Retry them", attempts: "Attempts", history: "History", receipts: "Receipts", facts: "Facts",
    by: "by {0}", from: "from", to: "to", result: "Result", number: "No.", time: "Time", changedMeanwhile: "It has changed meanwhile: {0}",
    failed: "That did not work: {0}", size_: "Size", path: "File is at", link: "Link", key: "Key", id: "Id", next_: "Next try", remote: "At the storage",
    metadata: "Metadata", created: "Taken in", finished: "Finished", held_: "held by {0}: {1}", inotify: "kernel's events", poll: "polling",
    renamed: "renamed in", closedW: "closed after writing", lease: "nobody has it open", still: "it stays unchanged", never: "not yet", ago: "{0} ago",
    needs: "what needs you", waits: "what waits", flows: "what is under way",
    "queued": "queued", "active": "in flight", "deferred": "tried again later", "awaiting-confirmation": "asks you",
    "awaiting-credentials": "waits for a key", "awaiting-network": "waits for the network", "registered": "registered", "aborted": "aborted",
    "cancelled": "cancelled", "discarded": "discarded", sent: "{0} of {1}, {2}", left: "{0} left",
  },
  zh: {
    live: "实时", off: "未连接，正在重试", denied: "缺少令牌", about: "版本 {0}，已运行 {1}",
    noToken: "请运行 “waybill web”，并打开它显示的网址。",
    good: "一切正常：没有需要您处理的事。", idle: "当前没有任务，也没有需要您处理的事。",
    questions: "{0} 个等待您答复", ended: "{0} 个已中止", keys: "{0} 个等待密钥", net: "{0} 个等待网络",
    closed: "{0} 已关闭", paused: "{0} 已暂停", ledger: "账本：{0}",
    pauseAll: "全部暂停", resumeAll: "全部继续", pause: "暂停", resume: "继续", tryNow: "立即重试",
    closedFor: "{0} 已关闭：{1}，自 {2}", until: "，下次尝试 {0}", pausedFor: "{0} 已暂停，自 {1}",
    r_unavailable: "服务不可用 (503)", r_gateway: "网关错误或超时", r_throttled: "请求过多 (429)", r_credentials: "密钥被拒绝",
    r_network: "无法连接", r_question: "有一个待答复的问题", r_paused: "已暂停",
    held: "被阻挡的", uploading: "正在上传", registering: "正在登记", backlog: "积压", now: "现在", lastHour: "最近一小时：每分钟登记数与积压",
    large: "大文件上传", jobs: "任务", show: "显示", step: "步骤", both: "两者", upload: "上传", register: "登记", spool: "投递目录", all: "全部",
    name: "文件名", reason: "原因", search: "搜索", everything: "所有页上符合条件的任务", retry: "重试", cancel: "取消", cancelDots: "取消…",
    job: "编号", file: "文件", state: "状态", what: "发生了什么", size: "大小", changed: "更新于", act: "操作", prev: "上一页", next: "下一页",
    page: "第 {0} 页", spools: "投递目录", folder: "路径", watched: "监视方式", ready: "文件就绪的条件", scanned: "上次扫描", oldest: "最久等待",
    events: "事件", quiet: "事件发生时显示在这里。", close: "关闭", theLink: "不再上传，改为登记此链接", why: "原因（随任务保存）", remove: "同时删除已存储的对象", back: "返回",
    useLink: "使用链接…", chosen: "已选 {0} 个", choosePage: "选择本页全部", chooseJob: "选择任务 {0}", none: "没有符合条件的任务。",
    perSecond: "{0}/秒", files: "{0} 个文件/秒", oldestIs: "最久已等待 {0}", nothing: "没有等待的文件", chartIs: "已登记 {0} 个，{1}；积压最多 {2} 个",
    done: "完成 {0} 个，未完成 {1} 个", cancelTitle: "取消 {0}", cancelDo: "确认取消", manyJobs: "{0} 个任务", allJobs: "所有符合条件的任务",
    linkTitle: "为 {0} 使用链接", linkDo: "使用", linkNeeded: "需要填写链接。", retryAll: "重试所有符合条件的任务？", yes: "全部重试",
    attempts: "尝试", history: "历史", receipts: "回执", facts: "详情", by: "操作者 {0}", from: "开始", to: "结束", result: "结果", number: "序号", time: "时间",
    changedMeanwhile: "任务已发生变化：{0}", failed: "操作未成功：{0}", size_: "大小", path: "文件位置", link: "链接", key: "键", id: "标识", next_: "下次尝试",
    remote: "存储端", metadata: "元数据", created: "接收于", finished: "结束于", held_: "被 {0} 阻挡：{1}", inotify: "内核事件", poll: "轮询",
    renamed: "已改名移入", closedW: "写入后已关闭", lease: "没有程序打开它", still: "保持不变", never: "尚未", ago: "{0}前",
    needs: "需要您处理的", waits: "正在等待的", flows: "正在进行的",
    "queued": "排队中", "active": "传输中", "deferred": "稍后重试", "awaiting-confirmation": "等您答复", "awaiting-credentials": "等待密钥",
    "awaiting-network": "等待网络", "registered": "已登记", "aborted": "已中止", "cancelled": "已取消", "discarded": "已丢弃", sent: "{0} / {1}，{2}", left: "剩余 {0}",
  },
};
const GROUPS = { needs: ["awaiting-confirmation", "aborted"], waits: ["deferred", "awaiting-confirmation", "awaiting-credentials", "awaiting-network"], flows: ["queued", "active", "deferred"] };
const STATES = ["queued", "active", "deferred", "awaiting-confirmation", "awaiting-credentials", "awaiting-network", "registered", "aborted", "cancelled", "discarded"];
const WAITING = new Set(GROUPS.waits), UNFINISHED = new Set([...GROUPS.waits, "queued", "active"]), ENDED = new Set(["aborted", "cancelled"]);
const LIMIT = 100;

let language = sessionStorage.getItem("language") || (navigator.language.startsWith("zh") ? "zh" : "en");
const t = (key, ...values) => (WORDS[language][key] ?? key).replace(/\{(\d)\}/g, (_, n) => values[n]);

let token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
if (location.hash) {
  sessionStorage.setItem("token", token);
  history.replaceState(null, "", location.pathname);
}

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
// What turns the writing round, or cannot be seen, must not make one name look like another.
const plain = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
let saidTimer;
const say = (words) => {
  put($("said"), words);
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => put($("said"), ""), 8000);
};
// Runs soon, and not again before `pause` ms have passed: many events make one call.
const gathered = (pause, work) => {
  let timer, last = 0;
  return () => {
    if (timer) return;
    timer = setTimeout(async () => {
      timer = undefined;
      last = Date.now();
      try { await work(); } catch (error) { lost(error); }
    }, Math.max(100, last + pause - Date.now()));
  };
};

// --- calls

class Refused extends Error {
  constructor(status, problem) { super(problem.detail || problem.title || String(status)); this.status = status; }
}
const call = async (method, path, body, more) => {
  const headers = { "X-Waybill-Token": token };
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method, headers: { ...headers, ...(more || {}).headers }, body: body && JSON.stringify(body), signal: (more || {}).signal, cache: "no-store" });
  if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})));
  return more ? answer : answer.json();
};
const lost = (error) => {
  if (error instanceof Refused && error.status === 403) {
    show("off", "denied");
    verdict("bad", t("noToken"));
  } else if (error instanceof Refused && error.status < 500) say(t("failed", error.message));
};
const act = async (path, body) => {
  try {
    const answer = await call("POST", path, body);
    say(answer.message || t("done", count(answer.done), count(answer.refused)) + (answer.refusals.length ? ": " + plain(answer.refusals[0].detail) : ""));
    return true;
  } catch (error) {
    say(error instanceof Refused && error.status === 409 ? t("changedMeanwhile", plain(error.message)) : t("failed", plain(error.message)));
    return false;
  } finally {
    refreshStatus();
    refreshJobs();
  }
};

// --- how the daemon is

let status = null, connected = false;
const show = (how, words) => { $("live").className = how; put($("live"), t(words)); };
const verdict = (how, words) => { $("verdict").className = how; put($("verdict"), words); };
const drawStatus = () => {
  if (!status) return;
  const c = status.counts, all = status.pauses.find((p) => p.destination === "all");
  put($("about"), t("about", status.version, span(status.uptime)));
  put($("pause"), t(all ? "resumeAll" : "pauseAll"));
  const calls = [];
  if (status.ledger) calls.push(t("ledger", plain(status.ledger)));
  for (const [state, words] of [["awaiting-confirmation", "questions"], ["aborted", "ended"], ["awaiting-credentials", "keys"], ["awaiting-network", "net"]]) {
    if (c[state]) calls.push(t(words, count(c[state])));
  }
  for (const gate of status.gates) calls.push(t("closed", gate.destination));
  for (const pause of status.pauses) calls.push(t("paused", pause.destination));
  const waiting = Object.keys(c).reduce((n, s) => n + (UNFINISHED.has(s) ? c[s] : 0), 0);
  if (calls.length) verdict(status.ledger || c.aborted ? "bad" : "warn", calls.join(" · "));
  else verdict("good", t(waiting ? "good" : "idle"));
  put($("up"), count(status.activity.upload));
  put($("reg"), count(status.activity.register));
  put($("backlog"), count(waiting));
  const oldest = status.spools.map((s) => s.oldest_waiting).filter(Boolean).sort()[0];
  put($("backlog-more"), oldest ? t("oldestIs", since(oldest)) : t("nothing"));
  drawHolds();
  drawTransfers();
  drawSpools();
  drawChoices();
};
const drawHolds = () => {
  const items = status.gates.map((gate) => {
    const li = el("li"), until = gate.until ? t("until", clock(gate.until)) : "";
    li.append(el("span", t("closedFor", gate.destination, t("r_" + gate.reason), clock(gate.since)) + until), el("button", t("tryNow"), { type: "button", on: () => act("/v1/resume", target(gate.destination)) }));
    return li;
  }).concat(status.pauses.map((pause) => {
    const li = el("li");
    li.append(el("span", t("pausedFor", pause.destination, clock(pause.since))), el("button", t("resume"), { type: "button", on: () => act("/v1/resume", target(pause.destination)) }));
    return li;
  }));
  const list = $("holds").querySelector("ul");
  if (!list.contains(document.activeElement)) list.replaceChildren(...items);
  $("holds").hidden = items.length === 0;
};
const target = (name) => {
  const dot = name.indexOf(".");
  return name === "all" ? {} : name === "intake" ? { intake: true } : { [name.slice(0, dot)]: name.slice(dot + 1) };
};
const drawTransfers = () => {
  const list = $("transfers").querySelector("ul"), known = new Map([...list.children].map((li) => [li.dataset.job, li]));
  for (const transfer of status.transfers) {
    const key = String(transfer.job);
    const li = known.get(key) || el("li", null, { "data-job": key });
    if (!known.delete(key)) li.append(el("span"), el("progress", null, { "aria-label": plain(transfer.name) }), el("small", null, { class: "soft" }));
    const seconds = (Date.now() - Date.parse(transfer.since)) / 1000, rate = transfer.sent / Math.max(0.5, seconds);
    put(li.children[0], transfer.job + " " + plain(transfer.name));
    li.children[1].max = transfer.size;
    li.children[1].value = transfer.sent;
    const left = transfer.sent ? " · " + t("left", span((transfer.size - transfer.sent) / rate)) : "";
    put(li.children[2], t("sent", bytes(transfer.sent), bytes(transfer.size), t("perSecond", bytes(rate))) + left);
    if (!li.isConnected) list.append(li);
  }
  for (const li of known.values()) li.remove();
  $("transfers").hidden = status.transfers.length === 0;
};
// On a phone there are no heads of columns.
const labelled = (key, text) => el("td", text, { "data-head": t(key) });
const READY = { renamed: "renamed", closed: "closedW", lease: "lease", still: "still" };
const drawSpools = () => {
  const body = $("spools").tBodies[0];
  if (body.contains(document.activeElement)) return;
  body.replaceChildren(...status.spools.map((spool) => {
    const row = el("tr"), paused = status.pauses.some((p) => p.destination === "spool." + spool.name), acts = el("td", null, { class: "acts" });
    row.append(el("td", spool.name), el("td", plain(spool.path), { class: "name" }), labelled("watched", t(spool.watch)), labelled("ready", spool.readiness.map((r) => t(READY[r] || r)).join(" / ")),
      labelled("scanned", spool.last_scan ? t("ago", since(spool.last_scan)) : t("never")), labelled("oldest", spool.oldest_waiting ? since(spool.oldest_waiting) : "–"), acts);
    acts.append(el("button", t(paused ? "resume" : "pause"), { type: "button", "aria-label": t(paused ? "resume" : "pause") + " " + spool.name, on: () => act(paused ? "/v1/resume" : "/v1/pause", { spool: spool.name }) }));
    return row;
  }));
  const select = $("f-spool"), names = status.spools.map((s) => s.name);
  if ([...select.options].slice(1).map((o) => o.value).join("\n") !== names.join("\n")) {
    const value = select.value;
    while (select.options.length > 1) select.remove(1);
    for (const name of names) select.add(new Option(name, name));
    select.value = names.includes(value) ? value : "";
  }
};
const drawChart = async () => {
  const { minutes } = await call("GET", "/v1/throughput");
  const svg = $("chart"), ns = "http://www.w3.org/2000/svg", shapes = [];
  const most = Math.max(1, ...minutes.map((m) => m.registered)), deepest = Math.max(1, ...minutes.map((m) => m.backlog));
  const left = 60 - minutes.length;
  let line = "";
  minutes.forEach((minute, i) => {
    const x = (left + i) * 6, height = minute.registered / most * 84;
    if (height) {
      const bar = document.createElementNS(ns, "rect");
      for (const [name, value] of [["x", x + 0.5], ["y", 88 - height], ["width", 5], ["height", height]]) bar.setAttribute(name, value);
      shapes.push(bar);
    }
    line += (line ? "L" : "M") + (x + 3) + " " + (88 - minute.backlog / deepest * 84).toFixed(1);
  });
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", line);
  svg.replaceChildren(...shapes, path);
  const sum = (name) => minutes.reduce((n, m) => n + m[name], 0);
  const words = t("chartIs", count(sum("registered")), bytes(sum("bytes")), count(Math.max(0, ...minutes.map((m) => m.backlog))));
  svg.setAttribute("aria-label", words);
  put($("chart-more"), words);
};

// --- speed: what has gone by in the last seconds

const passed = { bytes: [], files: [] }, counted = new Map();
const pass = (list, n) => { const now = Date.now(); list.push([now, n]); while (list.length && list[0][0] < now - 10000) list.shift(); };
const rate = (list) => { const from = Date.now() - 10000; return list.reduce((n, [at, v]) => at >= from ? n + v : n, 0) / 10; };
const drawSpeed = () => {
  put($("up-more"), t("perSecond", bytes(rate(passed.bytes))));
  put($("reg-more"), t("files", rate(passed.files).toFixed(1)));
};
const noteTransfers = () => {
  const seen = new Set();
  for (const { job, sent } of status.transfers) {
    seen.add(job);
    if (counted.has(job)) pass(passed.bytes, Math.max(0, sent - counted.get(job)));
    counted.set(job, sent);
  }
  for (const job of counted.keys()) if (!seen.has(job)) counted.delete(job);
};

// --- jobs

let jobs = [], cursors = [""], nextPage = null, chosen = new Set();
const filter = () => {
  const chosenState = $("f-state").value, terms = {};
  if (chosenState) terms.state = GROUPS[chosenState] || [chosenState];
  for (const [id, name] of [["f-step", "step"], ["f-spool", "spool"], ["f-error", "error"]]) if ($(id).value) terms[name] = $(id).value;
  // A word alone is looked for anywhere in the name.
  const name = $("f-name").value.trim();
  if (name) terms.name = /[*?[]/.test(name) ? name : "*" + name + "*";
  return terms;
};
const drawChoices = () => {
  const select = $("f-state"), value = select.value;
  if (select.options.length === 0) {
    for (const name of [...Object.keys(GROUPS), "", ...STATES]) select.add(new Option("", name));
    select.value = "needs";
  }
  for (const option of select.options) {
    const states = GROUPS[option.value] || (option.value ? [option.value] : STATES);
    const n = status ? " (" + count(states.reduce((sum, s) => sum + status.counts[s], 0)) + ")" : "";
    put(option, t(option.value || "all") + n);
  }
  if (value) select.value = value;
};
const loadJobs = async () => {
  const asked = cursors[cursors.length - 1];
  const query = new URLSearchParams({ limit: LIMIT });
  for (const [name, value] of Object.entries(filter())) query.set(name, Array.isArray(value) ? value.join(",") : value);
  if (asked) query.set("after", asked);
  // What waits longest comes first; of what is over, the last.
  if (["", "registered", "aborted", "cancelled", "discarded"].includes($("f-state").value)) query.set("order", "newest");
  const page = await call("GET", "/v1/jobs?" + query);
  if (asked !== cursors[cursors.length - 1]) return;
  jobs = page.jobs;
  nextPage = page.next;
  drawJobs();
};
const drawJobs = () => {
  const body = $("jobs").tBodies[0], rows = new Map([...body.rows].map((row) => [row.dataset.job, row]));
  const had = document.activeElement, place = [...body.rows].indexOf(had && had.closest("tbody tr"));
  jobs.forEach((job, i) => {
    const key = String(job.job);
    let row = rows.get(key);
    if (!rows.delete(key)) row = newRow(key);
    fillRow(row, job);
    if (body.rows[i] !== row) body.insertBefore(row, body.rows[i] || null);
  });
  for (const row of rows.values()) row.remove();
  // Where the row that had the focus went away, what took its place has it.
  if (place >= 0 && !had.isConnected) (body.rows[Math.min(place, body.rows.length - 1)]?.querySelector(".link") || $("f-state")).focus();
  put($("none"), t("none"));
  $("none").hidden = jobs.length > 0;
  put($("page-no"), t("page", count(cursors.length)));
  $("prev").disabled = cursors.length < 2;
  $("next").disabled = !nextPage;
  drawChosen();
};
const newRow = (key) => {
  const row = el("tr", null, { "data-job": key });
  const box = el("input", null, { type: "checkbox" });
  box.addEventListener("change", () => { if (box.checked) chosen.add(+key); else chosen.delete(+key); drawChosen(); });
  const cells = ["", "nr", "name", "state", "what", "size", "when", "acts"].map((name) => el("td", null, name ? { class: name } : {}));
  cells[0].append(box);
  cells[2].append(el("button", "", { type: "button", class: "link", on: () => openJob(key) }));
  row.append(...cells);
  return row;
};
const stateWords = (job) => t(job.state) + (job.state === "registered" ? "" : " · " + t(job.step));
const happened = (job) => job.question || (job.error && job.error.message) || (job.held_by ? t("held_", job.held_by.destination, t("r_" + job.held_by.reason)) : job.link || "");
const fillRow = (row, job) => {
  const [box, number, name, state, what, size, when, acts] = row.cells;
  box.firstChild.setAttribute("aria-label", t("chooseJob", job.job));
  box.firstChild.checked = chosen.has(job.job);
  put(number, String(job.job));
  put(name.firstChild, plain(job.name));
  put(state, stateWords(job));
  state.className = "state s-" + job.state;
  const next = job.next_attempt_at ? t("until", clock(job.next_attempt_at)) : "";
  put(what, plain(happened(job)) + next);
  put(size, bytes(job.size));
  put(when, clock(job.updated_at));
  const fits = job.state + job.step + language;
  if (acts.dataset.fits !== fits) {
    acts.dataset.fits = fits;
    acts.replaceChildren(...buttons(job.job, job));
  }
};
const current = (number) => jobs.find((job) => job.job === number);
const buttons = (number, job) => {
  const list = [], label = (words) => ({ type: "button", "aria-label": words + " " + t("job") + " " + number });
  const add = (words, key, work) => list.push(el("button", words, { ...label(words), "data-key": key, on: () => work(current(number) || job) }));
  if (WAITING.has(job.state) || ENDED.has(job.state)) add(t("retry"), "r", (now) => act("/v1/jobs/" + number + "/retry", { revision: now.revision }));
  if (UNFINISHED.has(job.state)) add(t("cancelDots"), "c", (now) => askCancel(plain(now.name), "/v1/jobs/" + number + "/cancel", { revision: now.revision }));
  if (WAITING.has(job.state) && job.step === "upload") add(t("useLink"), "l", (now) => askLink(now));
  return list;
};
const drawChosen = () => {
  const every = $("everything").checked;
  for (const number of chosen) if (!jobs.some((job) => job.job === number)) chosen.delete(number);
  put($("chosen"), every ? t("allJobs") : t("chosen", count(chosen.size)));
  for (const id of ["b-retry", "b-cancel"]) $(id).disabled = every ? jobs.length === 0 : chosen.size === 0;
  $("page-all").checked = jobs.length > 0 && jobs.every((job) => chosen.has(job.job));
  $("page-all").setAttribute("aria-label", t("choosePage"));
};
// A filter that names nothing means all; the socket wants that said.
const meant = () => {
  if (!$("everything").checked) return { jobs: [...chosen] };
  const terms = filter();
  return Object.keys(terms).length ? terms : { all: true };
};

// --- what is asked before something is done

const ask = (title, words, parts) => new Promise((done) => {
  const dialog = $("ask");
  put($("a-title"), title);
  put($("a-do"), words);
  $("a-link").hidden = !parts.link;
  $("a-why").hidden = !parts.why;
  for (const id of ["a-url", "a-reason"]) $(id).value = "";
  $("a-url").required = Boolean(parts.link);
  $("a-remove").checked = false;
  dialog.returnValue = "";
  dialog.addEventListener("close", () => done(dialog.returnValue === "do"), { once: true });
  dialog.showModal();
});
const askCancel = async (what, path, body) => {
  if (!await ask(t("cancelTitle", what), t("cancelDo"), { why: true })) return;
  const reason = $("a-reason").value.trim();
  if (await act(path, { ...body, ...(reason ? { reason } : {}), ...($("a-remove").checked ? { remove: true } : {}) })) unchoose();
};
const askLink = async (job) => {
  if (!await ask(t("linkTitle", plain(job.name)), t("linkDo"), { link: true })) return;
  const link = $("a-url").value.trim();
  if (!link) return say(t("linkNeeded"));
  await act("/v1/jobs/" + job.job + "/confirm", { link, revision: job.revision });
};
const unchoose = () => { chosen.clear(); $("everything").checked = false; drawChosen(); };

// --- one job

let opened = null;
const openJob = async (number) => {
  opened = number;
  try {
    const job = await call("GET", "/v1/jobs/" + number);
    if (opened === number) drawJob(job);
  } catch (error) { lost(error); }
};
const table = (title, heads, rows) => {
  const node = el("table"), head = el("thead"), top = el("tr"), body = el("tbody"), box = el("div", null, { class: "scroll", role: "region", tabindex: "0", "aria-label": title });
  top.append(...heads.map((words) => el("th", words, { scope: "col" })));
  head.append(top);
  body.append(...rows.map((cells) => { const row = el("tr"); row.append(...cells.map((words) => el("td", words))); return row; }));
  node.append(head, body);
  box.append(node);
  return [el("h3", title), box];
};
const facts = (pairs) => {
  const list = el("dl");
  for (const [name, value] of pairs) if (value !== null && value !== undefined && value !== "") list.append(el("dt", name), el("dd", plain(String(value))));
  return list;
};
const drawJob = (job) => {
  put($("d-title"), job.job + " " + plain(job.name));
  $("d-acts").replaceChildren(...buttons(job.job, job));
  const receipts = job.receipts || {}, parts = [facts([
    [t("state"), stateWords(job)], [t("what"), happened(job)], [t("next_"), job.next_attempt_at && clock(job.next_attempt_at)], [t("spool"), job.spool],
    [t("size_"), bytes(job.size) + " (" + count(job.size) + ")"], [t("path"), job.path], [t("link"), job.link], [t("key"), job.key], ["SHA-256", job.sha256],
    [t("remote"), job.remote], [t("created"), clock(job.created_at)], [t("changed"), clock(job.updated_at)], [t("finished"), job.finished_at && clock(job.finished_at)],
    [t("id"), job.id], ...Object.entries(job.metadata || {}).map(([name, value]) => [t("metadata") + ": " + plain(name), value]),
  ])];
  if (job.attempts.length) parts.push(...table(t("attempts"), [t("step"), t("number"), t("from"), t("to"), t("result")],
    job.attempts.map((a) => [t(a.step), String(a.attempt), clock(a.started_at), clock(a.ended_at), a.outcome + (a.error ? ": " + plain(a.error.message) : "")])));
  parts.push(...table(t("history"), [t("time"), t("what"), t("step"), ""],
    job.history.map((h) => [clock(h.at), h.event, t(h.step), [h.by_user ? t("by", plain(h.by_user)) : "", plain(h.reason || "")].filter(Boolean).join(": ")])));
  for (const [step, receipt] of Object.entries(receipts)) {
    if (!receipt) continue;
    const flat = Object.entries(receipt).map(([name, value]) => [name, value && typeof value === "object" ? JSON.stringify(value) : value]);
    parts.push(el("h3", t("receipts") + ": " + t(step)), facts(flat));
  }
  $("d-body").replaceChildren(...parts);
  if (!$("detail").open) $("detail").showModal();
};

// --- events

const refreshStatus = gathered(400, async () => {
  status = await call("GET", "/v1/status");
  noteTransfers();
  drawStatus();
});
const refreshJobs = gathered(400, loadJobs);
const refreshChart = gathered(5000, drawChart);
const refreshOpened = gathered(400, async () => { if ($("detail").open && opened) await openJob(opened); });
const refreshAll = () => { refreshStatus(); refreshJobs(); refreshChart(); };

const heard = (event) => {
  const job = event.job;
  if (event.event === "uploaded" && job) pass(passed.bytes, Math.max(0, job.size - (counted.get(job.job) || 0)));
  if (event.event === "registered") pass(passed.files, 1);
  logged.push(event);
  if (logged.length > 100) logged.splice(0, logged.length - 100);
  drawLog();
  refreshStatus();
  refreshJobs();
  if (event.event === "uploaded" || event.event === "registered") refreshChart();
  if (job && String(job.job) === opened) refreshOpened();
};
const logged = [];
const drawLog = gathered(250, () => {
  $("log").replaceChildren(...logged.slice(-40).reverse().map((event) => {
    const li = el("li");
    li.append(el("time", clock(event.at), { datetime: event.at }), document.createTextNode((event.job ? event.job.job + " " : "") + plain(event.message)));
    return li;
  }));
});
let lastID = "";
const listen = async () => {
  const stop = new AbortController();
  let quiet;
  const alive = () => { clearTimeout(quiet); quiet = setTimeout(() => stop.abort(), 40000); };
  alive();
  try {
    const answer = await call("GET", "/v1/events", null, { headers: lastID ? { "Last-Event-ID": lastID } : {}, signal: stop.signal });
    connected = true;
    show("on", "live");
    refreshAll();
    const reader = answer.body.getReader(), decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      alive();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith("id: ")) lastID = line.slice(4);
        else if (line.startsWith("data: {\"")) heard(JSON.parse(line.slice(6)));
      }
    }
  } catch (error) {
    if (error instanceof Refused && error.status === 403) { lost(error); return; }
  } finally {
    clearTimeout(quiet);
  }
  connected = false;
  show("off", "off");
  setTimeout(listen, 1000);
};

// --- the page

const translate = () => {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const node of document.querySelectorAll("[data-t]")) put(node, t(node.dataset.t));
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", t(node.dataset.label));
  $("language").value = language;
  if (connected) show("on", "live");
  drawChoices();
  drawStatus();
  drawJobs();
  drawSpeed();
};
$("language").addEventListener("change", () => { language = $("language").value; sessionStorage.setItem("language", language); translate(); if (connected) refreshChart(); });
$("pause").addEventListener("click", () => act(status && status.pauses.some((p) => p.destination === "all") ? "/v1/resume" : "/v1/pause", {}));
const search = () => { cursors = [""]; unchoose(); refreshJobs(); };
$("filter").addEventListener("submit", (event) => { event.preventDefault(); search(); });
for (const id of ["f-state", "f-step", "f-spool"]) $(id).addEventListener("change", search);
let typing;
for (const id of ["f-name", "f-error"]) $(id).addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(search, 300); });
$("next").addEventListener("click", () => { if (nextPage) { cursors.push(nextPage); chosen.clear(); refreshJobs(); } });
$("prev").addEventListener("click", () => { if (cursors.length > 1) { cursors.pop(); chosen.clear(); refreshJobs(); } });
$("page-all").addEventListener("change", () => { for (const job of jobs) if ($("page-all").checked) chosen.add(job.job); else chosen.delete(job.job); drawJobs(); });
$("everything").addEventListener("change", drawChosen);
$("b-retry").addEventListener("click", async () => {
  if ($("everything").checked && !await ask(t("retryAll"), t("yes"), {})) return;
  if (await act("/v1/jobs/retry", meant())) unchoose();
});
$("b-cancel").addEventListener("click", () => askCancel($("everything").checked ? t("allJobs") : t("manyJobs", count(chosen.size)), "/v1/jobs/cancel", meant()));
$("detail").addEventListener("close", () => { opened = null; });
// In the list: arrows go from row to row, r, c and l are the buttons of the row that has the focus.
$("jobs").addEventListener("keydown", (event) => {
  const row = event.target.closest("tbody tr");
  if (!row || event.ctrlKey || event.altKey || event.metaKey) return;
  const to = event.key === "ArrowDown" ? row.nextElementSibling : event.key === "ArrowUp" ? row.previousElementSibling : null;
  if (to) to.querySelector(".link").focus(); else if (!row.querySelector(`[data-key="${CSS.escape(event.key)}"]`)) return; else row.querySelector(`[data-key="${CSS.escape(event.key)}"]`).click();
  event.preventDefault();
});
setInterval(() => {
  drawSpeed();
  if (!connected || document.hidden) return;
  if (status && status.transfers.length) refreshStatus();
}, 1000);
setInterval(() => { if (connected && !document.hidden) { refreshStatus(); refreshChart(); } }, 10000);
document.addEventListener("visibilitychange", () => { if (connected && !document.hidden) refreshAll(); });
show("", "off");
translate();
listen();
