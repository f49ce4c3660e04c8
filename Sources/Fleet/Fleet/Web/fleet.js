"use strict";
// The fleet's page comes from the server with everything in it. This script puts it into the reader's language and clock, and
// asks for it again and again; a section in which somebody is at work stays as it is.

const all = (root, selector) => [...root.querySelectorAll(selector)];
const translate = (root) => {
  for (const node of all(root, "[data-t]")) {
    node.dataset.en ??= node.textContent;
    const values = (node.dataset.v ? JSON.parse(node.dataset.v) : []);
    put(node, language === "en" || !(node.dataset.t in WORDS[language]) ? node.dataset.en : t(node.dataset.t, ...values));
  }
  for (const node of all(root, "[data-said]")) {
    node.dataset.en ??= node.textContent;
    put(node, said(node.dataset.en, JSON.parse(node.dataset.said)));
  }
  for (const node of all(root, "[data-label]")) {
    node.dataset.en ??= node.getAttribute("aria-label");
    node.setAttribute("aria-label", language === "en" ? node.dataset.en : t(node.dataset.label));
  }
  for (const node of all(root, "time")) if (node.dateTime) put(node, clock(node.dateTime));
};
const speak = () => {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  translate(document);
  $("language").value = language;
};

// --- news

const policy = window.trustedTypes?.createPolicy("fleet", { createHTML: (text) => text }) ?? { createHTML: (text) => text };
// Each section as it came, before it was put into another language.
const known = new Map(all(document, "[data-live]").map((node) => [node.id, node.outerHTML]));
const isUsed = (node) => node.contains(document.activeElement) || !document.getSelection().isCollapsed && node.contains(document.getSelection().anchorNode);
const renew = async () => {
  const answer = await fetch(location.href, { cache: "no-store" });
  if (!answer.ok) throw new Error(String(answer.status));
  // The server's own page: texts in it are escaped, and a document that is parsed runs no scripts.
  const fresh = new DOMParser().parseFromString(policy.createHTML(await answer.text()), "text/html");
  for (const node of all(document, "[data-live]")) {
    const other = fresh.getElementById(node.id);
    if (!other || other.outerHTML === known.get(node.id) || isUsed(node)) continue;
    known.set(node.id, other.outerHTML);
    const next = document.importNode(other, true), scrolled = all(node, ".scroll").map((part) => part.scrollLeft);
    translate(next);
    node.replaceWith(next);
    all(next, ".scroll").forEach((part, i) => { part.scrollLeft = scrolled[i] ?? 0; });
  }
};
const pause = () => (document.querySelector("[data-soon]") ? 1000 : 10000);
const follow = async () => {
  try {
    if (!document.hidden) await renew();
    $("live").className = "on";
  } catch {
    $("live").className = "off";
    put($("live"), t("off"));
    known.delete("live");
  }
  setTimeout(follow, pause());
};

$("language").hidden = false;
$("language").addEventListener("change", () => { language = $("language").value; sessionStorage.setItem("language", language); speak(); });
speak();
if ("refresh" in document.body.dataset) setTimeout(follow, pause());
