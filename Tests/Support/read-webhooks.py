"""Reads requests as their receivers would, by libraries that others wrote: standardwebhooks and cloudevents.

Standard input is {"requests": [{"headers", "body"}], "secrets": [...]}. For each request it writes which of the secrets it is
signed with, what changed form of it would still count, and the event that it is, if its type says that it is one."""

import json
import sys

from cloudevents.core.bindings.http import HTTPMessage, from_http
from cloudevents.core.formats.json import JSONFormat
from standardwebhooks import Webhook, WebhookVerificationError


def counts(secret, headers, body):
    try:
        Webhook(secret).verify(body, headers, json_parse=False)
        return True
    except WebhookVerificationError:
        return False


def changed(headers, body):
    """The same request with one thing changed."""
    yield "body", headers, body[:-1] + bytes([body[-1] ^ 1])
    yield "id", {**headers, "webhook-id": headers["webhook-id"] + "0"}, body
    yield "time", {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 1)}, body
    yield "kind", {**headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,")}, body


def event(headers, body):
    found = from_http(HTTPMessage(headers, body), JSONFormat())
    members = {name: value if isinstance(value, str) else value.isoformat() for name, value in found.get_attributes().items()}
    return {"attributes": members, "data": found.get_data()}


given = json.load(sys.stdin)
answers = []
for request in given["requests"]:
    headers, body = request["headers"], request["body"].encode()
    signed = [secret for secret in given["secrets"] if counts(secret, headers, body)]
    answers.append({
        "signed": signed,
        "counts": [name for name, *other in changed(headers, body) if any(counts(secret, *other) for secret in given["secrets"])],
        "event": event(headers, body) if "cloudevents" in headers["content-type"] else None,
    })
json.dump(answers, sys.stdout)
