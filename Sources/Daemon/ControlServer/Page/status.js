"use strict";
// Calls of the control socket, and how the daemon, its destinations and its spools are.

// --- calls

// A fragment of any other form is a place in the page.
const given = (location.hash.match(/^#([0-9a-f]{32})$/) || [])[1];
let token = given || sessionStorage.getItem("token") || "";
if (given) {
  sessionStorage.setItem("token", token);
  history.replaceState(null, "", location.pathname);
}

class Refused extends Error {
  constructor(status, problem) { super(problem.detail || problem.title || String(status)); this.status = status; this.said = problem.detail_said; }
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
    say(saidOf(answer, "message") || t("done", count(answer.done), count(answer.refused)) + (answer.refusals.length ? ": " + plain(saidOf(answer.refusals[0], "detail")) : ""));
    return true;
  } catch (error) {
    say(error instanceof Refused && error.status === 409 ? t("changedMeanwhile", plain(said(error.message, error.said))) : t("failed", plain(said(error.message, error.said))));
    return false;
  } finally {
    refreshStatus();
    refreshJobs();
    refreshGroups();
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
  const calls = [], lost = status.pauses.find((p) => p.destination === "recovered");
  for (const problem of status.problems) calls.push(plain(saidOf(problem, "what")));
  if (lost) calls.push(t("recovered", count(c.queued + c.deferred + c["awaiting-credentials"] + c["awaiting-network"])));
  if (status.ledger_fault) calls.push(t("ledger", plain(saidOf(status, "ledger_fault"))));
  for (const [state, words] of [["awaiting-confirmation", "questions"], ["aborted", "ended"], ["awaiting-credentials", "keys"], ["awaiting-network", "net"]]) {
    if (c[state]) calls.push(t(words, count(c[state])));
  }
  for (const gate of status.gates) calls.push(t("closed", gate.destination));
  for (const pause of status.pauses) if (pause !== lost) calls.push(t("paused", pause.destination));
  const waiting = Object.keys(c).reduce((n, s) => n + (UNFINISHED.has(s) ? c[s] : 0), 0);
  const untaken = Object.values(status.untaken).reduce((n, m) => n + m, 0), stand = untaken ? t("untaken", count(untaken)) : "";
  if (calls.length) verdict(lost || status.problems.length || status.ledger_fault || c.aborted ? "bad" : "warn", calls.join(" · "));
  else verdict("good", t(waiting || untaken ? "good" : "idle"));
  put($("up"), count(status.activity.upload));
  put($("reg"), count(status.activity.register));
  put($("up-slots"), slots("storage."));
  put($("reg-slots"), slots("backend."));
  put($("backlog"), count(waiting));
  const oldest = status.spools.map((s) => s.oldest_waiting).filter(Boolean).sort()[0];
  put($("backlog-more"), [oldest ? t("oldestIs", since(oldest)) : "", stand].filter(Boolean).join(" · ") || t("nothing"));
  drawPhases();
  drawProblems();
  drawHolds();
  drawTransfers();
  drawSpools();
  drawChoices();
};
// The jobs in five words, with the exact states behind them. A tile shows its jobs.
const PHASE_STYLES = { "needs-you": "s-awaiting-confirmation", stopped: "s-aborted" };
const drawPhases = () => {
  const list = $("phases");
  if (list.children.length === 0) {
    for (const phase of Object.keys(PHASES)) {
      const tile = el("button", null, { type: "button", "data-phase": phase, on: () => showStates("p_" + phase) });
      tile.append(el("span"), el("span"), el("small"));
      list.append(tile);
    }
  }
  for (const tile of list.children) {
    const phase = tile.dataset.phase, [number, name, exact] = tile.children, n = PHASES[phase].reduce((sum, state) => sum + status.counts[state], 0);
    put(number, count(n));
    number.className = "big " + (n > 0 ? PHASE_STYLES[phase] || "" : "");
    put(name, t("p_" + phase));
    put(exact, PHASES[phase].filter((state) => status.counts[state] > 0).map((state) => t(state) + ": " + count(status.counts[state])).join(", "));
    tile.className = "card";
  }
};
// Where each destination has a limit of its own.
const slots = (kind) => status.destinations.filter((d) => d.destination.startsWith(kind) && d.concurrency.adaptive)
  .map((d) => t("atOnce", d.destination, count(d.concurrency.in_flight), count(d.concurrency.limit))).join(" · ");
const drawProblems = () => {
  $("problems").querySelector("ul").replaceChildren(...status.problems.map((problem) => {
    const words = problem.remedy ? t("problem", plain(saidOf(problem, "what")), plain(saidOf(problem, "remedy"))) : plain(saidOf(problem, "what"));
    return el("li", t("problemSince", words, clock(problem.since)));
  }));
  $("problems").hidden = status.problems.length === 0;
};
const drawHolds = () => {
  const items = status.gates.map((gate) => {
    const li = el("li"), until = gate.until ? t("until", clock(gate.until)) : "";
    // Of a key the words say why it is on hold; of others, how the next try begins.
    const isOfKey = gate.reason === "credentials", way = gate.words && !isOfKey ? t("way", saidOf(gate, "words")) : "";
    const why = gate.words && isOfKey ? saidOf(gate, "words") : t("r_" + gate.reason);
    li.append(el("span", t("closedFor", gate.destination, why, clock(gate.since)) + until + way), el("button", t("tryNow"), { type: "button", on: () => act("/v1/resume", target(gate.destination)) }));
    return li;
  }).concat(status.pauses.map((pause) => {
    const li = el("li");
    li.append(el("span", pause.destination === "recovered" ? t("lookFirst", clock(pause.since)) : t("pausedFor", pause.destination, clock(pause.since))), el("button", t("resume"), { type: "button", on: () => act("/v1/resume", target(pause.destination)) }));
    return li;
  }));
  const list = $("holds").querySelector("ul");
  if (!list.contains(document.activeElement)) list.replaceChildren(...items);
  $("holds").hidden = items.length === 0;
};
const target = (name) => (name === "all" ? {} : { destination: name });
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
  const most = Math.max(1, ...minutes.map((m) => m.registered)), deepest = Math.max(1, ...minutes.map((m) => m.most));
  const left = 60 - minutes.length;
  let line = "";
  minutes.forEach((minute, i) => {
    const x = (left + i) * 6, height = minute.registered / most * 84;
    if (height) {
      const bar = document.createElementNS(ns, "rect");
      for (const [name, value] of [["x", x + 0.5], ["y", 88 - height], ["width", 5], ["height", height]]) bar.setAttribute(name, value);
      shapes.push(bar);
    }
    line += (line ? "L" : "M") + (x + 3) + " " + (88 - minute.most / deepest * 84).toFixed(1);
  });
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", line);
  // The scale: a line at its top and one half way down, both of the values that are said below.
  for (const y of [4, 46]) {
    const rule = document.createElementNS(ns, "line");
    for (const [name, value] of [["x1", 0], ["x2", 360], ["y1", y], ["y2", y]]) rule.setAttribute(name, value);
    shapes.unshift(rule);
  }
  svg.replaceChildren(...shapes, path);
  const sum = (name) => minutes.reduce((n, m) => n + m[name], 0);
  const words = t("chartIs", count(sum("registered")), bytes(sum("bytes")), count(Math.max(0, ...minutes.map((m) => m.most))));
  put($("chart-scale"), t("chartScale", count(most), count(deepest)));
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
