"""Takes the answers of a client into stored messages: the rule of the guide for servers, without dependencies."""
from decisions import name, read_list

PROBLEMS = ("not-a-list", "unknown-role", "missing-parts", "missing-type")
RESULT = ("output", "errorText", "preliminary", "resultProviderMetadata")


class NotTaken(Exception):
    """Something that a client sent is not taken. The text is its code."""


def same(a, b):
    """Whether two values are equal in JSON. In Python 1 == True."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def says(call):
    """What a call says beyond what its server has said: "no", "yes" or "output"."""
    if call["rejected"]:
        return "no"
    if call["yes"] or call["bad"] or not isinstance(call["approval"], (dict, type(None))):
        return "yes"
    return "output" if call["settled"] and call["part"].get("preliminary") is not True else None


def calls_of(entries):
    return [(at, entry) for at, entry in enumerate(entries) if entry.get("assistant")]


def places_of(calls, message_of):
    """The calls by their message, their id, and how often that id came before in the message."""
    counts, places = {}, {}
    for at, call in calls:
        message = message_of(call)
        if message is not None and call["call"]:
            key = (message, call["call"])
            counts[key] = counts.get(key, -1) + 1
            places[(*key, counts[key])] = at
    return places


def by_name(calls, field):
    """The calls by a name."""
    named = {}
    for at, call in calls:
        if call[field]:
            named.setdefault(call[field], []).append(at)
    return named


def fields_of(message):
    return message if isinstance(message, dict) else {}


def is_blank(part):
    return part.get("type") == "text" and isinstance(part.get("text"), str) and not part["text"].strip()


def is_strange(part):
    """Whether a message of the user cannot have this part."""
    kind = part.get("type") if isinstance(part, dict) else None
    return not isinstance(kind, str) or kind == "dynamic-tool" or kind.startswith("tool-")


class Merge:
    def __init__(self, stored, sent, client_tools, editable):
        self.stored, self.sent = stored, sent if isinstance(sent, list) else []
        self.client_tools, self.editable = client_tools, editable
        entries, last = read_list(stored)
        self.entries, _ = read_list(sent)
        calls, sent_calls = calls_of(entries), calls_of(self.entries)
        self.known = {at: dict(call, followed=call["step"] != last, result=call["part"]) for at, call in calls}
        for call in self.known.values():
            call["answer"] = True if call["yes"] else False if call["no"] else None
        self.approvals, self.calls = by_name(calls, "id"), by_name(calls, "call")
        self.sent_calls = by_name(sent_calls, "call")
        ids = {name(fields_of(message).get("id")): at for at, message in enumerate(stored)}
        ids.pop(None, None)
        self.stored_as = [ids.get(name(fields_of(message).get("id"))) for message in self.sent]
        self.places = places_of(calls, lambda call: name(stored[call["message"]].get("id")))
        by_place = places_of(sent_calls, lambda call: self.stored_as[call["message"]] is not None and
                             name(self.sent[call["message"]].get("id")) or None)
        self.sent_places = {at: place for place, at in by_place.items()}
        known = [at for at, known in enumerate(self.stored_as) if known is not None]
        known += [call["message"] for _, call in sent_calls if call["call"] in self.calls]
        self.anchor = max(known, default=None)
        self.messages, self.added = list(stored), []

    def run(self):
        refused = []

        def attempt(work, message, part=None):
            try:
                work()
            except NotTaken as problem:
                place = {"message": message, "part": part}
                refused.append({"code": str(problem)} | {k: v for k, v in place.items() if v is not None})

        self.add_messages(attempt)
        for entry in self.entries:
            code = entry.get("code", None if entry.get("assistant") else "wrong-role")
            if code:
                known = code if code in PROBLEMS or code == "wrong-role" else "not-an-object"
                refused.append({"code": known} | {
                    k: v for k, v in (("message", entry.get("message")), ("part", entry.get("index"))) if v is not None})
        # A denial wins, whatever comes first in the list.
        for kind in ("no", "yes", "output"):
            for at, call in calls_of(self.entries):
                if says(call) == kind:
                    attempt(lambda: self.take(at, call, kind), call["message"], call["index"])
        refused.sort(key=lambda one: (one.get("message", -1), one.get("part", -1)))
        messages = [*self.messages, *self.added]
        changed = [m for at, m in enumerate(messages) if at >= len(self.stored) or m is not self.stored[at]]
        return {"messages": messages, "changed": changed, "refused": refused}

    # ---- messages of the user ------------------------------------------------------------

    def add_messages(self, attempt):
        roles = [fields_of(message).get("role") for message in self.sent]
        begin = 0 if self.anchor is None else self.anchor + 1
        if self.anchor is None and self.stored and "assistant" in roles:
            # A store that knows nothing of the list cannot say where the new messages begin.
            begin = len(roles) - roles[::-1].index("assistant")
        before = {}
        for at, role in enumerate(roles):
            if role == "user":
                attempt(lambda: self.add(at, begin, before), at)
            elif role == "system" and self.stored_as[at] is None:
                attempt(lambda: self.refuse("wrong-role"), at)

    @staticmethod
    def refuse(code):
        raise NotTaken(code)

    def add(self, at, begin, before):
        message = self.sent[at]
        parts = message.get("parts")
        # What is wrong with its parts is said of them.
        if not isinstance(parts, list) or any(map(is_strange, parts)):
            return
        if all(map(is_blank, parts)):
            raise NotTaken("no-content")
        own = name(message.get("id")) or self.refuse("missing-message-id")
        other = before.get(own)
        if self.stored_as[at] is not None:
            other = self.stored[self.stored_as[at]]
        if other is not None:
            if other.get("role") != "user" or not same(other.get("parts"), parts):
                raise NotTaken("changed-message")
        elif at < begin:
            raise NotTaken("not-at-the-end")
        else:
            before[own] = message
            self.added.append(message)

    # ---- answers and outputs -------------------------------------------------------------

    def find(self, at, call):
        """The stored call that a call is about."""
        if not call["call"] or not call["tool"]:
            raise NotTaken("missing-tool-name" if call["call"] else "missing-call-id")
        if call["id"]:
            found = self.approvals.get(call["id"]) or self.refuse("unknown-approval")
        elif says(call) in ("no", "yes"):
            raise NotTaken("missing-approval-id")
        elif at in self.sent_places:
            found = [self.places.get(self.sent_places[at])]
        else:
            found = self.calls.get(call["call"], [None])
            if found != [None] and len(found) == 1 and len(self.sent_calls[call["call"]]) > 1:
                raise NotTaken("duplicate-call")
        if len(found) > 1:
            raise NotTaken("duplicate-call")
        known = self.known.get(found[0]) or self.refuse("unknown-call")
        if known["call"] != call["call"]:
            raise NotTaken("unknown-approval")
        if known["tool"] != call["tool"]:
            raise NotTaken("changed-tool")
        return known

    def take(self, at, call, kind):
        known = self.find(at, call)
        original = self.stored[known["message"]]["parts"][known["index"]]
        # What a call of the past had as its input does not matter any more.
        has_ended = original.get("state") in ("output-available", "output-error", "output-denied")
        if not has_ended and not same(known["asked_input"], call["asked_input"]):
            raise NotTaken("changed-input")
        edited = not has_ended and kind != "no" and self.is_edited(known, call)
        taken = {"no": self.denial, "yes": self.allowance, "output": self.output}[kind](known, call)
        if taken is None:
            return
        state, approved = taken
        message = self.messages[known["message"]]
        part = {k: v for k, v in message["parts"][known["index"]].items() if k not in RESULT} | {"state": state}
        if approved is not None:
            approval = {k: v for k, v in part["approval"].items() if k != "reason"} | {"approved": approved}
            part["approval"] = approval | ({"reason": call["reason"]} if call["reason"] is not None else {})
            known["answer"] = approved
        if edited:
            note = {"tool-approval-guard": {"editedFrom": call["asked_input"]}}
            before = part.get("callProviderMetadata")
            metadata = (before if isinstance(before, dict) else {}) | note
            part |= {"input": call["part"].get("input"), "callProviderMetadata": metadata}
            known["edit"] = call["part"]
        field = {"output-available": "output", "output-error": "errorText"}.get(state)
        if field in call["part"]:
            part[field] = call["part"][field]
        if field:
            known["result"] = call["part"]
        known["state"] = state
        parts = [part if i == known["index"] else other for i, other in enumerate(message["parts"])]
        self.messages[known["message"]] = message | {"parts": parts}

    def is_edited(self, known, call):
        """Whether the call brings a changed input that is new. A question is answered for one input: that of the first yes."""
        first = known.get("edit", known["part"])
        if known["answer"] is not None or not call["edited"]:
            # Without an answer of its own, an output says nothing of the input.
            if call["yes"] and not same(first.get("input"), call["part"].get("input")):
                raise NotTaken("changed-input")
            return False
        is_free = call["tool"] in self.editable and not known["signed"]
        if not is_free or known["part"].get("providerExecuted") is True:
            raise NotTaken("not-editable")
        return True

    def denial(self, known, call):
        followed = known["followed"] or bool(self.added)
        # A denial that something follows is settled.
        settles = followed or call["state"] == "output-denied"
        state, was, answer = "output-denied" if settles else "approval-responded", known["state"], known["answer"]
        if was == "output-denied":
            return None
        if answer is False:
            return (state, None) if was == "approval-responded" and settles else None
        if was == "approval-requested" and answer is None:
            return state, False
        if was == "approval-responded" and answer:
            # Its server runs it no more, and no list with an allowance before the last step is accepted.
            return (state, False) if followed else self.refuse("conflicting-answers")
        raise NotTaken("already-settled" if was in ("output-available", "output-error") else "unknown-approval")

    def allowance(self, known, call):
        with_output, was, answer = call["settled"], known["state"], known["answer"]
        in_place = call["state"] == "approval-responded" and not call["residue"]
        if call["bad"] or not (with_output or in_place):
            raise NotTaken("malformed-answer")
        if was == "output-denied" or answer is False:
            raise NotTaken("conflicting-answers")
        if was == "approval-requested" and answer is None:
            if known["followed"]:
                raise NotTaken("left-behind")
            return (self.result(known, call) if with_output else "approval-responded"), True
        if answer:
            return self.output(known, call) if with_output else None
        raise NotTaken("already-settled" if was in ("output-available", "output-error") else "unknown-approval")

    def output(self, known, call):
        was, answer, part = known["state"], known["answer"], call["part"]
        if was in ("output-available", "output-error"):
            # What a tool of the server has said is not the client's to say, so it is not compared.
            fields = ("state", "output", "errorText")
            if self.runs_in_page(known) and not all(same(known["result"].get(f), part.get(f)) for f in fields):
                raise NotTaken("already-settled")
            return None
        if was == "output-denied" or answer is False:
            raise NotTaken("conflicting-answers")
        if (was == "approval-responded" and answer) or (was == "input-available" and known["approval"] is None):
            return self.result(known, call), None
        raise NotTaken("unanswered")

    def runs_in_page(self, known):
        return known["tool"] in self.client_tools and known["part"].get("providerExecuted") is not True

    def result(self, known, call):
        """The state with the result of a tool that runs in the page."""
        if not self.runs_in_page(known):
            raise NotTaken("server-tool")
        if call["state"] == "output-error" and not isinstance(call["part"].get("errorText"), str):
            raise NotTaken("missing-error-text")
        return call["state"]


def merge_answers(stored, sent, client_tools=(), editable=()):
    """The stored messages with what a client may say: "messages", those of them that are "changed", and what is "refused".

    "editable" are the tools whose input a user may change before allowing a call. Neither list is changed. A refusal has a "code", and the places "message" and "part" in the list that was sent.
    """
    return Merge(stored, sent, client_tools, editable).run()
