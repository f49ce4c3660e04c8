// The log, the newest entry first: the events as they come, and older ones when they are asked for.

// The most entries that are kept while new ones come, and after somebody asked for older ones.
const LOG_PAGE = 40, MOST_ENTRIES = 120, MOST_OLDER = 1000;
// Entries by host and id. Older ones go on from a place: null at the end, undefined before the first page.
let entries = new Map(), older, most = MOST_ENTRIES;
const entryKey = (event) => (event.host || "") + " " + event.id;
const enter = (event) => entries.set(entryKey(event), event);
const forgetLog = () => { entries = new Map(); older = undefined; most = MOST_ENTRIES; };
const logPage = async (more) => {
  const asked = language, page = await call("GET", "/v1/log?" + new URLSearchParams({ limit: LOG_PAGE, ...more }));
  return asked === language ? page : null;
};
// The first page again: what came meanwhile is put before what is there, unless that is too much, or too far away.
const loadLog = async () => {
  const page = await logPage({});
  if (!page) return;
  if (older === undefined || entries.size > most || !page.events.some((event) => entries.has(entryKey(event)))) {
    forgetLog();
    older = page.next;
  }
  page.events.forEach(enter);
  drawLog();
};
const loadOlder = async () => {
  if (!older) return refreshLog();
  most = MOST_OLDER;
  let page;
  // A page may be empty before the end is reached.
  do {
    page = await logPage({ after: older });
    if (!page) return;
    older = page.next;
  } while (page.events.length === 0 && older !== null);
  page.events.forEach(enter);
  drawLog();
};
const refreshLog = gathered(1000, loadLog);
const logged = (event) => {
  enter(event);
  if (entries.size > most) refreshLog();
  drawSoon();
};
const drawLog = () => {
  // The numbers of one host have its order; those of several do not compare. Thousands may come before the first page is asked for again.
  const rows = [...entries.values()].filter(isHere).sort((a, b) => (a.host ? Date.parse(b.at) - Date.parse(a.at) : 0) || b.id - a.id).slice(0, most);
  $("log").replaceChildren(...(rows.length ? rows.map(logRow) : [el("li", t("quiet"), { class: "soft" })]));
  $("older").hidden = !older;
};
const drawSoon = gathered(250, drawLog);
const logRow = (event) => {
  const li = el("li");
  li.append(el("time", clock(event.at), { datetime: event.at }));
  if (event.job) li.append(el("button", numberOf(event.job), { type: "button", class: "link", "aria-label": t("job") + " " + numberOf(event.job), on: () => openJob(event.job.id) }), " ");
  li.append(withHost(event.job ? {} : event, plain(event.message)) + (event.reason ? " (" + plain(event.reason) + ")" : ""));
  return li;
};
$("older").addEventListener("click", () => loadOlder().catch(lost));
