"use strict";
// The daemon's own sentences in Chinese. A pattern's groups are names, numbers or sentences again; what fits no pattern is a
// server's or the system's, and stays as it came.

const inSeconds = (time) => time.replace(/ seconds$/, " 秒");
const STEP = { Upload: "上传", Registration: "登记" };
const SAID = [
  // Jobs (Sentences, JobEvent.message)
  [/^(Upload|Registration) of (.+) failed: (.*)\. Retry\?$/s, (s, name, why) => `${STEP[s]} ${name} 失败：${said(why)}。重试吗？`],
  [/^(Upload|Registration) of (.+) failed\. Retry\?$/s, (s, name) => `${STEP[s]} ${name} 失败。重试吗？`],
  [/^(Upload|Registration) of (.+) deferred: (.*)$/s, (s, name, why) => `${STEP[s]} ${name} 稍后重试：${said(why)}`],
  [/^(Upload|Registration) of (.+) waits for a key: (.*)$/s, (s, name, why) => `${STEP[s]} ${name} 等待密钥：${said(why)}`],
  [/^(Upload|Registration) of (.+) waits for the network: (.*)$/s, (s, name, why) => `${STEP[s]} ${name} 等待网络：${said(why)}`],
  [/^(Upload|Registration) of (.+) aborted: service unavailable \(503\)$/s, (s, name) => `${STEP[s]} ${name} 已中止：服务不可用 (503)`],
  [/^(Upload|Registration) of (.+) cancelled by (.+)$/s, (s, name, by) => `${by} 取消了${STEP[s]} ${name}`],
  [/^(Upload|Registration) of (.+) confirmed by (.+)$/s, (s, name, by) => `${by} 确认重试${STEP[s]} ${name}`],
  [/^(Upload|Registration) of (.+) retried by (.+)$/s, (s, name, by) => `${by} 重新安排${STEP[s]} ${name}`],
  [/^(.+) admitted as job (\d+)$/s, (name, job) => `${name} 已接收为任务 ${job}`],
  [/^(.+) uploaded and registered$/s, (name) => `${name} 已上传并登记`],
  [/^(.+) uploaded$/s, (name) => `${name} 已上传`],
  [/^(.+) released by (.+)$/s, (name, by) => `${by} 取回了 ${name}`],
  [/^(.+) discarded by (.+)$/s, (name, by) => `${by} 丢弃了 ${name}`],
  [/^(.+) is now at (.+)$/s, (name, host) => `${name} 已转到 ${host === "another host" ? "另一台主机" : host}`],
  [/^Nothing of (.+) is left at (\S+)$/s, (name, at) => `${at} 上已没有 ${name} 的任何内容`],
  [/^The object of (.+) is left at (\S+)$/s, (name, at) => `${name} 的对象留在 ${at}`],
  [/^The object of (.+) may be left at (\S+): (.*)$/s, (name, at, why) => `${name} 的对象可能留在 ${at}：${said(why)}`],
  [/^The object (.+) of job (\d+) may be left at (\S+): (.*)$/s, (key, job, at, why) => `任务 ${job} 的对象 ${key} 可能留在 ${at}：${said(why)}`],
  // Answers to commands (ControlAnswer.swift, CommandService)
  [/^Job (\d+) is (.+); this command does not apply$/s, (job, state) => `任务 ${job} 现为“${t(state.split(" ")[0])}”，此命令不适用`],
  [/^Job (\d+) has changed: its revision is (\d+), not (\d+)$/, (job, now, seen) => `任务 ${job} 已变化：修订为 ${now}，不是 ${seen}`],
  [/^job (\S+) is not known$/, (job) => `没有任务 ${job}`],
  [/^job (\S+) is (\S+)$/, (job, state) => `任务 ${job} 现为“${t(state)}”`],
  [/^job (\S+) is left as it is: (.*)$/s, (job, why) => `任务 ${job} 保持不变：${said(why)}`],
  [/^There is no job (\S+)$/, (job) => `没有任务 ${job}`],
  [/^There is no group (\d+); the groups are shown by: (waybill .+)$/, (group, command) => `没有组 ${group}；各组见 ${command}`],
  [/^backend\.(\S+) is no longer configured, so the link cannot be registered there$/, (name) => `backend.${name} 已不在配置中，无法在那里登记链接`],
  [/^The daemon is stopping$/, () => "守护进程正在停止"],
  // Gates and pauses
  [/^(\S+) is on hold: (.*)$/s, (at, why) => `${at} 暂不使用：${said(why)}`],
  [/^(\S+) is in use again$/, (at) => `${at} 恢复使用`],
  [/^(\S+) (?:is |was )?paused by (.+)$/s, (at, by) => `${by} 暂停了 ${at}`],
  [/^(\S+) (?:is |was )?resumed by (.+)$/s, (at, by) => `${by} 继续了 ${at}`],
  [/^service unavailable \(503\)$/, () => "服务不可用 (503)"],
  [/^server errors or time-outs$/, () => "服务器一再出错或超时"],
  [/^too many requests \(429\)$/, () => "请求过多 (429)"],
  [/^its key was refused or cannot be read$/, () => "密钥被拒绝或无法读取"],
  [/^it asked for credentials, and none are configured$/, () => "它要求凭据，但没有配置"],
  [/^cannot read (\/.+): (.+)$/s, (file, why) => `无法读取 ${file}：${why}`],
  [/^it cannot be reached$/, () => "无法连接"],
  [/^it has a question$/, () => "有一个待答复的问题"],
  [/^paused$/, () => "已暂停"],
  // Transfers (EasyHandle+Failure.swift, StatusError.swift)
  [/^the name of (\S+) cannot be resolved(.*)$/s, (peer, more) => `无法解析 ${peer} 的名称${more ? "已超过一小时：请检查名称是否正确、本机的名称服务器是否应答" : ""}`],
  [/^no connection to (\S+) within (.+)$/s, (peer, time) => `${inSeconds(time)} 内未能连接 ${peer}`],
  [/^no connection to (\S+): (.*)$/s, (peer, why) => `无法连接 ${peer}：${why}`],
  [/^the TLS handshake with (\S+) failed: (.*)$/s, (peer, why) => `与 ${peer} 的 TLS 握手失败：${why}`],
  [/^(\S+) speaks no version of TLS that is spoken here: (.*)$/s, (peer, why) => `${peer} 不支持本机可用的任何 TLS 版本：${why}`],
  [/^the certificate of (\S+) is not accepted: (.*)$/s, (peer, why) => `${peer} 的证书不被接受：${why}`],
  [/^the certificate authorities in (.+) cannot be read$/s, (file) => `无法读取 ${file} 中的证书颁发机构`],
  [/^the client certificate for (\S+) cannot be used: (.*)$/s, (peer, why) => `用于 ${peer} 的客户端证书无法使用：${why}`],
  [/^(\S+) wants a client certificate, and none is configured \(client_cert\): (.*)$/s, (peer, why) => `${peer} 要求客户端证书，但没有配置 (client_cert)：${why}`],
  [/^(\S+) refuses the client certificate \(client_cert\): (.*)$/s, (peer, why) => `${peer} 拒绝了客户端证书 (client_cert)：${why}`],
  [/^no way through the proxy to (\S+): (.*)$/s, (peer, why) => `无法通过代理到达 ${peer}：${why}`],
  [/^(\S+) moved no byte for (.+)$/s, (peer, time) => `${peer} 在 ${inSeconds(time)} 内没有传输任何数据`],
  [/^(\S+) did not answer within (.+)$/s, (peer, time) => `${peer} 在 ${inSeconds(time)} 内没有应答`],
  [/^the connection to (\S+) was lost: (.*)$/s, (peer, why) => `与 ${peer} 的连接中断：${why}`],
  [/^(\S+) did not answer in HTTP: (.*)$/s, (peer, why) => `${peer} 的应答不是 HTTP：${why}`],
  [/^the request cannot be sent: (.*)$/s, (why) => `无法发送请求：${why}`],
  [/^(\S+) sent a header line that is too long$/, (peer) => `${peer} 发来的标头行过长`],
  [/^no memory for the transfer$/, () => "内存不足，无法传输"],
  [/^the transfer with (\S+) failed: (.*)$/s, (peer, why) => `与 ${peer} 的传输失败：${why}`],
  [/^HTTP (\d+) with a web page(.*), which is not the (storage|backend)'s answer: .*$/s, (status, title, who) =>
    `HTTP ${status}，得到的是网页${title}，而不是${who === "storage" ? "存储" : "后端"}的应答：请检查前面是否有代理或登录页，以及地址是否正确`],
  [/^(HTTP \d+.*): redirects are not followed: (.*)$/s, (status, where) => `${status}：不跟随重定向：${where === "no Location" ? "没有 Location" : where}`],
  [/^(HTTP \d+.*): the (storage|backend) wants a client certificate that it trusts: see client_cert$/s, (status, who) =>
    `${status}：${who === "storage" ? "存储" : "后端"}要求它信任的客户端证书：见 client_cert`],
  [/^(HTTP \d+.*): the answer cannot be understood$/s, (status) => `${status}：无法理解的应答`],
  // Configuration (Stages)
  [/^(\S+) is no longer configured$/, (name) => `${name} 已不在配置中`],
  // The ledger
  [/^the ledger was lost in part: (.*)$/s, (why) => `账本部分丢失：${why}`],
  [/^the ledger can be written again$/, () => "账本已可写入"],
  [/^there is space enough for the ledger again: files are admitted$/, () => "账本空间已足够：恢复接收文件"],
  [/^no new files are admitted: (.+) are free for the ledger in (.+), and min_free is (.+)$/s, (free, at, min) => `不再接收新文件：${at} 中账本可用空间为 ${free}，min_free 为 ${min}`],
  [/^(\d+) files? (?:was|were) claimed before the ledger was lost or restored; .*$/s, (n) =>
    `账本丢失或恢复之前已接收 ${n} 个文件，它们的答复可能已丢失，因此不再接收或发送：waybill resume --recovered，或先查看它们`],
  [/^Group (\d+) is not the one that was shown, and nothing was changed: (?:it is now (\d+) jobs? (\S+) at (\S+?)(?:: (.*))?|none of its jobs is left)$/s, (group, n, state, step, why) =>
    `第 ${group} 类已不是所显示的那一类，未作任何更改：${n ? `现在有 ${n} 个任务（${t(state)} · ${t(step)}${why ? "：" + said(why) : ""}）` : "其中的任务都已不在"}`],
  // What does not work, and the remedies (StandingProblems, SpoolProblem, CredentialRemedy)
  [/^the journal does not take entries: (\d+) wait(?:, (\d+) were dropped)?$/, (n, lost) => `日志不接收条目：${n} 条等待${lost ? `，${lost} 条已丢弃` : ""}`],
  [/^spool (\S+): (.*)$/s, (spool, why) => `投递目录 ${spool}：${said(why)}`],
  [/^(.+) of job (\d+), which is (\S+), is still there: (.*)$/s, (name, job, state, why) => `作业 ${job}（${state === "registered" ? "已登记" : state === "discarded" ? "已丢弃" : state}）的文件 ${name} 仍在那里：${said(why)}`],
  [/^(.+); (it is tried again every .+)$/s, (what, again) => `${said(what)}；${said(again)}`],
  [/^mount it, or (.*)$/s, (what) => `请挂载它，或${said(what)}`],
  [/^give user (\S+) the right to write there: (.*)$/s, (user, how) => `请允许用户 ${user} 在那里写入：${how}`],
  [/^make room in (.+)$/s, (path) => `请在 ${path} 中腾出空间`],
  [/^its file system does not take this name: name an archive on another one$/, () => "它的文件系统不接受这个名称：请把 archive 设在另一个文件系统上"],
  [/^see that files can be made in (.+)$/s, (path) => `请确保可以在 ${path} 中创建文件`],
  [/^(.+) is not a directory$/s, (path) => `${path} 不是目录`],
  [/^cannot (\w+) (\S+)(?: to (\S+))?: (.*)$/s, (verb, path, to, why) => `无法${VERB[verb] ?? " " + verb + " "} ${path}${to ? " 到 " + to : ""}：${why}`],
  [/^make room there: the same commit is tried until it succeeds$/, () => "请在那里腾出空间：同一次提交会一直重试到成功"],
  [/^make room on the disk of (.+), or lower min_free in waybill\.toml$/s, (path) => `请在 ${path} 所在磁盘腾出空间，或降低 waybill.toml 中的 min_free`],
  [/^see systemctl status systemd-journald; waybill watch --since 1h has the events all the same$/, () => "请查看 systemctl status systemd-journald；waybill watch --since 1h 仍能显示事件"],
  [/^make it: (.*)$/s, (how) => `请创建它：${how}`],
  [/^make or mount it again; it is looked for every (.+)$/s, (time) => `请重新创建或挂载；每 ${time} 查找一次`],
  [/^name a directory as its path$/, () => "请把 path 设为一个目录"],
  [/^give user (\S+) the right to read and enter it(.*)$/s, (user, more) => `请允许用户 ${user} 读取并进入它${more}`],
  [/^see that (?:it|(.+)) can be read$/s, (path) => `请确保${path ? " " + path + " " : ""}可以读取`],
  [/^raise the limits of threads and open files$/, () => "请提高线程数和打开文件数的限制"],
  [/^raise fs\.inotify\.max_user_watches and fs\.inotify\.max_user_instances$/, () => "请提高 fs.inotify.max_user_watches 和 fs.inotify.max_user_instances"],
  [/^it is tried again every (.+)$/s, (time) => `每 ${time} 重试一次`],
  [/^stop the other daemon, or take the spool out of one configuration$/, () => "请停止另一个守护进程，或从其中一份配置中删去此目录"],
  [/^the directory is polled meanwhile$/, () => "目前改为轮询此目录"],
  [/^let programs write elsewhere and rename the finished file into the spool$/, () => "请让程序在别处写好文件，再改名移入投递目录"],
  [/^put the value into this file, readable by the daemon's user alone$/, () => "请把值写入此文件，并只允许守护进程的用户读取"],
  [/^let the daemon's user read it, and enter each directory above it$/, () => "请允许守护进程的用户读取它，并进入其上的每个目录"],
  [/^it must hold the value alone, on one line$/, () => "文件中只能有这一个值，且在同一行"],
  [/^set it in the daemon's unit, or use a file$/, () => "请在守护进程的 unit 中设置它，或改用文件"],
  [/^add LoadCredential=(\S+) to the unit(.*)$/s, (name, more) => `请在 unit 中加入 LoadCredential=${name}${more ? "，并用 systemctl 启动它" : ""}`],
];
const VERB = { open: "打开", read: "读取", list: "列出", make: "创建", write: "写入", remove: "删除", rename: "重命名", link: "链接", watch: "监视", sync: "同步" };
// A sentence of the daemon's in the page's language.
const said = (text) => {
  if (language !== "zh" || !text) return text;
  for (const [pattern, inChinese] of SAID) {
    const match = pattern.exec(text);
    if (match) return inChinese(...match.slice(1));
  }
  return text;
};
