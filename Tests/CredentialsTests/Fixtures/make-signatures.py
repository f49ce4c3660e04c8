#!/usr/bin/env python3
"""Makes signatures.json: requests signed by botocore, AWS's own signer, to compare ours with.

    pip install botocore && python3 make-signatures.py > signatures.json

The output is the same on every run: keys, times and requests are fixed here.
"""

import datetime
import json

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

ACCESS_KEY = "AKIDEXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

KEYS = [
    "plain", "a b", "a+b", "100%", "a%2Fb", "~tilde", "a=b", "a&b", "it's", "(1)", "a;b", "a:b", "a@b", "a,b", "a$b",
    "a!b", "a*b", "[x]", "{x}", "a|b", "a^b", "a`b", "a\\b", "a\"b", "<x>", "a?b", "a#b", "tab\there", "nl\nhere",
    "Grüße.pdf", "e\u0301.txt", "日本語/文書.pdf", "🧾", "a//b", "/leading", "trailing/", "a/./b", "a/../b",
    "%2E%2E/x", "\u202eevil", "\u00a0", "x" * 900,
]

BODIES = [b"", b"x", b"Welcome to Amazon S3."]

HEADERS = [
    {},
    {"Content-Type": "application/pdf", "If-None-Match": "*"},
    {"Content-Type": "text/plain; charset=utf-8", "x-amz-meta-a": "1", "x-amz-meta-a-b": "2",
     "x-amz-meta-waybill-id": "01939f5c-7b1a-7c3d-9e4f-0123456789ab", "x-amz-storage-class": "STANDARD_IA"},
    {"x-amz-meta-spaces": "  two   spaces  ", "x-amz-meta-word": "=?UTF-8?B?R3LDvMOfZQ==?="},
]

QUERIES = [[], [("uploads", "")], [("partNumber", "2"), ("uploadId", "a/b+c=d&e f~")],
           [("list-type", "2"), ("prefix", "Grüße/"), ("delimiter", "/"), ("A", "upper"), ("a", "lower")]]


class Clock:
    """Stands in for the module's clock, so that botocore signs at a time of ours."""

    def __init__(self, now):
        self.now = now

    def __call__(self):
        return self.now


def quote(text, safe):
    out = ""
    for byte in text.encode():
        character = chr(byte)
        if byte < 128 and (character.isalnum() or character in "-._~" + safe):
            out += character
        else:
            out += "%%%02X" % byte
    return out


def sign(method, host, key, query, headers, body, region, token, when):
    moment = datetime.datetime.strptime(when, "%Y%m%dT%H%M%SZ")
    botocore.auth.get_current_datetime = Clock(moment)
    path = "/documents/" + quote(key, "/")
    url = "https://" + host + path
    if query:
        url += "?" + "&".join(quote(n, "") + "=" + quote(v, "") for n, v in query)
    request = AWSRequest(method=method, url=url, headers=dict(headers), data=body)
    request.context["payload_signing_enabled"] = True
    signer = botocore.auth.S3SigV4Auth(Credentials(ACCESS_KEY, SECRET, token), "s3", region)
    signer.add_auth(request)
    assert request.headers["X-Amz-Date"] == when, request.headers["X-Amz-Date"]
    return {
        "method": method, "host": host, "key": key, "query": [list(pair) for pair in query],
        "headers": [list(pair) for pair in headers.items()], "body": body.decode(), "region": region,
        "token": token, "time": when, "authorization": request.headers["Authorization"],
    }


def main():
    cases = []
    for index, key in enumerate(KEYS):
        cases.append(sign("PUT", "s3.eu-central-1.amazonaws.com", key, [], HEADERS[index % len(HEADERS)],
                          BODIES[index % len(BODIES)], "eu-central-1", None, "20261121T010203Z"))
    for method in ["GET", "HEAD", "PUT", "POST", "DELETE"]:
        for query in QUERIES:
            cases.append(sign(method, "127.0.0.1:7480", "a key", query, HEADERS[2], b"", "us-east-1",
                              "FwoGZXIvYXdzEXAMPLE/token+==", "20280229T235959Z"))
    print(json.dumps({"accessKey": ACCESS_KEY, "secret": SECRET, "cases": cases}, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
