// The list of jobs, and what is asked before something is done to them. Nothing is loaded for it until somebody opens it.

// --- jobs, by their ids: two hosts may give the same number

let jobs = [], cursors = [""], nextPage = null, chosen = new Set();
const statesOf = (choice) => GROUPS[choice] || (choice ? [choice] : STATES);
const filter = () => {
  const chosenState = $("f-state").value, terms = hostTerm();
  if (chosenState) terms.state = statesOf(chosenState);
  for (const [id, name] of [["f-step", "step"], ["f-spool", "spool"], ["f-error", "error"]]) if ($(id).value) terms[name] = $(id).value;
  const name = $("f-name").value.trim();
  if (name) terms.name = name;
  if (like) terms.like = like.group;
  return terms;
};
const queryOf = (terms, more) => {
  const query = new URLSearchParams(more);
  for (const [name, value] of Object.entries(terms)) query.set(name, Array.isArray(value) ? value.join(",") : value);
  return query;
};
const drawChoices = () => {
  const select = $("f-state");
  if (select.options.length === 0) for (const name of [...Object.keys(GROUPS), "", ...STATES]) select.add(new Option("", name));
  for (const option of select.options) put(option, t(option.value || "all") + (status ? " (" + count(jobsIn(statesOf(option.value), countsHere())) + ")" : ""));
};
// A page may be empty before the end.
const pageOf = async (query) => {
  let page;
  do {
    page = await call("GET", "/v1/jobs?" + query);
    query.set("after", page.next);
  } while (page.jobs.length === 0 && page.next);
  return page;
};
const loadJobs = async () => {
  if (!$("list").open) return;
  const asked = cursors[cursors.length - 1];
  const terms = filter(), query = queryOf(terms, { limit: LIMIT });
  if (asked) query.set("after", asked);
  // Jobs that have waited longest come first; of finished jobs, and of all, the newest.
  if (!terms.state || !terms.state.some((state) => UNFINISHED.has(state))) query.set("order", "newest");
  const page = await pageOf(query);
  if (asked !== cursors[cursors.length - 1]) return;
  jobs = page.jobs;
  nextPage = page.next;
  drawJobs();
};
const drawJobs = () => {
  const body = $("jobs").tBodies[0], rows = new Map([...body.rows].map((row) => [row.dataset.job, row]));
  const had = document.activeElement, place = [...body.rows].indexOf(had && had.closest("tbody tr"));
  jobs.forEach((job, i) => {
    let row = rows.get(job.id);
    if (!rows.delete(job.id)) row = newRow(job.id);
    fillRow(row, job);
    if (body.rows[i] !== row) body.insertBefore(row, body.rows[i] || null);
  });
  for (const row of rows.values()) row.remove();
  // If the row with the focus has gone, the row in its place gets the focus.
  if (place >= 0 && !had.isConnected) (body.rows[Math.min(place, body.rows.length - 1)]?.querySelector(".link") || $("f-state")).focus();
  put($("none"), jobs.length ? "" : t("noSuch") + (filter().state ? " " + t("lookInAll") : ""));
  $("none").hidden = jobs.length > 0;
  put($("page-no"), t("page", count(cursors.length)));
  $("prev").disabled = cursors.length < 2;
  $("next").disabled = !nextPage;
  drawChosen();
};
const newRow = (id) => {
  const row = el("tr", null, { "data-job": id });
  const box = el("input", null, { type: "checkbox" });
  box.addEventListener("change", () => { if (box.checked) chosen.add(id); else chosen.delete(id); drawChosen(); });
  const cells = ["", "nr", "name", "state", "what", "size", "when", "acts"].map((name) => el("td", null, name ? { class: name } : {}));
  cells[0].append(box);
  cells[2].append(el("button", "", { type: "button", class: "link", on: () => openJob(id) }));
  row.append(...cells);
  return row;
};
const stateWords = (job) => job.released ? t("released") : t(job.state) + (job.state === "registered" ? "" : " · " + t(job.step));
const happened = (job) => job.question || (job.error && job.error.message) || (job.held_by ? t("heldBy", job.held_by.destination, t("r_" + job.held_by.reason)) : job.link || "");
const fillRow = (row, job) => {
  const [box, number, name, state, what, size, when, acts] = row.cells;
  box.firstChild.setAttribute("aria-label", t("chooseJob", numberOf(job)));
  box.firstChild.checked = chosen.has(job.id);
  put(number, numberOf(job));
  put(name.firstChild, plain(job.name) + (job.group_files == null ? "" : " " + t("ofFiles", count(job.group_files))));
  put(state, stateWords(job));
  state.className = "state s-" + job.state;
  const next = job.next_attempt_at ? t("until", clock(job.next_attempt_at)) : "";
  put(what, plain(happened(job)) + next);
  put(size, bytes(job.size));
  put(when, clock(job.updated_at));
  const fits = job.state + job.step + language;
  if (acts.dataset.fits !== fits) {
    acts.dataset.fits = fits;
    acts.replaceChildren(...buttons(job, () => current(job.id) || job));
  }
};
const current = (id) => jobs.find((job) => job.id === id);
const buttons = (job, now = () => job) => {
  const list = [], label = (words) => ({ type: "button", "aria-label": words + " " + t("job") + " " + numberOf(job) });
  const add = (words, key, work) => list.push(el("button", words, { ...label(words), "data-key": key, on: () => work(now()) }));
  if (TAKES.retry.includes(job.state)) add(t("retry"), "r", ({ id, revision }) => act("/v1/jobs/" + id + "/retry", { revision }));
  if (TAKES.cancel.includes(job.state)) add(t("cancelDots"), "c", ({ id, name, revision }) => askCancel(plain(name), "/v1/jobs/" + id + "/cancel", { revision }));
  return list;
};
const drawChosen = () => {
  for (const id of chosen) if (!current(id)) chosen.delete(id);
  put($("chosen"), t("chosen", count(chosen.size)));
  for (const id of ["b-retry", "b-cancel"]) $(id).disabled = chosen.size === 0;
  $("page-all").checked = jobs.length > 0 && jobs.every((job) => chosen.has(job.id));
};
const meant = () => ({ jobs: [...chosen].map((id) => ({ job: id, revision: current(id)?.revision })) });

// --- what is asked before something is done

const ask = (title, words, parts) => new Promise((done) => {
  const dialog = $("ask");
  put($("a-title"), title);
  put($("a-do"), words);
  $("a-why").hidden = !parts.why;
  $("a-reason").value = "";
  $("a-remove").checked = false;
  dialog.returnValue = "";
  dialog.addEventListener("close", () => done(dialog.returnValue === "do"), { once: true });
  dialog.showModal();
});
const askCancel = async (what, path, body) => {
  if (!await ask(t("cancelTitle", what), t("cancelDo"), { why: true })) return;
  const reason = $("a-reason").value.trim();
  if (await act(path, { ...body, ...(reason ? { reason } : {}), ...($("a-remove").checked ? { remove: true } : {}) })) answered(body);
};
// Jobs that were asked about are no longer chosen; those chosen since stay.
const answered = (asked) => {
  for (const { job } of asked.jobs || []) chosen.delete(job);
  drawChosen();
};
