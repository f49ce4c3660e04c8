"""The programs that are compared: what each is called with for a folder of files, where it is installed.

Each gets its best reasonable settings: 32 requests at once for small files, 64 MiB parts for large ones, no look at what is
there already. What is no option is as in the programs' own documentation.
"""
import os, shutil

from rig import HERE, TOOLS

KEY, SECRET, BUCKET = "BENCHKEY", "benchsecret", "documents"
PARTS = 64  # MiB


class Client:
    """One program; `words` gives its command line for a folder, and what differs in its environment."""

    def __init__(self, name, program, words):
        self.name, self.words = name, words
        own = f"{TOOLS}/venv/bin/{program}"
        self.program = own if os.path.exists(own) else shutil.which(program)

    def command(self, folder, sink, scratch):
        environment = dict(os.environ, AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1",
                           AWS_DEFAULT_REGION="us-east-1")
        for name in ("AWS_CA_BUNDLE", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            environment.pop(name, None)
        if sink.ca:
            environment |= {"SSL_CERT_FILE": sink.ca, "CURL_CA_BUNDLE": sink.ca}
        return [self.program, *self.words(folder, sink, scratch)], environment


def curl(folder, sink, scratch):
    """One process, signing without a look at the files: it is nearest to what sending alone costs."""
    with open(f"{scratch}/curl.conf", "w") as file:
        for name in os.listdir(folder):
            file.write(f'upload-file = "{folder}/{name}"\nurl = "{sink.endpoint}/{BUCKET}/{name}"\noutput = "/dev/null"\n')
    trust = ["--cacert", sink.ca] if sink.ca else []
    return ["-q", "-s", "--noproxy", "*", *trust, "-Z", "--parallel-max", "32", "-H", "Expect:",
            "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD", "--aws-sigv4", "aws:amz:us-east-1:s3",
            "--user", f"{KEY}:{SECRET}", "-K", f"{scratch}/curl.conf"]


def s5cmd(folder, sink, scratch):
    return ["--endpoint-url", sink.endpoint, "--numworkers", "32", "--log", "error", "cp", "--concurrency", "8",
            "--part-size", str(PARTS), f"{folder}/", f"s3://{BUCKET}/"]


def rclone(folder, sink, scratch):
    with open(f"{scratch}/rclone.conf", "w") as file:
        file.write("")
    trust = ["--ca-cert", sink.ca] if sink.ca else []
    remote = (f":s3,provider=Other,access_key_id={KEY},secret_access_key={SECRET},region=us-east-1,force_path_style=true,"
              f"endpoint='{sink.endpoint}':{BUCKET}")
    return ["--config", f"{scratch}/rclone.conf", *trust, "copy", "--transfers", "32", "--checkers", "32",
            "--s3-no-check-bucket", "--s3-no-head", "--no-check-dest", "--s3-chunk-size", f"{PARTS}M",
            "--s3-upload-concurrency", "4", folder, remote]


def obstore(payload):
    def words(folder, sink, scratch):
        return [f"{HERE}/obstore_put.py", folder, sink.endpoint, sink.ca or "", payload]
    return words


def pair(folder, sink, scratch):
    """The same work as Waybill's, with nothing durable: what a user would write."""
    return [f"{HERE}/pair.py", folder, sink.endpoint, sink.ca or "", f"{sink.endpoint}/register"]


def installed(size):
    """The clients that are there, for files of so many bytes."""
    clients = [Client("s5cmd", "s5cmd", s5cmd), Client("obstore", "python", obstore("signed")),
               Client("obstore unsigned", "python", obstore("unsigned")), Client("rclone", "rclone", rclone),
               Client("curl -Z", "curl", curl), Client("pair", "python", pair)]
    there = {name for _, folders, _ in os.walk(f"{TOOLS}/venv/lib") for name in folders}
    needs = {"obstore": {"obstore"}, "obstore unsigned": {"obstore"}, "pair": {"obstore", "aiohttp"}}
    return [client for client in clients if client.program and needs.get(client.name, set()) <= there
            and not (client.name == "pair" and size >= PARTS << 20)]
