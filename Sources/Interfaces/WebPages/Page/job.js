// One job with all that is known of it.

let opened = null;
const openJob = async (id) => {
  opened = id;
  try {
    const job = await call("GET", "/v1/jobs/" + id);
    if (opened === id) drawJob(job);
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
// A server's receipt, field by field; a field that this page has no word for keeps its name.
const receiptFacts = (receipt) => Object.entries(receipt).map(([name, value]) => {
  if (value === null) return [t(name), null];
  if (name.endsWith("_at")) return [t(name), clock(value)];
  if (name === "size") return [t(name), bytes(value) + " (" + count(value) + ")"];
  if (name === "checksum") return [t(name), value.algorithm.toUpperCase() + " " + value.value + (value.type ? " (" + t("type_" + value.type) + ")" : "")];
  return [t(name), typeof value === "object" ? JSON.stringify(value) : value];
});
const drawJob = (job) => {
  put($("d-title"), numberOf(job) + " " + plain(job.name));
  $("d-acts").replaceChildren(...buttons(job));
  const parts = [facts([
    [t("state"), stateWords(job)], [t("events"), happened(job)], [t("now"), job.standstill && told(job.standstill.message)], [t("nextTry"), job.next_attempt_at && clock(job.next_attempt_at)],
    [t("spool"), job.spool], [t("size"), bytes(job.size) + " (" + count(job.size) + ")"], [t("path"), job.path], [t("files_"), job.files && t("storedOf", count(job.files.stored), count(job.files.all))],
    [t("sidecar"), job.sidecar], [t("link"), job.link], [t("key"), job.key], [t("sha256"), job.sha256], [t("remote"), job.remote && t(job.remote)],
    [t("released"), job.released && t("givenTo", job.released.to, job.released.by.user)], [t("created"), clock(job.created_at)], [t("changed"), clock(job.updated_at)],
    [t("finished"), job.finished_at && clock(job.finished_at)], [t("id"), job.id], ...Object.entries(job.metadata || {}).map(([name, value]) => [t("metadata") + ": " + plain(name), value]),
  ])];
  if (job.attempts.length) parts.push(...table(t("attempts"), [t("step"), t("number"), t("from"), t("to"), t("result")],
    job.attempts.map((a) => [t(a.step), String(a.attempt), clock(a.started_at), clock(a.ended_at), t("o_" + a.outcome) + (a.error ? ": " + plain(a.error.message) : "")])));
  parts.push(...table(t("history"), [t("time"), t("events"), t("step"), ""],
    job.history.map((h) => [clock(h.at), t(h.event), t(h.step), [h.by ? t("by", plain(h.by.user)) : "", plain(h.reason || "")].filter(Boolean).join(": ")])));
  for (const [step, receipt] of Object.entries(job.receipts || {})) if (receipt) parts.push(el("h3", t("receipt_" + step)), facts(receiptFacts(receipt)));
  $("d-body").replaceChildren(...parts);
  if (!$("detail").open) $("detail").showModal();
};
