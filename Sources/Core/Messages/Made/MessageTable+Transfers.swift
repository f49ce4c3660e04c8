// Made by scripts/messages from Table/transfers.txt.

extension MessageTable {
  static let transfers: [MessageForm] = [
    MessageForm("name-unresolved", "the name of {peer} cannot be resolved", "无法解析 {peer} 的名称"),
    MessageForm("no-connection-within", "no connection to {peer} within {limit:seconds}", "{limit} 内未能连接 {peer}"),
    MessageForm("no-connection", "no connection to {peer}: {why}", "无法连接 {peer}：{why}"),
    MessageForm("no-connection-of", "no connection to {peer}: {why} ({detail})", "无法连接 {peer}：{why} ({detail})"),
    MessageForm("tls-failed", "the TLS handshake with {peer} failed: {why}", "与 {peer} 的 TLS 握手失败：{why}"),
    MessageForm(
      "tls-version", "{peer} speaks no version of TLS that is spoken here: {why}", "{peer} 不支持本机可用的任何 TLS 版本：{why}"),
    MessageForm(
      "tls-plain", "the port of {peer} speaks plain HTTP: write http:// ({why})",
      "{peer} 的端口使用明文 HTTP：请写 http://（{why}）"),
    MessageForm(
      "tls-wanted", "{peer} did not answer in HTTP: if the port speaks TLS, write https:// ({why})",
      "{peer} 的应答不是 HTTP：如果该端口使用 TLS，请写 https://（{why}）"),
    MessageForm(
      "certificate-refused",
      "the certificate of {peer} is not accepted: {why} (ca_file names an authority of your own)",
      "{peer} 的证书不被接受：{why}（自己的颁发机构写在 ca_file 中）"),
    MessageForm(
      "certificate-not-yet-valid", "the certificate of {peer} is not valid yet by the clock here: {why}",
      "按本机时钟，{peer} 的证书尚未生效：{why}"),
    MessageForm(
      "authorities-unreadable", "the certificate authorities in {file} cannot be read", "无法读取 {file} 中的证书颁发机构"),
    MessageForm(
      "client-certificate-unusable", "the client certificate for {peer} cannot be used: {why}",
      "用于 {peer} 的客户端证书无法使用：{why}"),
    MessageForm(
      "client-certificate-wanted", "{peer} wants a client certificate, and none is configured (client_cert): {why}",
      "{peer} 要求客户端证书，但没有配置 (client_cert)：{why}"),
    MessageForm(
      "client-certificate-refused", "{peer} refuses the client certificate (client_cert): {why}",
      "{peer} 拒绝了客户端证书 (client_cert)：{why}"),
    MessageForm("no-way-through-proxy", "no way through the proxy to {peer}: {why}", "无法通过代理到达 {peer}：{why}"),
    MessageForm("stalled", "{peer} moved no byte for {time:seconds}", "{peer} 在 {time} 内没有传输任何数据"),
    MessageForm("no-answer-within", "{peer} did not answer within {time:seconds}", "{peer} 在 {time} 内没有应答"),
    MessageForm("connection-lost", "the connection to {peer} was lost: {why}", "与 {peer} 的连接中断：{why}"),
    MessageForm(
      "connection-lost-without-tls",
      "the connection to {peer} was lost without an answer: {why}. If the port speaks TLS, write https://",
      "与 {peer} 的连接在得到应答之前中断：{why}。如果该端口使用 TLS，请写 https://"),
    MessageForm("not-http", "{peer} did not answer in HTTP: {why}", "{peer} 的应答不是 HTTP：{why}"),
    MessageForm("request-cannot-be-sent", "the request cannot be sent: {why}", "无法发送请求：{why}"),
    MessageForm("header-too-long", "{peer} sent a header line that is too long", "{peer} 发来的标头行过长"),
    MessageForm("no-memory-for-transfer", "no memory for the transfer", "内存不足，无法传输"),
    MessageForm("transfer-failed", "the transfer with {peer} failed: {why}", "与 {peer} 的传输失败：{why}"),
    MessageForm(
      "for-over-an-hour",
      "{why:message}, for over an hour: check the name, and whether this host's name servers answer",
      "{why}，已超过一小时：请检查名称是否正确、本机的名称服务器是否应答"),
    MessageForm("answer-too-slow", "{peer} did not end its answer within {limit:seconds}", "{peer} 在 {limit} 内没有完成应答"),
    MessageForm(
      "headers-too-long", "{peer} sent more than {limit:number} bytes of headers", "{peer} 发来的标头超过 {limit} 字节"),
    MessageForm(
      "body-ended-early", "the file ended {wanted:number} bytes before the length that was to be sent",
      "文件比应发送的长度少 {wanted} 字节就结束了"),
    MessageForm("body-unreadable", "reading the file failed: {why}", "读取文件失败：{why}"),
    MessageForm("descriptor-not-duplicated", "the file's descriptor cannot be duplicated: {why}", "无法复制文件的描述符：{why}"),
    MessageForm("libcurl-refuses-option", "libcurl refuses an option: {why}", "libcurl 拒绝一个选项：{why}"),
    MessageForm("libcurl-not-set-up", "libcurl cannot be set up", "无法设置 libcurl"),
    MessageForm("libcurl-cannot-go-on", "libcurl cannot go on: {why}", "libcurl 无法继续：{why}"),
    MessageForm("no-epoll", "no epoll for transfers: {why}", "传输没有 epoll：{why}"),
    MessageForm("body-ended-short", "the body ended short", "正文提前结束"),
    MessageForm("stream-read-twice", "the stream is being read by another task", "该流正在被另一个任务读取"),
    MessageForm("transfer-cut-off", "the transfer was cut off", "传输被中断"),
    MessageForm("transport-shut-down", "the transport was shut down", "传输层已关闭"),
  ]
}
