"""Reads the events of a control socket by a library that others wrote, and prints each as a line of JSON.

read-events.py LIBRARY SOCKET [LAST-ID]: the library is httpx-sse or sseclient. It ends when the stream ends."""

import json
import sys

import httpx
import httpx_sse
import sseclient


def tell(event):
    # The id is the stream's and the data is the event's. One library hands out what has no data, which is no event.
    if event.data:
        print(json.dumps({"event": event.event, "id": event.id, "data": event.data}), flush=True)


class Counted:
    """The bytes of a stream, whose comments are counted."""

    def __init__(self, chunks):
        self.chunks, self.comments, self.begins = chunks, 0, True

    def __iter__(self):
        for chunk in self.chunks:
            for line in chunk.splitlines(True):
                self.comments += self.begins and line.startswith(b":")
                self.begins = line.endswith(b"\n")
            yield chunk

    def close(self):
        pass


library, socket, *last = sys.argv[1:]
headers = {"Last-Event-ID": last[0]} if last else {}
url = "http://localhost/v1/events"
with httpx.Client(transport=httpx.HTTPTransport(uds=socket), timeout=None) as client:
    if library == "httpx-sse":
        with httpx_sse.connect_sse(client, "GET", url, headers=headers) as source:
            for event in source.iter_sse():
                tell(event)
    else:
        with client.stream("GET", url, headers={**headers, "Accept": "text/event-stream"}) as response:
            counted = Counted(response.iter_raw())
            for event in sseclient.SSEClient(counted).events():
                tell(event)
            print(json.dumps({"comments": counted.comments}), flush=True)
