"""The backend with two tools, and with a stand-in for a model: `python main.py 8765`."""

import asyncio
import logging
import sys

from backend import Backend

NOTES = {"milk": "Two bottles.", "rent": "Due on Friday."}


async def delete_note(arguments):
    del NOTES[arguments["name"]]
    return {"left": sorted(NOTES)}


# The page runs the second one.
TOOLS = {"delete_note": delete_note, "pick_color": None}


async def model(history):
    """Deletes the notes that the user names, asks the page for a color, and says how the calls ended."""
    last = history[-1]
    if last["role"] == "tool":
        return "; ".join(f"{result['tool']}: {result}" for result in last["results"]), []
    words = last["text"].split()
    wanted = [("delete_note", {"name": name}) for name in NOTES if name in words]
    if "color" in words:
        wanted.append(("pick_color", {}))
    return ("" if wanted else "Which note shall I delete?"), wanted


async def main(port):
    # Your page's origin stands here; `None` lets programs in that are not pages.
    origins = ["http://localhost:3000", None]
    async with Backend(model, TOOLS).listen("127.0.0.1", port, origins) as server:
        print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("websockets").setLevel(logging.WARNING)
    try:
        asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 8765))
    except KeyboardInterrupt:
        pass
