"""A backend whose tool calls wait for what a client decides, over a WebSocket.

A client sends its whole list of messages in one frame:

    {"type": "message", "version": "1.0", "data": {"requestId": "…", "chatId": "…", "messages": […]}}

It gets frames of the types "chunk" (with a chunk of a UI message stream), "end" and "refused" (with a status and a
code), each with the id of its request. A response belongs to its chat and not to its connection: it goes on when a
connection breaks, and a request that comes again gets the same response from its beginning.

Each question, each answer and each time-out is logged, by the logger "backend". A log has no inputs and no outputs.

Chats are kept in memory, and whoever knows the id of a chat may write to it. A real backend keeps them in a database,
and asks who the user is.
"""

import asyncio
import json
import logging
import uuid

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from decisions import read_decisions

VERSION = "1.0"
log = logging.getLogger("backend")


class Denied(Exception):
    """The user denied a call. The text is the reason."""


class Failed(Exception):
    """A tool failed in the page. The text says how."""


class Refused(Exception):
    """A request is not accepted, and nothing in it counts."""

    def __init__(self, status, code):
        super().__init__(code)
        self.status, self.code = status, code


class Call:
    """One tool call. It waits for the client, runs at most once, and keeps how it ended.

    `run` gets the input and returns the output, after the user has approved. It is `None` if the page runs the tool:
    then the call waits for its output.
    """

    def __init__(self, name, run, arguments, limits):
        self.name, self.run, self.input = name, run, arguments
        self.id, self.approval_id = f"call-{uuid.uuid4()}", f"approval-{uuid.uuid4()}"
        # An approval, an output of the page, or a denial.
        self.answer = asyncio.get_running_loop().create_future()
        self._log("asks" if run else "waits for the page")
        self.result = asyncio.create_task(self._result(*limits))

    @property
    def waits(self):
        return not self.answer.done()

    def _log(self, what):
        log.info("%s %s: %s", self.name, self.id, what)

    def resolve(self, value=None):
        """The first answer counts."""
        if self.waits:
            self._log("approved" if self.run else "output of the page")
            self.answer.set_result(value)

    def reject(self, error):
        """The first answer counts."""
        if self.waits:
            # The text comes from a client, so it stands in quotes.
            self._log(f"{'denied' if isinstance(error, Denied) else 'failed in the page'}: {str(error)!r}")
            self.answer.set_exception(error)

    async def _result(self, answer_seconds, run_seconds):
        """How the call ended, as the model is told."""
        try:
            # Nobody answers in time: the future is cancelled, and a later answer does not count.
            output = await asyncio.wait_for(self.answer, answer_seconds)
            if self.run is not None:
                output = await asyncio.wait_for(self.run(self.input), run_seconds)
            return {"type": "output", "output": output}
        except Denied as denied:
            return {"type": "denied", "reason": str(denied)}
        except TimeoutError:
            self._log("did not answer in time")
            return {"type": "error", "error": f"{self.name} did not answer in time."}
        except Exception as error:
            return {"type": "error", "error": str(error) or type(error).__name__}

    def chunks(self):
        """What the client is told when the model calls the tool."""
        yield {"type": "tool-input-available", "toolCallId": self.id, "toolName": self.name, "input": self.input}
        if self.run is not None:
            yield {"type": "tool-approval-request", "toolCallId": self.id, "approvalId": self.approval_id}

    async def result_chunk(self):
        """What the client is told when the call has ended."""
        result = await self.result
        if result["type"] == "denied":
            return {"type": "tool-output-denied", "toolCallId": self.id}
        if result["type"] == "error":
            return {"type": "tool-output-error", "toolCallId": self.id, "errorText": result["error"]}
        return {"type": "tool-output-available", "toolCallId": self.id, "output": result["output"]}


class Response:
    """The chunks of one response, which are made once and can be read many times."""

    def __init__(self, chunks):
        self.error = None
        self._chunks, self._is_complete = [], False
        self._changed = asyncio.Condition()
        self._task = asyncio.create_task(self._make(chunks))

    async def _make(self, chunks):
        try:
            async for chunk in chunks:
                await self._change(chunk)
        except Exception as error:
            self.error = error
        self._is_complete = True
        await self._change()

    async def _change(self, *chunks):
        async with self._changed:
            self._chunks.extend(chunks)
            self._changed.notify_all()

    async def read(self):
        """The chunks, from the first one on. Raises the error with which the response ended."""
        at = 0
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self._is_complete or at < len(self._chunks))
            if at < len(self._chunks):
                yield self._chunks[at]
                at += 1
            elif self.error:
                raise self.error
            else:
                return


class Chat:
    """One chat: its calls, its responses, and what the model is told, of which the client writes only the texts.

    A message of the user has one response, and so has a step of calls. What `regenerate()` or an edited message asks
    for is left out here: it gets the response that there is.
    """

    def __init__(self, model, tools, limits):
        self.model, self.tools, self.limits = model, tools, limits
        self.history, self.calls, self.step, self.responses = [], {}, [], {}
        # One response at a time.
        self.turn = asyncio.Lock()

    def receive(self, messages):
        """The response to a list of messages. Raises `Refused`, and then no call has been answered."""
        decisions = read_decisions(
            messages,
            client_tools=[name for name, run in self.tools.items() if run is None],
            requested=[{"approvalId": call.approval_id, "toolCallId": call.id}
                       for call in self.calls.values() if call.run is not None])
        answers = [self._answer(decision, messages) for decision in decisions]
        user = messages[-1] if messages and messages[-1]["role"] == "user" else None
        if user and not isinstance(user.get("id"), str):
            raise Refused(400, "missing-message-id")
        current = [decision for decision in decisions if decision["current"]]
        if not user and (not current or any(decision["type"] == "open" for decision in current)):
            raise Refused(400, "waiting")
        for answer in answers:
            answer()
        key = user["id"] if user else tuple(decision["toolCallId"] for decision in current)
        if key not in self.responses or self.responses[key].error:
            self.responses[key] = Response(self._respond(user, key))
        return self.responses[key]

    def _answer(self, decision, messages):
        """What a decision does to the call that it is about, as a function."""
        kind = decision["type"]
        if kind == "malformed":
            raise Refused(400, decision["code"])
        call = self.calls.get(decision["toolCallId"])
        if call is None or decision["toolName"] != call.name:
            raise Refused(400, "unknown-call")
        part = messages[decision["message"]]["parts"][decision["part"]]
        if kind == "rejected":
            # Also if a result was written over it.
            reason = decision.get("reason", "The user denied permission for this call.")
            return lambda: call.reject(Denied(reason))
        if kind == "approved" and decision["current"]:
            # What runs is the input that was sent to the user, in any case.
            if part.get("input") != call.input:
                raise Refused(400, "changed-input")
            return call.resolve
        if kind == "output" and call.run is None:
            return lambda: call.resolve(part["output"])
        if kind == "output" and call.waits:
            raise Refused(400, "made-up-output")
        if kind == "error":
            return lambda: call.reject(Failed(part["errorText"]))
        # It is open, it was approved too late, or the page repeats what this backend has said.
        return lambda: None

    async def _respond(self, user, key):
        """The chunks of a response: how the calls of the last step ended, and what the model says to that."""
        async with self.turn:
            if not user and key != tuple(call.id for call in self.step):
                raise Refused(409, "used")
            yield {"type": "start"}
            for call in self.step:
                if user:
                    call.reject(Denied("The user moved on before this call was decided."))
                else:
                    yield await call.result_chunk()
            # If the model fails, nothing has changed, and the request can come again.
            news = await self._news(user)
            text, wanted = await self.model([*self.history, *news])
            self.history += [*news, {"role": "assistant", "text": text, "calls": wanted}]
            self.step = [Call(name, self.tools[name], arguments, self.limits) for name, arguments in wanted]
            self.calls.update((call.id, call) for call in self.step)
            yield {"type": "start-step"}
            if text:
                yield {"type": "text-start", "id": "text"}
                yield {"type": "text-delta", "id": "text", "delta": text}
                yield {"type": "text-end", "id": "text"}
            for call in self.step:
                for chunk in call.chunks():
                    yield chunk
            yield {"type": "finish-step"}
            yield {"type": "finish"}

    async def _news(self, user):
        """What the model has not been told: the results of the last step, and the text of the user."""
        news = []
        if self.step:
            results = [{"tool": call.name, "input": call.input, **await call.result} for call in self.step]
            news.append({"role": "tool", "results": results})
        if user:
            texts = [part["text"] for part in user["parts"] if isinstance(part.get("text"), str)]
            news.append({"role": "user", "text": "".join(texts)})
        return news


class Backend:
    """The chats of a server.

    `model` gets the history, and returns a text and the calls that it wants: pairs of a tool's name and an input.
    `tools` has a coroutine function for each tool, which runs after the user has approved, or `None` if the page runs
    the tool.
    `answer_seconds` is how long a call waits for the client, `run_seconds` how long a tool may run.
    """

    def __init__(self, model, tools, answer_seconds=900, run_seconds=30):
        self._new_chat = lambda: Chat(model, tools, (answer_seconds, run_seconds))
        self._chats = {}

    def listen(self, host, port, origins):
        """A server. Only pages of these origins may connect; `None` stands for a client without an origin."""
        return serve(self._connection, host, port, origins=origins, max_size=2**24)

    async def _connection(self, socket):
        try:
            # A request is read while the response to another one is still on its way.
            async with asyncio.TaskGroup() as requests:
                async for frame in socket:
                    requests.create_task(self._request(socket, frame))
        except* ConnectionClosed:
            pass

    async def _request(self, socket, frame):
        request = None

        async def send(kind, **data):
            await socket.send(json.dumps({"type": kind, "version": VERSION, "data": {"requestId": request, **data}}))

        try:
            request, chat, messages = read_frame(frame)
            if chat not in self._chats:
                self._chats[chat] = self._new_chat()
            async for chunk in self._chats[chat].receive(messages).read():
                await send("chunk", chunk=chunk)
            await send("end")
        except Refused as refused:
            log.info("refused a request: %s", refused.code)
            await send("refused", status=refused.status, code=refused.code)
        except ConnectionClosed:
            raise
        except Exception as error:
            await send("chunk", chunk={"type": "error", "errorText": str(error) or type(error).__name__})
            await send("end")


def read_frame(frame):
    """The request id, the chat id and the messages of a frame. Raises `Refused` if it has another form."""
    try:
        content = json.loads(frame)
        data = content["data"]
        if content["type"] == "message" and content["version"] == VERSION:
            if isinstance(data["requestId"], str) and isinstance(data["chatId"], str):
                return data["requestId"], data["chatId"], data["messages"]
    except (ValueError, KeyError, TypeError):
        pass
    raise Refused(400, "unreadable-frame")
