"use strict";
// Jobs that are alike: in one state and step, for one reason. One answer for all of them.

const MOST_GROUPS = 9;
// The group that the table is narrowed to.
let like = null;
let groups = [];
// The filter with which the groups were counted: an answer to one of them repeats it.
let groupTerms = {};
// Groups help at states that wait for somebody, of which there are few beside all jobs.
const groupable = () => statesOf($("f-state").value).every((state) => WAITING.has(state) || ENDED.has(state));
const loadGroups = async () => {
  const terms = filter();
  delete terms.like;
  groups = groupable() ? (await call("GET", "/v1/groups?" + queryOf(terms))).groups : [];
  groupTerms = terms;
  drawGroups();
};
const groupWords = (group) => {
  const reason = plain(saidOf(group, "reason")) || t("noReason");
  return t(group.state) + " · " + t(group.step) + ": " + (group.group === null ? t("otherReasons") : reason);
};
const drawGroups = () => {
  const list = $("groups").querySelector("ul"), shown = groups.slice(0, MOST_GROUPS), rest = groups.length - shown.length;
  $("groups").hidden = Boolean(like) || groups.reduce((n, group) => n + group.count, 0) < 2;
  put($("groups").querySelector("p"), rest > 0 ? t("moreKinds", count(rest)) : "");
  $("like").hidden = !like;
  if (like) put($("like").querySelector("span"), t("onlyLike", like.group, like.words));
  if (list.contains(document.activeElement)) return recountGroups(list, shown);
  list.replaceChildren(...shown.map((group) => {
    const li = el("li", null, { "data-group": String(group.group) }), many = count(group.count), words = groupWords(group);
    li.append(el("span", words));
    if (group.group === null) { li.append(el("small", many)); return li; }
    // The answer carries what is shown here: if the group is another one by then, nothing is done.
    const terms = { ...groupTerms, like: group.group, digest: group.digest, state: [group.state] };
    const add = (key, name, work) => li.append(el("button", t(name, many), { type: "button", "data-key": key, "aria-label": t(name, many) + ": " + words, on: work }));
    add("show", "showGroup", () => narrow({ group: group.group, words }));
    if (TAKES.retry.includes(group.state)) add("retry", "retryGroup", async () => {
      if (await ask(t("retryAll", jobCount(group.count)), t("yes"), {})) await act("/v1/jobs/retry", terms);
    });
    if (TAKES.cancel.includes(group.state)) add("cancel", "cancelGroup", () => askCancel(jobCount(group.count), "/v1/jobs/cancel", terms));
    return li;
  }));
};
// A button with the focus stays; its group is gone or has changed once another one is drawn.
const recountGroups = (list, shown) => {
  if (![...list.children].every((li) => shown.some((group) => String(group.group) === li.dataset.group))) {
    document.activeElement.blur();
    $("jobs-t").focus({ preventScroll: true });
    drawGroups();
  }
};
const narrow = (group) => {
  like = group;
  search();
  drawGroups();
  if (like) $("like").querySelector("button").focus();
};
