"""Puts all files of a folder by obstore: obstore_put.py FOLDER ENDPOINT CA signed|unsigned"""
import asyncio, os, sys

from obstore import put_async
from obstore.store import S3Store

from clients import BUCKET, KEY, PARTS, SECRET

LARGE = 32 << 20


async def main(folder, endpoint, ca, payload):
    options = {"allow_http": True}
    store = S3Store(BUCKET, endpoint=endpoint, access_key_id=KEY, secret_access_key=SECRET, region="us-east-1",
                    virtual_hosted_style_request=False, unsigned_payload=payload == "unsigned", client_options=options)
    names = iter(os.listdir(folder))

    async def work():
        for name in names:
            path = f"{folder}/{name}"
            if os.path.getsize(path) >= LARGE:
                with open(path, "rb") as file:
                    await put_async(store, name, file, chunk_size=PARTS << 20, max_concurrency=8)
                continue
            with open(path, "rb") as file:
                content = file.read()
            await put_async(store, name, content, use_multipart=False)

    await asyncio.gather(*(work() for _ in range(32)))


sys.dont_write_bytecode = True
asyncio.run(main(*sys.argv[1:]))
