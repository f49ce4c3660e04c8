#!/usr/bin/env python3
"""Takes Waybill's webhook and passes it on in the form that a chat, a phone, a mailbox or a broker wants. Standard library alone.

    forward.py slack    URL                     an incoming webhook of Slack
    forward.py teams    URL                     a workflow of Teams, "When a Teams webhook request is received"
    forward.py telegram CHAT                    a bot; its token is the secret
    forward.py ntfy     https://ntfy.sh/TOPIC   the secret is an access token, if the topic wants one
    forward.py mail     FROM TO                 by --smtp HOST:PORT
    forward.py mqtt     TOPIC                   by --mqtt HOST:PORT; the secret is USER:PASSWORD, if the broker wants one

An argument that begins with @ is the name of a file that has it: the URLs of Slack and Teams are secrets, and a command line is none.

Waybill:   [webhook.chat]
           url   = "http://127.0.0.1:8090/"
           token = { file = "/etc/waybill/keys/hook-token" }     # the same text as in the file of --token-file

It answers 2xx once the other side has accepted the message. Otherwise its answer makes Waybill wait and try again, or leave the
notices out and say so in "waybill status". It keeps nothing: if an answer is lost, a message may come twice.
"""

import argparse
import email.message
import hashlib
import hmac
import http.server
import json
import smtplib
import socket
import ssl
import struct
import urllib.error
import urllib.request

LIMITS = {"slack": 3900, "teams": 12000, "telegram": 4000, "ntfy": 3900, "mail": 200_000}  # bytes of text


class Refused(Exception):
    """An answer of the other side: the status for Waybill, and the seconds to wait."""

    def __init__(self, status, message, wait=None):
        super().__init__(message)
        self.status, self.wait = status, wait


def plain(line, most):
    """A line without anything that is no letter, and so long at most."""
    line = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)
    return line.encode()[:most].decode(errors="ignore")


def lines(body, limit):
    """The notices as lines of text, as many as fit."""
    result, size = [], 0
    notices = body["notices"]
    for number, notice in enumerate(notices):
        line = plain(notice["message"] + (f" ({notice['remedy']})" if notice["remedy"] else ""), 1000)
        size += len(line.encode()) + 30  # room for escapes and for the form
        if size > limit:
            result.append(f"… and {len(notices) - number} more: waybill log")
            break
        result.append(line)
    if body["left_out"]:
        result.append(f"{body['left_out']} earlier notices were left out: waybill log")
    return result


def post(url, content, headers=None):
    request = urllib.request.Request(url, json.dumps(content).encode(), {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read(65536)
    except urllib.error.HTTPError as error:
        text = error.read(2000).decode(errors="replace")
        wait = error.headers.get("Retry-After")
        if error.code == 429:
            try:  # Telegram says it in the body
                wait = json.loads(text)["parameters"]["retry_after"]
            except (ValueError, KeyError, TypeError):
                pass
            raise Refused(429, text, wait) from None
        # What is wrong with the message stays wrong; what is wrong with the address or the token is mended by a person.
        raise Refused(422 if error.code in (400, 413, 422) else 502, f"{error.code}: {text}") from None
    except OSError as error:
        raise Refused(502, str(error)) from None


def slack(options, secret, body, identity):
    text = "\n".join(lines(body, LIMITS["slack"])).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    post(options.arguments[0], {"text": f"*{body['host']}*\n{text}"})


def teams(options, secret, body, identity):
    blocks = [{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": line}]} for line in lines(body, LIMITS["teams"])]
    card = {"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.2",
            "body": [{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": body["host"], "weight": "Bolder"}]}, *blocks]}
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    post(options.arguments[0], {"type": "message", "attachments": [attachment]})


def telegram(options, secret, body, identity):
    text = "\n".join([body["host"], *lines(body, LIMITS["telegram"])])
    content = {"chat_id": options.arguments[0], "text": text, "link_preview_options": {"is_disabled": True}}
    post(f"{options.telegram_api}/bot{secret}/sendMessage", content)


def ntfy(options, secret, body, identity):
    server, _, topic = options.arguments[0].rpartition("/")
    bad = any(notice["event"] not in ("gate-opened", "problem-over") for notice in body["notices"])
    content = {"topic": topic, "title": f"Waybill on {body['host']}", "message": "\n".join(lines(body, LIMITS["ntfy"])),
               "tags": ["warning" if bad else "white_check_mark"], "priority": 4 if bad else 3}
    post(server, content, {"Authorization": f"Bearer {secret}"} if secret else None)


def mail(options, secret, body, identity):
    text = lines(body, LIMITS["mail"])
    message = email.message.EmailMessage()
    message["From"], message["To"] = options.arguments
    message["Subject"] = f"Waybill on {body['host']}: {text[0][:150]}"
    message["Message-ID"] = f"<{identity}@waybill.invalid>"  # the same when it is sent again, so that readers can tell
    message["Auto-Submitted"] = "auto-generated"
    message.set_content("\n".join(text) + "\n")
    host, _, port = options.smtp.rpartition(":")
    try:
        with smtplib.SMTP(host, int(port), timeout=20) as server:
            if options.starttls:
                server.starttls(context=ssl.create_default_context())
            if secret:
                server.login(*secret.split(":", 1))
            server.send_message(message)
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        raise Refused(422 if min(codes) >= 500 else 502, str(error)) from None
    except smtplib.SMTPResponseException as error:
        raise Refused(422 if error.smtp_code >= 500 else 502, str(error)) from None
    except (smtplib.SMTPException, OSError) as error:
        raise Refused(502, str(error)) from None


def mqtt(options, secret, body, identity):
    """Publishes each notice as JSON with QoS 1 (MQTT 3.1.1), and waits for the broker's acknowledgement of each."""
    def text(value):
        return struct.pack("!H", len(value.encode())) + value.encode()

    def packet(kind, content):
        size, length = b"", len(content)
        while True:
            size += bytes([length % 128 | (128 if length > 127 else 0)])
            length //= 128
            if not length:
                return bytes([kind]) + size + content

    host, _, port = options.mqtt.rpartition(":")
    user, _, password = (secret or "").partition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            if options.tls:
                connection = ssl.create_default_context().wrap_socket(connection, server_hostname=host)
            stream = connection.makefile("rb")
            flags = 0x02 | (0xC0 if secret else 0)  # a clean session; user and password
            login = text(user) + text(password) if secret else b""
            connection.sendall(packet(0x10, text("MQTT") + bytes([4, flags]) + struct.pack("!H", 60) + text("") + login))
            answer = stream.read(4)
            if len(answer) != 4 or answer[0] != 0x20 or answer[3]:
                raise Refused(502, f"the broker refuses the connection: {answer!r}")
            for number, notice in enumerate(body["notices"], 1):
                content = json.dumps({"host": body["host"], **notice}).encode()
                connection.sendall(packet(0x32, text(options.arguments[0]) + struct.pack("!H", number) + content))
                if stream.read(4) != b"\x40\x02" + struct.pack("!H", number):
                    raise Refused(502, "the broker did not acknowledge")
            connection.sendall(b"\xe0\x00")
    except OSError as error:
        raise Refused(502, str(error)) from None


class Forwarder(http.server.BaseHTTPRequestHandler):
    protocol_version, timeout = "HTTP/1.1", 60

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 1 << 20))
        server = self.server
        if server.token and not hmac.compare_digest(self.headers.get("Authorization", "").encode(), b"Bearer " + server.token):
            return self.answer(401, "the token is wrong")
        try:
            server.send(server.options, server.secret, json.loads(body), self.headers.get("webhook-id") or hashlib.sha256(body).hexdigest())
        except Refused as refused:
            print(f"{refused.status}: {refused}", flush=True)
            return self.answer(refused.status, str(refused), refused.wait)
        except (ValueError, KeyError, TypeError) as error:
            return self.answer(400, f"these are no notices: {error!r}")
        self.answer(200, "")

    def answer(self, status, text, wait=None):
        content = text.encode(errors="replace")[:2000]
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        if wait:
            self.send_header("Retry-After", str(wait))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    senders = {"slack": (slack, 1), "teams": (teams, 1), "telegram": (telegram, 1), "ntfy": (ntfy, 1), "mail": (mail, 2), "mqtt": (mqtt, 1)}
    parser.add_argument("kind", choices=senders)
    parser.add_argument("arguments", nargs="+")
    parser.add_argument("--port", type=int, default=8090, help="on 127.0.0.1; 0 is any that is free")
    parser.add_argument("--token-file", help="what Waybill has as token")
    parser.add_argument("--secret-file", help="what the other side wants")
    parser.add_argument("--smtp", default="localhost:25")
    parser.add_argument("--starttls", action="store_true")
    parser.add_argument("--mqtt", default="localhost:1883")
    parser.add_argument("--tls", action="store_true", help="MQTT over TLS")
    parser.add_argument("--telegram-api", default="https://api.telegram.org", help=argparse.SUPPRESS)
    options = parser.parse_args()
    send, count = senders[options.kind]
    if len(options.arguments) != count:
        parser.error(f"{options.kind} takes {count} arguments")
    options.arguments = [open(word[1:], encoding="utf-8").read().strip() if word.startswith("@") else word for word in options.arguments]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Forwarder)
    server.options, server.send = options, send
    server.token = open(options.token_file, "rb").read().strip() if options.token_file else None
    server.secret = open(options.secret_file, encoding="utf-8").read().strip() if options.secret_file else None
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
