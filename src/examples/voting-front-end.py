"""A voting front end for one poll on Redis, without packages. Open http://127.0.0.1:8090 after

    SECRET=<the same at each start> python3 src/examples/voting-front-end.py <poll id>

It leaves out the human check, and the sign-in, name and list of VPNs that a poll may ask for.
"""

import base64, hashlib, hmac, html, json, os, socket, sys, urllib.parse, urllib.request, uuid
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

POLL, KEYS = sys.argv[1], "tallycast:{%s}:" % sys.argv[1]
SECRET = os.environ["SECRET"].encode()
RELAY = os.environ.get("TALLYCAST_URL", "http://127.0.0.1:8080")
REDIS = ("127.0.0.1", int(os.environ.get("REDIS_PORT", 6379)))
COMMANDS = Path(__file__).parent / "../engine/redis/commands"
CAST, CHANGE = ((COMMANDS / f"{name}-1.lua").read_text("utf-8") for name in ("cast-ballots", "change-ballot"))


def call(*words):
    """Sends one command of the Redis protocol and returns its reply."""
    texts = [str(word).encode() for word in words]
    with socket.create_connection(REDIS, timeout=2) as connection, connection.makefile("rwb") as stream:
        stream.write(b"*%d\r\n" % len(texts) + b"".join(b"$%d\r\n%s\r\n" % (len(text), text) for text in texts))
        stream.flush()
        return read(stream)


def read(stream):
    kind, rest = (line := stream.readline())[:1], line[1:-2]
    if kind == b"-": raise RuntimeError(rest.decode())
    if kind == b":": return int(rest)
    if kind == b"*": return [read(stream) for _ in range(int(rest))]
    if kind != b"$": raise OSError("the connection was lost")
    return stream.read(int(rest) + 2)[:-2].decode()


def key(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()[:16]


def cast(ballot_id, voter, address, answers, number, script=CAST):
    """Returns the version after the ballot, or the reason of its rejection. The same ballot id never counts twice.
    With CHANGE the answers replace those of the voter's ballot, and none withdraw it: a ballot of its own, with an id of its own."""
    arguments = [1, f"{KEYS}poll-3", "PUBLISH", f"{KEYS}hints", 0]
    hashed = key(hmac.new(SECRET, address.encode(), "sha256").hexdigest())
    arguments += [ballot_id, key(voter), hashed, "", ",".join(answers), "", "", f"round={number}"]
    if script is CHANGE: arguments += [""]  # No receipt: with `change_vote` the poll knows the ballot.
    try: return call("EVALSHA", hashlib.sha1(script.encode()).hexdigest(), *arguments)[0]
    except RuntimeError as error:
        if not str(error).startswith("NOSCRIPT"): raise
    except OSError: pass  # Nothing tells whether the ballot was counted, so the same call is repeated.
    return call("EVAL", script, *arguments)[0]


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        with urllib.request.urlopen(f"{RELAY}/api/poll/{POLL}/definition") as reply: poll = json.load(reply)
        field = f"<p><label><input name=answer type={'checkbox' if poll['ma'] else 'radio'} value="
        boxes = [f"{field}{it['id']}> {html.escape(it['answer'])}</label>" for it in poll["poll_answers"]]
        change = "<button name=change value=1>Change my vote</button> Without an answer it is withdrawn."
        self.answer(f"<h1>{html.escape(poll['title'])}</h1><form method=post><input type=hidden name=ballot "
                    f"value={uuid.uuid4()}><input type=hidden name=round value={poll.get('round', 1)}>"
                    f"{''.join(boxes)}<p><button>Vote</button> {change if poll['change_vote'] else ''}</form>")

    def do_POST(self):
        length = min(int(self.headers.get("Content-Length", 0)), 10_000)
        form = urllib.parse.parse_qs(self.rfile.read(length).decode())
        voter = SimpleCookie(self.headers.get("Cookie")).get("voter")
        if voter is None or "ballot" not in form: return self.send_error(400, "Open the page first")
        script, number = CHANGE if "change" in form else CAST, int(form.get("round", ["1"])[0])
        try: outcome = cast(form["ballot"][0], voter.value, self.client_address[0], form.get("answer", []), number, script)
        except OSError: return self.send_error(503, "Go back and press Vote again. It cannot count twice")
        self.answer(f"<p>{outcome}</p>" if isinstance(outcome, str) else "<p>Your vote has been counted.</p>")

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if "voter=" not in self.headers.get("Cookie", ""):
            self.send_header("Set-Cookie", f"voter={uuid.uuid4()}; HttpOnly; SameSite=Lax; Max-Age=31536000")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>Vote</title>{body}".encode())


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8090))), Page).serve_forever()
