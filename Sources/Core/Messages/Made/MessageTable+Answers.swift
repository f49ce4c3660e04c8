// Made by scripts/messages from Table/answers.txt.

extension MessageTable {
  static let answers: [MessageForm] = [
    MessageForm("http-status", "HTTP {status:number}", "HTTP {status}"),
    MessageForm("http-status-named", "HTTP {status:number} ({name})", "HTTP {status} ({name})"),
    MessageForm("http-status-said", "HTTP {status:number}: {said}", "HTTP {status}：{said}"),
    MessageForm("http-status-code", "HTTP {status:number} {code}", "HTTP {status} {code}"),
    MessageForm("http-status-code-said", "HTTP {status:number} {code}: {said}", "HTTP {status} {code}：{said}"),
    MessageForm("http-200-error", "HTTP 200 with the error {code}", "HTTP 200，但内容是错误 {code}"),
    MessageForm("http-200-error-said", "HTTP 200 with the error {code}: {said}", "HTTP 200，但内容是错误 {code}：{said}"),
    MessageForm(
      "http-page",
      "HTTP {status:number} with a web page, which is not the {side}'s answer: check whether a proxy or a login page is in front of it, and whether the address is right",
      "HTTP {status}，得到的是网页，而不是{side:name}的应答：请检查前面是否有代理或登录页，以及地址是否正确"),
    MessageForm(
      "http-page-titled",
      "HTTP {status:number} with a web page ({title}), which is not the {side}'s answer: check whether a proxy or a login page is in front of it, and whether the address is right",
      "HTTP {status}，得到的是网页 ({title})，而不是{side:name}的应答：请检查前面是否有代理或登录页，以及地址是否正确"),
    MessageForm(
      "http-redirect", "{answer:message}: redirects are not followed: Location {location}",
      "{answer}：不跟随重定向：Location {location}"),
    MessageForm(
      "http-redirect-nowhere", "{answer:message}: redirects are not followed: no Location",
      "{answer}：不跟随重定向：没有 Location"),
    MessageForm(
      "http-certificate", "HTTP {status:number}: the {side} wants a client certificate that it trusts: see client_cert",
      "HTTP {status}：{side:name}要求它信任的客户端证书：见 client_cert"),
    MessageForm(
      "http-certificate-said",
      "HTTP {status:number} ({said}): the {side} wants a client certificate that it trusts: see client_cert",
      "HTTP {status} ({said})：{side:name}要求它信任的客户端证书：见 client_cert"),
    MessageForm("http-not-understood", "{answer:message}: the answer cannot be understood", "{answer}：无法理解的应答"),
    MessageForm(
      "answer-in-region", "{answer:message}; the bucket is in the region {region}", "{answer}；存储桶在区域 {region}"),
    MessageForm(
      "answer-head-refused",
      "{answer:message} to HEAD: to tell whose the object is, the key needs the right to read it (s3:GetObject)",
      "{answer}（HEAD）：要判断对象属于谁，密钥需要读取它的权限 (s3:GetObject)"),
    MessageForm(
      "answer-clocks-differ", "{answer:message}; the clock here says {here:time}, the storage's {there}",
      "{answer}；本机时钟为 {here}，存储的时钟为 {there}"),
    MessageForm(
      "answer-key-or-right",
      "{answer:message}; a right is missing, or, at a Ceph gateway with STS, the key or its session token is wrong or has expired",
      "{answer}；缺少权限；若是启用 STS 的 Ceph 网关，也可能是密钥或会话令牌错误或已过期"),
    MessageForm("answer-health", "health: {answer:message}", "健康检查：{answer}"),
    MessageForm("answer-with-note", "{answer:message} {note}", "{answer} {note}"),
    MessageForm("answer-and", "{answer:message}; {more:message}", "{answer}；{more}"),
    MessageForm("answer-and-head", "{answer:message}; HEAD: {more:message}", "{answer}；HEAD：{more}"),
    MessageForm(
      "part-not-listed", "{answer:message}; ListParts does not show part {part:number}",
      "{answer}；ListParts 没有显示第 {part} 段"),
    MessageForm("file-of-group", "{path}: {why:message}", "{path}：{why}"),
    MessageForm(
      "object-not-ours", "HTTP 412: an object with this key exists and is not from this job",
      "HTTP 412：已有同名键的对象，且不是来自此任务"),
    MessageForm(
      "object-vanished", "HTTP 412: an object with this key exists, but HEAD finds none",
      "HTTP 412：已有同名键的对象，但 HEAD 找不到它"),
    MessageForm(
      "backend-page",
      "HTTP {status:number} with a page of HTML (text/html): answers like a web server, not like a backend",
      "HTTP {status}，得到的是 HTML 页面 (text/html)：应答的像网页服务器，而不是后端"),
    MessageForm("backend-lacks", "HTTP {status:number}, but {lack:message}", "HTTP {status}，但 {lack}"),
    MessageForm(
      "backend-lacks-said", "HTTP {status:number}, but {lack:message}: {said}", "HTTP {status}，但 {lack}：{said}"),
    MessageForm("lacks-status", "success.status has only {statuses}", "success.status 只有 {statuses}"),
    MessageForm("lacks-object", "it is not a JSON object with {member} in it", "它不是含有 {member} 的 JSON 对象"),
    MessageForm("lacks-member", "its JSON has no {member}", "其 JSON 中没有 {member}"),
    MessageForm("member-is-false", "{member} is false", "{member} 为 false"),
    MessageForm("member-is-not-true", "{member} is not true", "{member} 不为 true"),
  ]
}
