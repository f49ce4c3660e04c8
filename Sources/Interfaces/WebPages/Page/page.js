// The operator's page. It asks what the API answers and shows it; names and words of servers are only ever set as text, because they
// are anybody's. The files before this one share its names; this one brings the page to life.

// --- events

const refreshStatus = gathered(400, async () => {
  const isFirst = !status;
  status = await call("GET", "/v1/status");
  noteTransfers();
  // Questions come with the first figures.
  if (isFirst) await loadQuestions().catch(lost);
  drawStatus();
});
const refreshJobs = gathered(400, loadJobs);
const refreshOpened = gathered(400, async () => { if ($("detail").open && opened) await openJob(opened); });
const refreshQuestions = gathered(1000, loadQuestions);
const refreshAll = () => { refreshStatus(); refreshJobs(); refreshQuestions(); refreshLog(); };

const heard = (event) => {
  const job = event.job;
  if (event.event === "uploaded" && job) pass(passed.bytes, Math.max(0, job.size - (counted.get(numberOf(job)) || 0)));
  if (event.event === "registered") pass(passed.files, 1);
  logged(event);
  refreshStatus();
  refreshJobs();
  refreshQuestions();
  if (job && job.id === opened) refreshOpened();
};
let lastID = "", stream;
const listen = async () => {
  const stop = stream = new AbortController(), inLanguage = language;
  let quiet;
  const alive = () => { clearTimeout(quiet); quiet = setTimeout(() => stop.abort(), 40000); };
  alive();
  try {
    const answer = await call("GET", "/v1/events", null, { headers: lastID ? { "Last-Event-ID": lastID } : {}, signal: stop.signal });
    connected = true;
    show("on", "live");
    refreshAll();
    const reader = answer.body.getReader(), decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      alive();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith("id: ")) lastID = line.slice(4);
        else if (line.startsWith("data: {\"")) {
          const message = JSON.parse(line.slice(6));
          if (message.event) heard(message);
        }
      }
    }
  } catch (error) {
    if (error instanceof Refused && error.status === 403) { lost(error); return; }
  } finally {
    clearTimeout(quiet);
  }
  if (language !== inLanguage) return listen();
  connected = false;
  show("off", "off");
  setTimeout(listen, 1000);
};

// --- the page

const translate = () => {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const node of document.querySelectorAll("[data-t]")) put(node, t(node.dataset.t));
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", t(node.dataset.label));
  for (const node of document.querySelectorAll("[data-hint]")) node.placeholder = t(node.dataset.hint);
  $("language").value = language;
  if (connected) show("on", "live");
  drawChoices();
  drawStatus();
  drawQuestions();
  drawJobs();
  drawLike();
  drawSpeed();
};
// All texts of the daemon are asked for again: they come in the language of the request.
const speak = (chosenLanguage) => {
  language = chosenLanguage;
  sessionStorage.setItem("language", language);
  translate();
  forgetLog();
  if (stream) stream.abort();
};
$("language").addEventListener("change", () => speak($("language").value));
$("pause").addEventListener("click", () => act(status && isAllPaused() ? "/v1/resume" : "/v1/pause", {}));
const search = () => { cursors = [""]; chosen.clear(); drawChosen(); drawLike(); refreshJobs(); };
const searchAnew = () => { like = null; search(); };
const showStates = (choice) => { $("list").open = true; $("f-state").value = choice; searchAnew(); $("jobs-t").focus(); };
$("list").open = sessionStorage.getItem("list") === "open";
$("list").addEventListener("toggle", () => { sessionStorage.setItem("list", $("list").open ? "open" : ""); refreshJobs(); });
$("like").querySelector("button").addEventListener("click", () => narrow(null));
$("filter").addEventListener("submit", (event) => { event.preventDefault(); searchAnew(); });
for (const id of ["f-state", "f-step", "f-spool"]) $(id).addEventListener("change", searchAnew);
$("f-host").addEventListener("change", () => { drawStatus(); drawLog(); searchAnew(); refreshQuestions(); });
let typing;
for (const id of ["f-name", "f-error"]) $(id).addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(searchAnew, 300); });
$("next").addEventListener("click", () => { if (nextPage) { cursors.push(nextPage); chosen.clear(); refreshJobs(); } });
$("prev").addEventListener("click", () => { if (cursors.length > 1) { cursors.pop(); chosen.clear(); refreshJobs(); } });
$("page-all").addEventListener("change", () => { for (const job of jobs) if ($("page-all").checked) chosen.add(job.id); else chosen.delete(job.id); drawJobs(); });
$("b-retry").addEventListener("click", async () => {
  const jobs = meant();
  if (chosen.size >= 20 && !await ask(t("retryAll", jobCount(chosen.size)), t("yes"), {})) return;
  if (await act("/v1/jobs/retry", jobs)) answered(jobs);
});
$("b-cancel").addEventListener("click", () => askCancel(jobCount(chosen.size), "/v1/jobs/cancel", meant()));
$("detail").addEventListener("close", () => { opened = null; });
setInterval(() => {
  drawSpeed();
  if (!connected || document.hidden) return;
  if (status && status.transfers.length) refreshStatus();
}, 1000);
setInterval(() => { if (connected && !document.hidden) { refreshStatus(); refreshQuestions(); } }, 10000);
document.addEventListener("visibilitychange", () => { if (connected && !document.hidden) refreshAll(); });
show("", "off");
translate();
listen();
