"use strict";
// The table of jobs, what is asked before something is done to them, and one job with all that is known of it.

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
  // Jobs that have waited longest come first; of finished jobs, the newest.
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
  // If the row with the focus has gone, the row in its place gets the focus.
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
const happened = (job) => said(job.question) || (job.error && said(job.error.message)) || (job.held_by ? t("held_", job.held_by.destination, t("r_" + job.held_by.reason)) : job.link || "");
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

// The same in words, with how many there are: a command on many is asked about first.
const meantWords = async (command) => {
  if (!$("everything").checked) return t("manyJobs", count(chosen.size));
  const terms = filter(), named = Object.keys(terms).length > 0;
  terms.state = terms.state ? terms.state.filter((s) => TAKES[command].includes(s)) : named ? FOR_FILTER[command] : FOR_ALL[command];
  let words = t("manyJobs", count(await found(terms)));
  if (terms.spool) words = t("ofSpool", words, terms.spool);
  if (terms.step) words = t("atStep", words, t(terms.step));
  if (terms.name) words = t("withName", words, plain(terms.name));
  if (terms.error) words = t("withReason", words, plain(terms.error));
  return t("inStates", words, terms.state.map((s) => t(s)).join(", "));
};
// Counts the jobs like that, page by page.
const found = async (terms) => {
  if (terms.state.length === 0) return 0;
  const query = new URLSearchParams({ limit: 1000 });
  for (const [name, value] of Object.entries(terms)) query.set(name, Array.isArray(value) ? value.join(",") : value);
  let n = 0, page;
  do {
    page = await call("GET", "/v1/jobs?" + query);
    n += page.jobs.length;
    query.set("after", page.next);
  } while (page.next);
  return n;
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
    job.attempts.map((a) => [t(a.step), String(a.attempt), clock(a.started_at), clock(a.ended_at), t("o_" + a.outcome) + (a.error ? ": " + plain(said(a.error.message)) : "")])));
  parts.push(...table(t("history"), [t("time"), t("what"), t("step"), ""],
    job.history.map((h) => [clock(h.at), t("e_" + h.event), t(h.step), [h.by_user ? t("by", plain(h.by_user)) : "", plain(said(h.reason || ""))].filter(Boolean).join(": ")])));
  for (const [step, receipt] of Object.entries(receipts)) {
    if (!receipt) continue;
    const flat = Object.entries(receipt).map(([name, value]) => [name, value && typeof value === "object" ? JSON.stringify(value) : value]);
    parts.push(el("h3", t("receipts") + ": " + t(step)), facts(flat));
  }
  $("d-body").replaceChildren(...parts);
  if (!$("detail").open) $("detail").showModal();
};
