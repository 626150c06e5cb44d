"""What an OpenAPI document cannot say of the bodies that a relay takes."""

import json
import re
import string
import unicodedata
from datetime import datetime, timedelta, timezone

import schemathesis

LETTERS = 13
BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def is_long_by_blanks(text, longest):
    """A schema measures what comes, a relay what is left when blanks at the ends are cut off."""
    return len(text) > longest >= len(text.strip("\ufeff" + string.whitespace + BLANKS))


INKLESS = re.compile("[\u115f\u1160\u3164\uffa0\u2800\U00013441\U00013442\U0001d159]")
UNSEEN = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\ufdd0-\ufdef\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]")


def visible_text(text):
    """As `visibleText` of src/poll: without what has no ink, and without marks that have no letter."""
    inked = UNSEEN.sub("", INKLESS.sub(" ", text))
    kept = " "
    for one in unicodedata.normalize("NFC", "".join(one for one in inked if unicodedata.category(one) != "Cf")):
        is_lone = kept[-1] == " " and unicodedata.category(one)[0] == "M"
        kept += " " if is_lone or one.isspace() else one
    return " ".join(kept.split())


def is_legible(text):
    """At most four marks on a letter, and something to see."""
    kinds = "".join(unicodedata.category(one) + " " for one in text if unicodedata.category(one) != "Cf")
    return visible_text(text) != "" and not re.search("(?:Mn |Me ){5}", kinds)


def has_possible_choices(poll):
    """At least `min_choices`, at most `max_choices`, which is at most the number of answers; a letter for each."""
    answers, bounds = poll.get("answers"), [poll.get("min_choices"), poll.get("max_choices")]
    given = [one for one in bounds if isinstance(one, (int, float))]
    most = len(answers) if isinstance(answers, list) else 2
    if poll.get("chat_words") in (True, 1) and most > LETTERS:
        return False
    return given == sorted(given) and all(one <= most for one in given)


@schemathesis.hook
def filter_body(context, body):
    """No two answers look alike, and at no depth is there what could change an object of the reading program."""
    poll = body.get("poll") if isinstance(body, dict) else None
    answers = poll.get("answers") if isinstance(poll, dict) else None
    if isinstance(answers, list) and all(isinstance(one, (dict, str)) for one in answers):
        objects = [{"answer": one} if isinstance(one, str) else one for one in answers]
        distinct = {json.dumps(one, sort_keys=True, default=str): one for one in objects}.values()
        for member in ("id", "answer"):
            given = [one[member] for one in distinct if isinstance(one.get(member), str)]
            if len({visible_text(one) for one in given}) < len(given):
                return False
        answers = [one["answer"] for one in objects if isinstance(one.get("answer"), str)]
    if isinstance(answers, list) and all(isinstance(one, str) for one in answers):
        if len({visible_text(one) for one in answers}) < len(set(answers)):
            return False
        if any(is_long_by_blanks(one, 200) or not is_legible(one) for one in answers):
            return False
    if isinstance(poll, dict) and not has_possible_choices(poll):
        return False
    for name, longest in (("title", 300), ("description", 5000)):
        text = poll.get(name) if isinstance(poll, dict) else None
        if isinstance(text, str) and is_long_by_blanks(text, longest):
            return False
        if isinstance(text, str) and text.strip() and not is_legible(text):
            return False
    try:
        text = json.dumps(body)
    except (TypeError, ValueError):
        return True
    return "__proto__" not in text and '"prototype"' not in text


@schemathesis.hook
def before_call(context, case, **kwargs):
    """A deadline from an earlier reply, which Schemathesis sends again, may have passed since."""
    poll = case.body.get("poll") if isinstance(case.body, dict) else None
    deadline = poll.get("deadline") if isinstance(poll, dict) else None
    soon = datetime.now(timezone.utc) + timedelta(hours=1)
    if isinstance(deadline, str) and deadline[:4].isdigit() and deadline < soon.isoformat():
        poll["deadline"] = "2099-01-01T00:00:00.000Z"
