"use strict";
// One job with all that is known of it.

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
// A server's receipt, field by field; a field that this page has no word for keeps its name.
const receiptFacts = (receipt) => Object.entries(receipt).map(([name, value]) => {
  const words = "rc_" + name in WORDS.en ? t("rc_" + name) : name;
  if (value === null || value === "") return [words, null];
  if (name.endsWith("_at")) return [words, clock(value)];
  if (name === "size") return [words, bytes(value) + " (" + count(value) + ")"];
  if (name === "checksum") return [words, value.algorithm.toUpperCase() + " " + value.value + (value.type ? " (" + (t("rc_type_" + value.type)) + ")" : "")];
  if (name === "etag") return [words, value];
  return [words, typeof value === "object" ? JSON.stringify(value) : value];
});
const drawJob = (job) => {
  put($("d-title"), job.job + " " + plain(job.name));
  $("d-acts").replaceChildren(...buttons(job.job, job));
  const receipts = job.receipts || {}, parts = [facts([
    [t("state"), stateWords(job)], [t("what"), happened(job)], [t("standstill"), job.standstill && saidOf(job.standstill, "message")], [t("next_"), job.next_attempt_at && clock(job.next_attempt_at)], [t("spool"), job.spool],
    [t("size_"), bytes(job.size) + " (" + count(job.size) + ")"], [t("path"), job.path], [t("files_"), job.files && t("storedOf", count(job.files.stored), count(job.files.all))], [t("sidecar"), job.sidecar && plain(job.sidecar)], [t("link"), job.link], [t("key"), job.key], ["SHA-256", job.sha256],
    [t("remote"), job.remote], [t("givenBack"), job.released && t("givenTo", job.released.to, plain(job.released.by.user))], [t("created"), clock(job.created_at)], [t("changed"), clock(job.updated_at)], [t("finished"), job.finished_at && clock(job.finished_at)],
    [t("id"), job.id], ...Object.entries(job.metadata || {}).map(([name, value]) => [t("metadata") + ": " + plain(name), value]),
  ])];
  if (job.attempts.length) parts.push(...table(t("attempts"), [t("step"), t("number"), t("from"), t("to"), t("result")],
    job.attempts.map((a) => [t(a.step), String(a.attempt), clock(a.started_at), clock(a.ended_at), t("o_" + a.outcome) + (a.error ? ": " + plain(saidOf(a.error, "message")) : "")])));
  parts.push(...table(t("history"), [t("time"), t("what"), t("step"), ""],
    job.history.map((h) => [clock(h.at), t("e_" + h.event), t(h.step), [h.by ? t("by", plain(h.by.user)) : "", plain(saidOf(h, "reason") || "")].filter(Boolean).join(": ")])));
  for (const [step, receipt] of Object.entries(receipts)) {
    if (!receipt) continue;
    parts.push(el("h3", t("rc_" + step)), facts(receiptFacts(receipt)));
  }
  $("d-body").replaceChildren(...parts);
  if (!$("detail").open) $("detail").showModal();
};
