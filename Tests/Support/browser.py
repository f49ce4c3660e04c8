"""browser.py PROGRAM FOLDER: a headless Chromium, spoken to by HTTP.

POST /METHOD with a JSON body is a command of the Chrome DevTools Protocol to the one page that is open, e.g.
/Runtime.evaluate; the answer is its result. GET /events?method=NAME gives what the page has told under that name so far.
The address to call is the first line of output. It ends with its standard input, and the browser with it.
"""
import http.server
import json
import os
import subprocess
import sys
import threading


class Browser:
    """The browser's end of the pipe: JSON messages with a NUL after each."""

    def __init__(self, program, folder):
        to_browser, self.commands = os.pipe()
        answers, from_browser = os.pipe()

        def descriptors():
            # Both are moved out of the way before they take their places, as either may be in the other's.
            one, two = os.dup(to_browser), os.dup(from_browser)
            os.dup2(one, 3)
            os.dup2(two, 4)

        self.child = subprocess.Popen(
            [
                program, "--remote-debugging-pipe", "--user-data-dir=" + folder, "--no-sandbox", "--disable-gpu",
                "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-default-apps", "--disable-extensions", "--no-proxy-server", "--hide-scrollbars",
                "--disable-dev-shm-usage", "about:blank",
            ],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(os.path.join(folder, "browser.log"), "wb"),
        )
        os.close(to_browser)
        os.close(from_browser)
        self.answers = os.fdopen(answers, "rb", 0)
        self.changed = threading.Condition()
        self.waiting, self.events, self.last = {}, [], 0
        threading.Thread(target=self.listen, daemon=True).start()
        targets = self.call("Target.getTargets", {})["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", {"targetId": page, "flatten": True})["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(domain + ".enable", {})

    session = None

    def listen(self):
        rest = b""
        while True:
            chunk = self.answers.read(1 << 16)
            if not chunk:
                os._exit(1)
            *messages, rest = (rest + chunk).split(b"\0")
            for message in messages:
                message = json.loads(message)
                with self.changed:
                    if "id" in message:
                        self.waiting[message["id"]] = message
                    else:
                        self.events.append(message)
                    self.changed.notify_all()

    def call(self, method, parameters):
        with self.changed:
            self.last += 1
            number = self.last
        command = {"id": number, "method": method, "params": parameters}
        if self.session and not method.startswith(("Target.", "Browser.")):
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.waiting, timeout=120):
                raise TimeoutError(method)
            answer = self.waiting.pop(number)
        if "error" in answer:
            raise ValueError(answer["error"]["message"])
        return answer["result"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        method = self.path.partition("method=")[2]
        with browser.changed:
            found = [event["params"] for event in browser.events if event["method"] == method]
        self.answer(found)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            self.answer(browser.call(self.path[1:], json.loads(body or b"{}")))
        except (ValueError, TimeoutError) as error:
            self.answer({"error": str(error)}, 500)

    def log_message(self, *_):
        pass


browser = Browser(sys.argv[1], sys.argv[2])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("http://127.0.0.1:{}".format(server.server_address[1]), flush=True)
sys.stdin.read()
browser.child.kill()
browser.child.wait()
