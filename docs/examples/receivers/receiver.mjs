// Receives Waybill's registrations: Node 18 or newer, standard library alone, one file.
//
// Run it:    RECEIVER_TOKEN_FILE=token RECEIVER_DATABASE=documents.jsonl RECEIVER_PORT=8080 node receiver.mjs
// Waybill:   [backend.main]
//            url   = "http://127.0.0.1:8080/documents"
//            token = { file = "/etc/waybill/keys/backend-token" }   # the same text as in the file "token"
//
// Each line of the file is a document with its Idempotency-Key: one write, so a crash leaves both or neither.
// Run one process for one file. It never waits between looking a key up and writing it, so no two requests are mixed.

import { createHash, timingSafeEqual } from "node:crypto";
import * as fs from "node:fs";
import { createServer } from "node:http";
import { dirname } from "node:path";

const database = process.env.RECEIVER_DATABASE ?? "documents.jsonl";
const token = "Bearer " + fs.readFileSync(process.env.RECEIVER_TOKEN_FILE, "utf8").trim();
const limit = 32 << 20; // Waybill sends no larger body
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");
const documents = new Map(); // by key
let file;

/** Reads what is there. A last line without its end was never answered: it is cut off. */
function open() {
  file = fs.openSync(database, "a+");
  const text = fs.readFileSync(database);
  const end = text.lastIndexOf("\n") + 1;
  fs.ftruncateSync(file, end);
  for (const line of text.subarray(0, end).toString().split("\n")) {
    if (line) documents.set(JSON.parse(line).key, JSON.parse(line));
  }
  for (const path of [database, dirname(database)]) {
    const opened = fs.openSync(path, "r");
    fs.fsyncSync(opened);
    fs.closeSync(opened);
  }
}

function register(key, body, { link, name }) {
  const fingerprint = hash(body);
  const done = documents.get(key);
  if (done) {
    return done.fingerprint === fingerprint ? [201, { number: done.number }]
      : [422, { error: "this Idempotency-Key came with another body before" }];
  }
  const document = { number: documents.size + 1, key, fingerprint, link, name };
  try {
    fs.appendFileSync(file, JSON.stringify(document) + "\n");
    fs.fsyncSync(file);
  } catch (error) { // What is on disk is not known any more. Without an answer Waybill tries again, after the restart.
    console.error(error);
    process.exit(1);
  }
  documents.set(key, document);
  return [201, { number: document.number }];
}

function answerTo(request, body) {
  const key = (request.headers["idempotency-key"] ?? "").replaceAll('"', "");
  if (request.url !== "/documents") return [404, { error: "registrations go to /documents" }];
  if (request.method !== "POST") return [405, { error: "registrations come by POST" }];
  if (!timingSafeEqual(Buffer.from(hash(request.headers.authorization ?? "")), Buffer.from(hash(token)))) return [401, { error: "the token is wrong" }];
  if (body.length > limit) return [413, { error: `a body may have ${limit} bytes` }];
  if (!key) return [400, { error: "Idempotency-Key is missing" }];
  let document;
  try { document = JSON.parse(body); } catch { /* as below */ }
  if (typeof document?.link !== "string" || typeof document?.name !== "string") return [400, { error: "this is no registration: link and name are needed" }];
  return register(key, body, document);
}

createServer(async (request, response) => {
  let [parts, size] = [[], 0];
  try { for await (const part of request) if ((size += part.length) <= limit + part.length) parts.push(part); } catch { return; }
  const [status, content] = answerTo(request, Buffer.concat(parts));
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(content));
}).listen(Number(process.env.RECEIVER_PORT ?? 8080), "127.0.0.1", open); // the port first: a second process ends here
