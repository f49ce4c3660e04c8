"use strict";
// The place of a file: why it is a job, is none, or is not yet one.

let explained = null;
const explain = async (path) => {
  try {
    explained = { path, files: (await call("GET", "/v1/explain?path=" + encodeURIComponent(path))).files };
    drawStanding();
  } catch (error) {
    explained = null;
    $("standing").replaceChildren(el("div", t("failed", plain(error.message))));
  }
};
const drawStanding = () => {
  if (!explained) return;
  $("standing").replaceChildren(...explained.files.map((file) => {
    const box = el("div");
    box.append(el("h3", plain(file.path) + (file.spool ? " · " + t("spool") + " " + file.spool : "")));
    for (const reason of file.reasons) box.append(el("p", told(reason.detail) + (reason.remedy ? t("remedyIs", plain(reason.remedy)) : ""), { "data-reason": reason.reason }));
    if (file.until) box.append(el("p", t("lookedAt", clock(file.until)), { class: "soft" }));
    if (file.jobs.length) {
      const jobs = el("p", t("itsJobs") + " ");
      for (const job of file.jobs) jobs.append(el("button", job.job + " (" + t(job.released ? "released" : job.state) + ")", { type: "button", class: "link", on: () => openJob(job.id) }), " ");
      box.append(jobs);
    }
    return box;
  }));
};
$("where").addEventListener("submit", (event) => { event.preventDefault(); explain($("w-path").value.trim()); });
