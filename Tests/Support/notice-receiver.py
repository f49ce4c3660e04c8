"""A receiver of pings and webhooks: notes each request as a line of JSON on standard output, and answers as a file says.

The file has the status to answer with; `hang` answers nothing, and a missing file is 200."""

import http.server
import json
import sys
import threading

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            answer = open(sys.argv[1]).read().strip()
        except FileNotFoundError:
            answer = "200"
        seen = {"method": self.command, "path": self.path, "headers": headers, "body": body, "answer": answer}
        print(json.dumps(seen), flush=True)
        if answer == "hang":
            threading.Event().wait()
        self.send_response(int(answer))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"OK")

    do_POST = do_GET

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
