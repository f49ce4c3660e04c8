// Calls of the API, and how the daemon, its destinations and its spools are; of a fleet, its hosts too.

// --- calls

// A fragment of any other form is a place in the page.
const given = (location.hash.match(/^#([0-9a-f]{32})$/) || [])[1];
let token = given || sessionStorage.getItem("token") || "";
if (given) {
  sessionStorage.setItem("token", token);
  history.replaceState(null, "", location.pathname);
}

class Refused extends Error {
  constructor(status, problem) { super(problem.detail || problem.title || String(status)); this.status = status; this.code = problem.code; }
}
// Texts come in the page's language.
const call = async (method, path, body, more) => {
  const headers = { "Accept-Language": language, "X-Waybill-Token": token };
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method, headers: { ...headers, ...(more || {}).headers }, body: body && JSON.stringify(body), signal: (more || {}).signal, cache: "no-store" });
  if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})));
  return more ? answer : answer.json();
};
const lost = (error) => {
  if (!(error instanceof Refused) || error.status >= 500) return;
  if (error.status !== 403) return say(t("failed", told(error.message)));
  show("off", "denied");
  verdict("bad", error.code === "token" || error.code === "browser" ? t("noToken") : plain(error.message));
};
const act = async (path, body) => {
  try {
    const answer = await call("POST", path, body), refusal = answer.refusals && answer.refusals[0];
    say(told(answer.message || t("done", count(answer.done), count(answer.refused))) + (refusal ? ": " + told(refusal.detail) : ""));
    return true;
  } catch (error) {
    say(t(error instanceof Refused && error.status === 409 ? "changedMeanwhile" : "failed", told(error.message)));
    return false;
  } finally {
    refreshStatus();
    refreshJobs();
    refreshQuestions();
  }
};

// --- hosts: a daemon's own page has none

let status = null, connected = false;
// The host that the page is narrowed to.
const hostTerm = () => ($("f-host").value ? { host: $("f-host").value } : {});
const isHere = (it) => !$("f-host").value || it.host === $("f-host").value;
const withHost = (it, words) => (it.host ? plain(it.host) + ": " : "") + words;
const numberOf = (it) => (it.host ? plain(it.host) + ":" : "") + it.job;
const jobsIn = (states, counts) => states.reduce((n, state) => n + (counts[state] || 0), 0);
const countsHere = () => ((status.hosts || []).find((host) => host.host === $("f-host").value) || status).counts;
// On a phone there are no heads of columns.
const labelled = (key, text, attributes) => el("td", text, { "data-head": t(key), ...attributes });
// The names that a choice offers after "all".
const offer = (select, names) => {
  if ([...select.options].slice(1).map((option) => option.value).join("\n") === names.join("\n")) return;
  const value = select.value;
  while (select.options.length > 1) select.remove(1);
  for (const name of names) select.add(new Option(plain(name), name));
  select.value = names.includes(value) ? value : "";
};
const drawHosts = () => {
  const hosts = status.hosts || [];
  for (const id of ["hosts", "host-choice"]) $(id).hidden = !status.hosts;
  offer($("f-host"), hosts.map((host) => host.host));
  $("hosts").querySelector("tbody").replaceChildren(...hosts.map((host) => {
    const row = el("tr"), phases = Object.entries(PHASES).map(([phase, states]) => [phase, jobsIn(states, host.counts)]).filter(([, n]) => n > 0);
    row.append(el("td", plain(host.host), { class: "name" }), labelled("version", host.version),
      labelled("heard", (host.seen_at ? t("ago", since(host.seen_at)) : t("never")) + (host.late ? ", " + t("late") : ""), { class: host.late ? "s-aborted" : "" }),
      labelled("behind", host.behind ? count(host.behind) : "–"), labelled("jobs", phases.map(([phase, n]) => t("p_" + phase) + ": " + count(n)).join(", ")),
      labelled("trouble", plain(host.trouble || "–"), { class: "what" }));
    return row;
  }));
};

// --- how the daemon is

const show = (how, words) => { $("live").className = how; put($("live"), t(words)); };
const verdict = (how, words) => { $("verdict").className = how; put($("verdict"), words); };
// Of a fleet, all are paused if each host is.
const isAllPaused = () => {
  const hosts = (status.hosts || [{}]).filter(isHere);
  return hosts.length > 0 && hosts.every(({ host }) => status.pauses.some((pause) => pause.destination === "all" && pause.host === host));
};
const troubles = () => [...(status.ledger_fault ? [{ what: t("ledger", status.ledger_fault) }] : []), ...status.problems].filter(isHere);
const drawStatus = () => {
  if (!status) return;
  drawHosts();
  const c = countsHere(), gates = status.gates.filter(isHere), pauses = status.pauses.filter(isHere), spools = status.spools.filter(isHere);
  put($("about"), t("about", status.version, span(status.uptime)));
  put($("pause"), t(isAllPaused() ? "resumeAll" : "pauseAll"));
  const told = [["questions", c["awaiting-confirmation"]], ["ended", c.aborted], ["keys", c["awaiting-credentials"]], ["net", c["awaiting-network"]],
    ["onHold", gates.length], ["paused", pauses.length], ["faults", troubles().length]].filter(([, n]) => n > 0);
  const waiting = jobsIn([...UNFINISHED], c), untaken = $("f-host").value ? 0 : Object.values(status.untaken).reduce((n, m) => n + m, 0);
  const isBad = troubles().length > 0 || c.aborted > 0 || pauses.some((pause) => pause.destination === "recovered");
  if (told.length) verdict(isBad ? "bad" : "warn", told.map(([words, n]) => t(words, count(n))).join(" · "));
  else verdict("good", t(waiting || untaken ? "good" : "idle"));
  put($("up"), count(status.activity.upload));
  put($("reg"), count(status.activity.register));
  put($("backlog"), count(waiting));
  const oldest = spools.map((s) => s.oldest_waiting).filter(Boolean).sort()[0];
  put($("backlog-more"), [oldest ? t("oldestIs", since(oldest)) : "", untaken ? t("untaken", count(untaken)) : ""].filter(Boolean).join(" · ") || t("nothing"));
  drawPhases(c);
  drawHolds(gates, pauses);
  $("problems").querySelector("ul").replaceChildren(...troubles().map(troubleItem));
  $("problems").hidden = troubles().length === 0;
  drawTransfers(status.transfers.filter(isHere));
  drawChart(status.last_hour);
  drawSpools(spools);
  drawChoices();
};
// The jobs in five words, with the exact states behind them. A tile shows its jobs.
const drawPhases = (counts) => {
  const list = $("phases");
  if (list.children.length === 0) {
    for (const phase of Object.keys(PHASES)) {
      const tile = el("button", null, { type: "button", class: "card", "data-phase": phase, on: () => showStates("p_" + phase) });
      tile.append(el("span", null, { class: "big" }), el("span"), el("small"));
      list.append(tile);
    }
  }
  for (const tile of list.children) {
    const phase = tile.dataset.phase, [number, name, exact] = tile.children, states = PHASES[phase].filter((state) => counts[state] > 0);
    put(number, count(jobsIn(states, counts)));
    put(name, t("p_" + phase));
    exact.replaceChildren(...states.flatMap((state, i) => [i ? ", " : "", el("span", t(state) + ": " + count(counts[state]), { class: "s-" + state })]));
  }
};
const troubleItem = (problem) => {
  const words = withHost(problem, plain(problem.what)), whole = problem.remedy ? t("problem", words, plain(problem.remedy)) : words;
  return el("li", problem.since ? t("problemSince", whole, clock(problem.since)) : whole);
};
const drawHolds = (gates, pauses) => {
  const item = (hold, words, name) => {
    const li = el("li"), body = { ...(hold.host ? { host: hold.host } : {}), ...(hold.destination === "all" ? {} : { destination: hold.destination }) };
    li.append(el("span", words), el("button", t(name), { type: "button", "aria-label": t(name) + " " + withHost(hold, hold.destination), on: () => act("/v1/resume", body) }));
    return li;
  };
  const items = gates.map((gate) => {
    // Of a key the words say why it is on hold; of others, how the next try begins.
    const isOfKey = gate.reason === "credentials", why = gate.words && isOfKey ? plain(gate.words) : t("r_" + gate.reason);
    const more = (gate.until ? t("until", clock(gate.until)) : "") + (gate.words && !isOfKey ? t("way", plain(gate.words)) : "");
    return item(gate, t("closedFor", withHost(gate, gate.destination), why, clock(gate.since)) + more, "tryNow");
  }).concat(pauses.map((pause) => {
    const words = pause.destination === "recovered" ? withHost(pause, t("lookFirst", clock(pause.since))) : t("pausedFor", withHost(pause, pause.destination), clock(pause.since));
    return item(pause, words, "resume");
  }));
  const list = $("holds").querySelector("ul");
  if (!list.contains(document.activeElement)) list.replaceChildren(...items);
  $("holds").hidden = items.length === 0;
};
const drawTransfers = (transfers) => {
  const list = $("transfers").querySelector("ul"), known = new Map([...list.children].map((li) => [li.dataset.job, li]));
  for (const transfer of transfers) {
    const key = numberOf(transfer);
    const li = known.get(key) || el("li", null, { "data-job": key });
    if (!known.delete(key)) li.append(el("span"), el("progress", null, { "aria-label": plain(transfer.name) }), el("small", null, { class: "soft" }));
    const seconds = (Date.now() - Date.parse(transfer.since)) / 1000, rate = transfer.sent / Math.max(0.5, seconds);
    put(li.children[0], key + " " + plain(transfer.name));
    li.children[1].max = transfer.size;
    li.children[1].value = transfer.sent;
    const left = transfer.sent ? " · " + t("left", span((transfer.size - transfer.sent) / rate)) : "";
    put(li.children[2], t("sent", bytes(transfer.sent), bytes(transfer.size), t("perSecond", bytes(rate))) + left);
    if (!li.isConnected) list.append(li);
  }
  for (const li of known.values()) li.remove();
  $("transfers").hidden = transfers.length === 0;
};
const drawSpools = (spools) => {
  offer($("f-spool"), [...new Set(spools.map((spool) => spool.name))]);
  const body = $("spools").tBodies[0];
  if (body.contains(document.activeElement)) return;
  body.replaceChildren(...spools.map((spool) => {
    const destination = "spool." + spool.name, pause = status.pauses.find((p) => p.destination === destination && p.host === spool.host);
    const row = el("tr"), name = withHost(spool, spool.name), words = t(pause ? "resume" : "pause"), acts = el("td", null, { class: "acts" });
    row.append(el("td", name), el("td", plain(spool.path), { class: "name" }), labelled("watched", t(spool.watch)), labelled("ready", spool.readiness.map((sign) => t(sign)).join(" / ")),
      labelled("scanned", spool.last_scan ? t("ago", since(spool.last_scan)) : t("never")), labelled("oldest", spool.oldest_waiting ? since(spool.oldest_waiting) : "–"), acts);
    const of = { destination, ...(spool.host ? { host: spool.host } : {}) };
    acts.append(el("button", words, { type: "button", "aria-label": words + " " + name, on: () => act(pause ? "/v1/resume" : "/v1/pause", of) }));
    return row;
  }));
};
const drawChart = (minutes) => {
  const shape = (tag, values) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(values)) node.setAttribute(name, value);
    return node;
  };
  const most = Math.max(0, ...minutes), heights = minutes.map((n) => n / Math.max(1, most) * 84);
  const bars = heights.map((height, i) => shape("rect", { x: i * 6 + 0.5, y: 88 - height, width: 5, height })).filter((_, i) => heights[i] > 0);
  $("chart").replaceChildren(...[4, 46].map((y) => shape("line", { x1: 0, x2: 360, y1: y, y2: y })), ...bars);
  const words = t("chartIs", count(minutes.reduce((sum, n) => sum + n, 0)), count(most));
  $("chart").setAttribute("aria-label", words);
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
  for (const transfer of status.transfers) {
    const key = numberOf(transfer);
    seen.add(key);
    if (counted.has(key)) pass(passed.bytes, Math.max(0, transfer.sent - counted.get(key)));
    counted.set(key, transfer.sent);
  }
  for (const key of counted.keys()) if (!seen.has(key)) counted.delete(key);
};
