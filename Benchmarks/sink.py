#!/usr/bin/env python3
"""A far side that costs next to nothing: takes any PUT as an S3 object and any POST as a registration, and discards both.

A GET of /_refuse has every registration answered with 422 from then on, a GET of /_accept ends that. Prints its address on the first line. For benchmarks only: it checks nothing and keeps nothing.
"""
import asyncio


class Connection(asyncio.Protocol):
    """HTTP/1.1 with Content-Length, kept alive; bodies are counted and thrown away."""

    def connection_made(self, transport):
        self.transport, self.head, self.left, self.answer = transport, b"", 0, b""

    def data_received(self, data):
        while data:
            if self.left:
                taken = min(self.left, len(data))
                self.left, data = self.left - taken, data[taken:]
                if self.left == 0:
                    self.transport.write(self.answer)
                continue
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            head, data, self.head = self.head[:end].lower(), self.head[end + 4:], b""
            at = head.find(b"\r\ncontent-length:")
            self.left = int(head[at + 17:].split(b"\r\n", 1)[0]) if at >= 0 else 0
            self.answer = self.choose(head)
            if self.left == 0:
                self.transport.write(self.answer)

    refuses = False

    def choose(self, head):
        if head.startswith(b"get"):
            Connection.refuses = head.startswith(b"get /_refuse")
            return DONE
        if head.startswith(b"put"):
            return PUT
        return REFUSED if self.refuses else POST


PUT = b'HTTP/1.1 200 OK\r\nETag: "d41d8cd98f00b204e9800998ecf8427e"\r\nContent-Length: 0\r\n\r\n'
POST = b'HTTP/1.1 201 Created\r\nLocation: /registrations/1\r\nContent-Length: 2\r\n\r\n{}'
REFUSED = (b'HTTP/1.1 422 Unprocessable Content\r\nContent-Type: application/json\r\nContent-Length: 35\r\n\r\n'
           b'{"error":"invoice number is taken"}')
DONE = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


async def main():
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=512)
    print("http://127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
