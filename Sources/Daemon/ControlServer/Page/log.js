"use strict";
// What happened and who did it, the newest first: the events as they come, and older ones when they are asked for.

// The most entries that are kept while new ones come, and after somebody asked for older ones.
const LOG_PAGE = 40, MOST_ENTRIES = 120, MOST_OLDER = 1000;
const LOG_KINDS = { all: {}, people: { by: "*" }, trouble: { event: "question,aborted,gate-closed,spool-problem,ledger-problem" } };
let entries = new Map(), hasOlder = false, most = MOST_ENTRIES;
const logPage = async (more) => {
  const kind = $("l-kind").value;
  const page = await call("GET", "/v1/log?" + new URLSearchParams({ ...LOG_KINDS[kind], limit: LOG_PAGE, ...more }));
  return kind === $("l-kind").value ? page : null;
};
// The first page again: what came meanwhile is put before what is there.
const loadLog = async () => {
  const page = await logPage({});
  if (!page) return;
  if (!page.events.some((event) => entries.has(event.id))) {
    entries = new Map();
    hasOlder = page.next !== null;
  }
  for (const event of page.events) entries.set(event.id, event);
  drawLog();
};
const loadOlder = async () => {
  most = MOST_OLDER;
  let after = Math.min(...entries.keys()), page;
  // A page may be empty before the end is reached.
  do {
    page = await logPage({ after });
    if (!page) return;
    after = page.next;
  } while (page.events.length === 0 && after !== null);
  for (const event of page.events) entries.set(event.id, event);
  hasOlder = after !== null;
  drawLog();
};
const refreshLog = gathered(1000, loadLog);
const logged = (event) => {
  if ($("l-kind").value !== "all") return refreshLog();
  entries.set(event.id, event);
  if (entries.size > most) {
    entries.delete(Math.min(...entries.keys()));
    hasOlder = true;
  }
  drawSoon();
};
const drawLog = () => {
  const rows = [...entries.values()].sort((a, b) => b.id - a.id);
  $("log").replaceChildren(...(rows.length ? rows.map(logRow) : [el("li", t("quiet"), { class: "soft" })]));
  $("older").hidden = !hasOlder || rows.length === 0;
};
const drawSoon = gathered(250, drawLog);
const logRow = (event) => {
  const li = el("li"), reason = event.reason ? " (" + plain(saidOf(event, "reason")) + ")" : "";
  li.append(el("time", clock(event.at), { datetime: event.at }));
  if (event.job) li.append(el("button", String(event.job.job), { type: "button", class: "link", "aria-label": t("job") + " " + event.job.job, on: () => openJob(String(event.job.job)) }), " ");
  li.append(plain(saidOf(event, "message")) + reason);
  return li;
};
$("l-kind").addEventListener("change", () => { entries = new Map(); hasOlder = false; most = MOST_ENTRIES; refreshLog(); });
$("older").addEventListener("click", () => loadOlder().catch(lost));
