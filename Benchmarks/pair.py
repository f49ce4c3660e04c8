"""Both steps for all files of a folder, as a script of one's own does them: PUT by obstore, POST by aiohttp, nothing durable.

  pair.py FOLDER ENDPOINT CA BACKEND"""
import asyncio, os, ssl, sys

import aiohttp
from obstore import put_async
from obstore.store import S3Store

from clients import BUCKET, KEY, SECRET


async def main(folder, endpoint, ca, backend):
    store = S3Store(BUCKET, endpoint=endpoint, access_key_id=KEY, secret_access_key=SECRET, region="us-east-1",
                    virtual_hosted_style_request=False, client_options={"allow_http": True})
    names = iter(os.listdir(folder))
    trust = ssl.create_default_context(cafile=ca) if ca else True
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=32, ssl=trust)) as session:

        async def work():
            for name in names:
                with open(f"{folder}/{name}", "rb") as file:
                    content = file.read()
                await put_async(store, name, content, use_multipart=False)
                body = {"link": f"s3://{BUCKET}/{name}", "name": name, "size": len(content)}
                async with session.post(backend, json=body) as answer:
                    answer.raise_for_status()
                    await answer.read()

        await asyncio.gather(*(work() for _ in range(32)))


sys.dont_write_bytecode = True
asyncio.run(main(*sys.argv[1:]))
