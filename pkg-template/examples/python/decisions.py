"""What a message list says about its tool calls: the rule for backends. Doubt is never a yes, and a no is a no in every state.

Of the conditions in `read_list`, and then of those in `decide`, the first one that fits decides.

- A name is text that is not empty. An approval that is `null` is none. In a call that was answered or rejected, an
  output or an error text that is `null` is none.
- Two inputs are the same if their canonical JSON (RFC 8785) is; an input that is `null` is none. One that is deeper than
  64 levels, or longer than 262,144 characters, may differ from everything.
- A call id may come again in a later step with another approval id, and is another call. A result without an approval
  contradicts a later yes only with the same tool and input.
- A step begins with each message, after each `step-start`, and with each `steering-message`, which is a step of its own.
- An answer is `current` if no later step says anything. `step-start`, `data-` and `source-` parts, calls in
  `input-streaming` and empty assistant messages say nothing. Everything else does.
"""
import json

STATES = ("input-streaming", "input-available", "approval-requested", "approval-responded",
          "output-available", "output-error", "output-denied")


def name(value):
    return value if isinstance(value, str) and value else None


def edited_from(part, answered):
    """The input that the model asked for, if whoever answered has changed it."""
    note = part.get("callProviderMetadata")
    for field in ("tool-approval-guard", "editedFrom"):
        note = note.get(field) if answered and isinstance(note, dict) else None
    return note


def facts(part, assistant, place):
    kind, state, approval = part["type"], part.get("state"), part.get("approval")
    inner = approval if isinstance(approval, dict) else {}
    # `is`, because in Python 1 == True.
    yes, no = inner.get("approved") is True, inner.get("approved") is False
    tool = name(part.get("toolName") if kind == "dynamic-tool" else kind[len("tool-"):])
    call = name(part.get("toolCallId"))
    edited = edited_from(part, yes or no)
    asked = part.get("input") if edited is None else edited
    return dict(
        place, part=part, state=state, approval=approval, id=name(inner.get("id")), call=call, tool=tool,
        assistant=assistant, identity=(call, tool) if assistant and call and tool else None, yes=yes, no=no,
        rejected=no or state == "output-denied", bad="approved" in inner and not yes and not no,
        absent=isinstance(approval, dict) and "approved" not in inner,
        settled=state in ("output-available", "output-error"), reason=inner.get("reason") if isinstance(inner.get("reason"), str) else None,
        input=json.dumps(part.get("input"), sort_keys=True), asked=json.dumps(asked, sort_keys=True),
        asked_input=asked, edited=edited is not None,
        signed="signature" in inner or "inputSchemaInput" in inner,
        residue=part.get("output") is not None or part.get("errorText") is not None)


def read_list(messages):
    """The places of a list, and the last step that says anything."""
    entries, step, last = [], 0, 0
    if not isinstance(messages, list):
        return [{"code": "not-a-list", "step": 0}], 0
    for m, message in enumerate(messages):
        step += 1
        fields = message if isinstance(message, dict) else {}
        role, parts = fields.get("role"), fields.get("parts")
        problems = [code for code, found in (
            ("not-an-object", not isinstance(message, dict)),
            ("unknown-role", isinstance(message, dict) and role not in ("system", "user", "assistant")),
            ("missing-parts", isinstance(message, dict) and not isinstance(parts, list))) if found]
        entries += [{"code": code, "message": m, "step": step} for code in problems]
        if problems or role != "assistant":
            last = step
        for p, part in enumerate(parts if isinstance(parts, list) else []):
            place = {"message": m, "index": p, "step": step}
            kind = part.get("type") if isinstance(part, dict) else None
            if not isinstance(kind, str):
                problem = "missing-type" if isinstance(part, dict) else "not-an-object"
                entries.append(dict(place, code=problem))
                last = step
            elif kind == "dynamic-tool" or kind.startswith("tool-"):
                entries.append(facts(part, role == "assistant", place))
                if part.get("state") != "input-streaming":
                    last = step
            elif role != "assistant":
                pass
            elif kind == "step-start":
                step += 1
            elif kind == "steering-message":
                last, step = step + 1, step + 2
            elif not kind.startswith(("data-", "source-")):
                last = step
    return entries, last


def read_decisions(messages, client_tools=(), requested=None):
    entries, last = read_list(messages)
    uses, calls, steps, first_no, unasked, asked = {}, {}, {}, {}, {}, None
    for at, c in enumerate(entries):
        if "code" in c:
            continue
        result = c["settled"] or c["state"] == "output-denied"
        if c["id"]:
            u = uses.setdefault(c["id"], dict(
                identity=c["identity"], input=c["asked"], shared=False, contradicted=False, changed=False, executed=False,
                question=-1))
            u["shared"] |= c["identity"] is None or c["identity"] != u["identity"]
            u["contradicted"] |= c["rejected"] or c["bad"]
            u["changed"] |= c["asked"] != u["input"]
            if c["yes"]:
                u["changed"] |= u.setdefault("allowed", c["input"]) != c["input"]
            u["executed"] |= result or (c["yes"] and c["residue"])
            u["last"] = at
            if c["absent"]:
                u["question"] = at
        if c["identity"] and c["rejected"]:
            first_no.setdefault(c["identity"], at)
        if c["identity"] and c["settled"] and c["approval"] is None:
            unasked[c["identity"]] = c["input"]
        if c["assistant"] and c["call"]:
            n = calls.setdefault(c["call"], {"result": -1})
            n["last"] = at
            if result:
                n["result"] = at
            t = steps.setdefault((c["step"], c["call"]), {"count": 0, "held": False})
            t["count"] += 1
            asks = c["state"] in ("approval-requested", "approval-responded")
            t["held"] |= c["rejected"] or (asks and not c["yes"])
    stripped = {}
    if requested is not None:
        asked = {(r["approvalId"], r["toolCallId"]) for r in requested}
        seen = {(c["id"], c["call"]) for c in entries if c.get("identity")}
        stripped = {call: calls[call]["last"] for _, call in asked - seen if call in calls}

    def known(c):
        return asked is None or (c["id"], c["call"]) in asked

    def contradiction(c):
        u = uses[c["id"]]
        return "shared-approval" if u["shared"] else "conflicting-answers" if u["contradicted"] else None

    def decide(at, c):
        state, part, has_approval = c["state"], c["part"], c["approval"] is not None
        if not c["assistant"]:
            return "wrong-role"
        if not c["call"] or not c["tool"]:
            return "missing-tool-name" if c["call"] else "missing-call-id"
        if c["rejected"]:
            return {"type": "rejected", "overwritten": c["settled"] or c["residue"]}
        if state not in STATES:
            return "unknown-state"
        if has_approval and not isinstance(c["approval"], dict):
            return "malformed-approval"
        if c["bad"]:
            return "malformed-answer"
        if state == "approval-responded":
            if not has_approval or c["absent"]:
                return "unanswered" if has_approval else "missing-approval"
            if not c["id"]:
                return "missing-approval-id"
            u = uses[c["id"]]
            if c["residue"]:
                return "already-executed"
            if contradiction(c):
                return contradiction(c)
            if u["executed"] or calls[c["call"]]["result"] > at:
                return "already-executed"
            if u["last"] > at:
                return "asked-again" if u["question"] > at else "repeated"
            if steps[c["step"], c["call"]]["count"] > 1:
                return "duplicate-call"
            if unasked.get(c["identity"]) in (c["input"], c["asked"]):
                return "already-executed"
            if u["changed"]:
                return "changed-input"
            if not known(c):
                return "unknown-approval"
            return {"type": "open", "waitsFor": "output"} if c["tool"] in client_tools else {"type": "approved"}
        if c["settled"]:
            if has_approval:
                if c["absent"] or not c["id"]:
                    return "unanswered" if c["absent"] else "missing-approval-id"
                if contradiction(c):
                    return contradiction(c)
            elif first_no.get(c["identity"], at) < at:
                return "conflicting-answers"
            if stripped.get(c["call"]) == at:
                return "unanswered"
            if steps[c["step"], c["call"]]["held"]:
                return "duplicate-call"
            if state == "output-error":
                return {"type": "error"} if isinstance(part.get("errorText"), str) else "missing-error-text"
            if part.get("preliminary") is True:
                return {"type": "open", "waitsFor": "output"}
            return {"type": "output"} if "output" in part else "missing-output"
        if c["yes"]:
            return "misplaced-answer"
        if not has_approval:
            if state == "approval-requested":
                return "missing-approval"
            return {"type": "open", "waitsFor": "input" if state == "input-streaming" else "output"}
        if state == "input-streaming":
            return {"type": "open", "waitsFor": "input"}
        if not c["id"]:
            return "missing-approval-id"
        return {"type": "open", "waitsFor": "approval"} if known(c) else "unknown-approval"

    decisions = []
    for at, c in enumerate(entries):
        answer = c["code"] if "code" in c else decide(at, c)
        found = {"type": "malformed", "code": answer} if isinstance(answer, str) else answer
        found["current"] = c["step"] == last
        if c.get("edited"):
            found["edited"] = True
        for field, value in (("message", c.get("message")), ("part", c.get("index")),
                             ("toolCallId", c.get("call")), ("toolName", c.get("tool")),
                             ("approvalId", c.get("id")), ("reason", c.get("reason"))):
            if value is not None:
                found[field] = value
        decisions.append(found)
    return decisions
