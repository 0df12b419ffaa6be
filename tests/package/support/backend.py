"""An application of the example backend for tests: `python backend.py EXAMPLE FOLDER ANSWER_SECONDS RUN_SECONDS`.

The user writes the calls that the model wants, as JSON; what the model is told of their ends, it says as JSON.
"""

import asyncio
import json
import logging
import pathlib
import sys

EXAMPLE, FOLDER, ANSWER_SECONDS, RUN_SECONDS = sys.argv[1:]
sys.path.insert(0, EXAMPLE)

from backend import Backend  # noqa: E402  (the folder of the example is known only now)

logging.basicConfig(filename=pathlib.Path(FOLDER, "log"), level=logging.INFO, format="%(message)s")
logging.getLogger("websockets").setLevel(logging.WARNING)
BOOKED = pathlib.Path(FOLDER, "booked")


async def book(arguments):
    """A side effect that can be counted: one line for each time that it happens."""
    with BOOKED.open("a") as lines:
        lines.write(f"{arguments['name']}\n")
    while arguments.get("gated") and not pathlib.Path(FOLDER, arguments["name"]).exists():
        await asyncio.sleep(0.01)
    return {"booked": arguments["name"]}


async def silent(_arguments):
    await asyncio.Event().wait()


async def broken(_arguments):
    raise ValueError("no such room")


FAILED = set()


async def model(history):
    last = history[-1]
    if last["role"] == "tool":
        # Fails once.
        troubles = {result["input"].get("trouble") for result in last["results"]} - {None} - FAILED
        if troubles:
            FAILED.update(troubles)
            raise ValueError("the model is overloaded")
        return json.dumps(last["results"]), []
    if last["text"] == "And?":
        return json.dumps(history[-2]["results"]), []
    return "", json.loads(last["text"])


async def main():
    tools = {"book": book, "silent": silent, "broken": broken, "pick": None}
    backend = Backend(model, tools, float(ANSWER_SECONDS), float(RUN_SECONDS))
    async with backend.listen("127.0.0.1", 0, [None]) as server:
        print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()


asyncio.run(main())
