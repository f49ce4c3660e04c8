"""s3-read.py ENDPOINT BUCKET: many calls of the awscli that runs this, in one process.

Standard input has a JSON list of keys, each as a list of its UTF-8 bytes. For each key `aws s3api get-object` is called
with the key on its command line, then `aws s3api list-objects-v2` once. Standard output has
{"objects": [{"body": HEX, "metadata": {…}} or null …], "keys": [bytes of a key …]}.
"""
import io
import json
import os
import sys
import tempfile
from contextlib import redirect_stdout

from awscli.clidriver import create_clidriver

endpoint, bucket = sys.argv[1:]
driver = create_clidriver()


def call(*words):
    out = io.StringIO()
    with redirect_stdout(out):
        status = driver.main(["--endpoint-url", endpoint, "--output", "json", "s3api", *words])
    return json.loads(out.getvalue()) if status == 0 else None


objects = []
for key in json.load(sys.stdin):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "object")
        name = bytes(key).decode()
        # `--key=…`, because a key may begin with a dash
        answer = call("get-object", "--bucket", bucket, "--key=" + name, file)
        if answer is None:
            objects.append(None)
            continue
        with open(file, "rb") as body:
            objects.append({"body": body.read().hex(), "metadata": answer.get("Metadata", {})})
listing = call("list-objects-v2", "--bucket", bucket)
keys = [list(entry["Key"].encode()) for entry in listing.get("Contents", [])]
json.dump({"objects": objects, "keys": keys}, sys.stdout)
