#!/usr/bin/env python3
"""Compares a daemon with the description of its API.

api-conformance.py DESCRIPTION SOCKET FOLDER EXAMPLES SEED

Sends requests that Schemathesis makes from the description, valid and invalid, and checks each answer against it. For answers the
description is taken as complete: a member that is not described is a fault. Prints what Schemathesis says; the status is 0 if it found
nothing.
"""

import copy
import pathlib
import socket
import subprocess
import sys
import threading

import yaml

APART = ("#/components/parameters/onBehalfOf", "#/components/parameters/onBehalfRole")
JOB = "#/components/schemas/Job"


def strict(document):
    """Forbids members that are not described."""
    document = copy.deepcopy(document)
    # Only the fleet's agent may act for others. Nor is there time to wait.
    for path in document["paths"].values():
        for call in path.values():
            parameters = call.get("parameters", [])
            call["parameters"] = [one for one in parameters if one.get("$ref") not in APART and one.get("name") != "wait"]
    schemas = document["components"]["schemas"]

    def close(schema, inside=False):
        if isinstance(schema, list):
            for item in schema:
                close(item, inside)
            return
        if not isinstance(schema, dict):
            return
        if schema.get("$ref") == JOB and not inside:
            schema["$ref"] = "#/components/schemas/JobAlone"
        is_whole = not inside and "additionalProperties" not in schema
        if is_whole and ("allOf" in schema or isinstance(schema.get("properties"), dict)):
            schema["unevaluatedProperties"] = False
        for name, value in schema.items():
            if name == "properties":
                for member in value.values():
                    close(member)
            elif name in ("allOf",):
                close(value, True)
            elif name in ("oneOf", "items", "additionalProperties"):
                close(value)

    schemas["JobAlone"] = {"allOf": [{"$ref": JOB}]}
    for name, schema in schemas.items():
        close(schema, inside=name == "Job")
    for member in schemas["Job"]["properties"].values():
        close(member)
    return document


def forward(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def proxy(path):
    """Serves a Unix socket on a port of the loopback; returns the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            near, _ = listener.accept()
            far = socket.socket(socket.AF_UNIX)
            far.connect(path)
            for pair in ((near, far), (far, near)):
                threading.Thread(target=forward, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def main():
    description, path, folder, examples, seed = sys.argv[1:]
    with open(description, encoding="utf-8") as file:
        document = strict(yaml.safe_load(file))
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    (folder / "strict.yaml").write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    # A stream does not end, and it is read by a public client elsewhere.
    (folder / "schemathesis.toml").write_text("", encoding="utf-8")
    words = [
        pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", "schemathesis.toml", "run", "strict.yaml",
        "--url", f"http://127.0.0.1:{proxy(path)}", "--exclude-operation-id", "streamEvents", "--checks", "all",
        "--max-examples", examples, "--seed", seed, "--request-timeout", "60", "--suppress-health-check", "all", "--warnings", "off",
        "--continue-on-failure", "--no-color", "--generation-database", "none",
    ]
    sys.exit(subprocess.run(words, cwd=folder, check=False).returncode)


main()
