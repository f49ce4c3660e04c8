"""An OAuth 2 token server (Authlib) with a backend behind it that takes its tokens alone.

token-server.py PORT LIFE SECRET: on 127.0.0.1; tokens are good for LIFE seconds.
  POST /token      client credentials for the client basic-client
  POST /documents  201 for a token that is good, else 401
  GET  /facts      what came: {"issued", "refused", "registered": {Idempotency-Key: times}}
"""

import os
import sys
import threading
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from flask import Flask, jsonify, request
from waitress import serve

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
port, life, secret = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

lock = threading.Lock()
tokens = {}
facts = {"issued": 0, "refused": 0, "registered": {}}


class Client(ClientMixin):
    def __init__(self, name):
        self.name = name

    def get_client_id(self):
        return self.name

    def get_allowed_scope(self, scope):
        return " ".join(s for s in (scope or "").split() if s in ("documents.write", "documents.read"))

    def check_client_secret(self, given):
        return given == secret

    def check_endpoint_auth_method(self, method, endpoint):
        return endpoint == "token" and method == "client_secret_basic"

    def check_grant_type(self, grant_type):
        return grant_type == "client_credentials"


CLIENTS = {"basic-client": Client("basic-client")}


class Token(TokenMixin):
    def __init__(self, scope, end):
        self.scope, self.end = scope, end

    def check_client(self, client):
        return True

    def get_scope(self):
        return self.scope

    def get_expires_in(self):
        return int(self.end - time.time())

    def is_expired(self):
        return time.time() >= self.end

    def is_revoked(self):
        return False


class Grant(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        with lock:
            return tokens.get(token_string)


def save(token, asked):
    with lock:
        tokens[token["access_token"]] = Token(token.get("scope", ""), time.time() + token["expires_in"])
        facts["issued"] += 1


app = Flask(__name__)
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"client_credentials": life}
server = AuthorizationServer(app, query_client=CLIENTS.get, save_token=save)
server.register_grant(Grant)
protect = ResourceProtector()
protect.register_token_validator(Validator())


@app.post("/token")
def token():
    return server.create_token_response()


@app.route("/documents", methods=["POST", "OPTIONS"])
def documents():
    @protect("documents.write")
    def register():
        with lock:
            key = request.headers.get("Idempotency-Key", "")
            facts["registered"][key] = facts["registered"].get(key, 0) + 1
        return jsonify({"ok": True}), 201

    return register()


@app.after_request
def count(answer):
    if request.path == "/documents" and answer.status_code == 401:
        with lock:
            facts["refused"] += 1
    return answer


@app.get("/facts")
def tell():
    with lock:
        return jsonify(facts)


serve(app, listen=f"127.0.0.1:{port}", threads=40)
