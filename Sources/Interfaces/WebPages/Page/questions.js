// The questions, by kind: jobs in one state and step, for one reason. One answer for all of a kind.

const MOST_KINDS = 9;
let kinds = [], drawnKinds = "";
// The kind that the list of jobs is narrowed to.
let like = null;
const loadQuestions = async () => {
  const host = hostTerm(), { groups } = await call("GET", "/v1/groups?" + queryOf({ state: GROUPS.needs, ...host }));
  const asks = (kind) => (kind.state === "awaiting-confirmation" ? 0 : 1), known = new Map(kinds.map((kind) => [kind.digest, kind.one]));
  groups.sort((a, b) => asks(a) - asks(b));
  for (const kind of groups) {
    // The answer carries what is shown here: if the kind is another one by then, nothing is done.
    kind.terms = { ...host, like: kind.group, digest: kind.digest, state: [kind.state] };
  }
  // A kind of one is told with its job.
  for (const kind of groups.slice(0, MOST_KINDS).filter(({ count, group }) => count === 1 && group !== null)) {
    const { digest, ...terms } = kind.terms;
    kind.one = known.get(digest) || (await pageOf(queryOf(terms, { limit: 1 })).catch(() => ({ jobs: [] }))).jobs[0];
  }
  if (host.host !== hostTerm().host) return;
  kinds = groups;
  drawQuestions();
};
const drawQuestions = () => {
  const list = $("questions").querySelector("ul"), shown = kinds.slice(0, MOST_KINDS), rest = kinds.length - shown.length;
  const drawing = JSON.stringify([language, shown, rest]);
  if (drawing === drawnKinds) return;
  drawnKinds = drawing;
  const had = list.contains(document.activeElement) ? document.activeElement : null, place = had && [had.closest("li").dataset.group, had.dataset.key];
  list.replaceChildren(...shown.map(kindItem));
  put($("questions").querySelector("p"), rest > 0 ? t("moreKinds", count(rest)) : "");
  $("questions").hidden = kinds.length === 0;
  // A button with the focus has it again, if its kind is still there.
  if (place) (list.querySelector(`[data-group="${CSS.escape(place[0])}"] [data-key="${place[1]}"]`) || $("jobs-t")).focus({ preventScroll: true });
};
const kindItem = (kind) => {
  const li = el("li", null, { "data-group": String(kind.group) }), many = count(kind.count), number = jobCount(kind.count);
  const reason = kind.group === null ? t("otherReasons") : plain(kind.reason) || t("noReason"), words = t(kind.state) + " · " + t(kind.step) + ": " + reason;
  if (kind.one) {
    li.append(el("span", withHost(kind.one, plain(kind.one.name)) + " · " + words), ...buttons(kind.one), el("button", t("show"), { type: "button", "data-key": "s", "aria-label": t("show") + " " + t("job") + " " + numberOf(kind.one), on: () => openJob(kind.one.id) }));
    return li;
  }
  li.append(el("span", words));
  if (kind.group === null) { li.append(el("small", many)); return li; }
  const add = (key, name, work) => li.append(el("button", t(name, many), { type: "button", "data-key": key, "aria-label": t(name, many) + ": " + words, on: work }));
  if (TAKES.retry.includes(kind.state)) add("r", "retryKind", async () => {
    if (await ask(t("retryAll", number), t("yes"), {})) await act("/v1/jobs/retry", kind.terms);
  });
  if (TAKES.cancel.includes(kind.state)) add("c", "cancelKind", () => askCancel(number, "/v1/jobs/cancel", kind.terms));
  add("s", "showKind", () => narrow({ group: kind.group, words }));
  return li;
};
const narrow = (kind) => {
  $("filter").reset();
  like = kind;
  $("list").open = true;
  search();
  (like ? $("like").querySelector("button") : $("jobs-t")).focus();
};
const drawLike = () => {
  $("like").hidden = !like;
  if (like) put($("like").querySelector("span"), t("onlyLike", like.words));
};
