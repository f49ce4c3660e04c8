"use strict";
// The daemon's messages in Chinese, by their codes (messages.js is the table). In English a message comes as its text; what has no code
// is a server's or the system's words, and stays as it came.

const UNIT = { d: "天", h: "小时", min: "分钟", s: "秒", ms: "毫秒", us: "微秒" };
const lasting = (seconds) => {
  const us = Math.round(seconds * 1e6);
  if (us % 1e6 !== 0) return us < 1000 ? us + " 微秒" : us < 1e6 ? Math.round(us / 1000) + " 毫秒" : us / 1e6 + " 秒";
  const s = us / 1e6, parts = [[Math.floor(s / 86400), "d"], [Math.floor(s / 3600) % 24, "h"], [Math.floor(s / 60) % 60, "min"], [s % 60, "s"]];
  return parts.filter(([n]) => n > 0).map(([n, unit]) => n + " " + UNIT[unit]).join(" ") || "0 秒";
};
const NAMES = {
  storage: "存储", backend: "后端", open: "打开", read: "读取", list: "列出", make: "创建", write: "写入", remove: "删除", rename: "重命名", link: "链接",
  watch: "监视", sync: "同步", look: "查看", lock: "锁定", map: "映射",
};
const WORDED = { word: t, noun: t, Noun: t, name: (it) => NAMES[it] ?? it };
const KINDS = { seconds: lasting, bytes: (n) => bytes(n), time: (time) => clock(time) };
// A value in a message, or nothing if it has a message whose code is not known here.
const value = (it, style) => {
  if (it === null || typeof it !== "object") return style in WORDED ? WORDED[style](String(it)) : String(it);
  if ("code" in it) {
    const words = inChinese(it);
    return words !== undefined && style === "clause" && words.endsWith(".") ? words.slice(0, -1) : words;
  }
  const kind = Object.keys(it)[0];
  return kind in KINDS ? KINDS[kind](it[kind]) : undefined;
};
const inChinese = (message) => {
  if (!Object.hasOwn(MESSAGES, message.code)) return undefined;
  const [first, ...rest] = MESSAGES[message.code].split("{");
  let words = first;
  for (const piece of rest) {
    const end = piece.indexOf("}"), [name, style] = piece.slice(0, end).split(":");
    const shown = name in message.arguments ? value(message.arguments[name], style) : "…";
    if (shown === undefined) return undefined;
    words += shown + piece.slice(end + 1);
  }
  return words;
};
// A message, given its text, in the page's language.
const said = (text, message) => (language === "zh" && message ? inChinese(message) ?? text : text);
// The same for a member of an object, whose code and arguments stand beside it.
const saidOf = (object, member) => said(object[member], object[member + "_said"]);
