"""A program that only exists on the stream: it says what a test wants, at once, and goes when it is asked to."""

import http.server
import json
import threading
import urllib.request

BEGAN, ENDED, QUEUED, STARTED, FINISHED, FAILED, SKIPPED = range(7)
MS = 1_000_000


class Trace:
    """Steps of posts, in the form of the stream."""

    def __init__(self):
        self.strings, self.lanes = ["(more)"], ["other actors"]
        self.sent = [0, 0, 0]
        self.entries, self.texts = [], {}

    def _index(self, names, name):
        if name not in names:
            names.append(name)
        return names.index(name)

    def _step(self, kind, post, outer, time, name, site, lane, registration=-1, handler=0, text=None, reason=0):
        if text is not None:
            self.texts[len(self.entries)] = text
        self.entries.append([kind, post, outer, time, name, site, registration, handler, lane, reason])

    def post(self, number, at, name="sample", site="App/Main.swift:1", lane="MainActor", length=MS // 10,
             outer=0, calls=(), payload=None, skips=()):
        """A post; a call has a handler, a lane, a delay, a length (none while it runs) and an error; a skip a handler and a reason."""
        title, place = self._index(self.strings, name), self._index(self.strings, site)
        here = self._index(self.lanes, lane)
        self._step(BEGAN, number, outer, at, title, place, here)
        ends = []
        for key, (handler, actor, delay, took, *error) in enumerate(calls):
            where = self._index(self.strings, handler)
            common = dict(registration=number * 100 + key, handler=where)
            self._step(QUEUED, number, outer, at, title, place, here, **common)
            there = self._index(self.lanes, actor)
            self._step(STARTED, number, outer, at + delay, title, place, there, text=payload, **common)
            if took is not None:
                kind, text = (FAILED, error[0]) if error else (FINISHED, None)
                ends.append((kind, at + delay + took, there, text, common))
        for key, (handler, reason) in enumerate(skips):
            self._step(SKIPPED, number, outer, at, title, place, here, registration=number * 100 + 50 + key,
                       handler=self._index(self.strings, handler), reason=reason)
        self._step(ENDED, number, outer, at + length, title, place, here)
        for kind, time, there, text, common in ends:
            self._step(kind, number, outer, time, title, place, there, text=text, **common)

    def batch(self):
        """What is new since the last call."""
        first, strings, lanes = self.sent
        self.sent = [len(self.entries), len(self.strings), len(self.lanes)]
        return {"first": first, "stringsFrom": strings, "strings": self.strings[strings:], "lanesFrom": lanes,
                "lanes": self.lanes[lanes:],
                "texts": {str(at): text for at, text in self.texts.items() if at >= first},
                "entries": [number for entry in self.entries[first:] for number in entry]}


def observer(name="sample", site="App/Main.swift:2", owner="Window", count=1, **others):
    row = {"name": name, "site": site, "owner": owner, "count": count, "alive": count, "paused": 0,
           "dropped": 0, "waiting": 0, "growing": False, "history": [count] * 5}
    return {**row, **others}


def observers(rows):
    return {"total": sum(row["count"] for row in rows), "waiting": 0, "lost": 0, "omitted": 0, "rows": rows}


class Stage:
    """Serves the page of a real program, and a stream of its own."""

    def __init__(self, url, label="stage", process=1):
        with urllib.request.urlopen(url) as response:
            self.page, self.policy = response.read(), response.headers["Content-Security-Policy"]
        self.meta = {"program": "Stage", "label": label, "process": process, "start": 1_000 + process,
                     "capacity": 100_000, "isLive": True, "columns": [], "reasons": ["declined", "paused"]}
        self.messages, self.clock = [], {"now": 0, "count": 0}
        self.changed = threading.Condition()
        self.isSilent, self.server, self.port = False, None, 0
        self.streamCount = 0

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/stage/"

    def open(self):
        """Serves, at the same address as before."""
        stage = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/stage/":
                    self.answer("text/html; charset=utf-8", stage.policy)
                    self.wfile.write(stage.page)
                elif self.path == "/stage/stream":
                    self.answer("text/event-stream", "default-src 'none'")
                    stage.stream(self.wfile, self.server)
                else:
                    self.send_error(404)

            def answer(self, kind, policy):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Security-Policy", policy)
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()

    def close(self):
        """Goes, like a program that ends."""
        if not self.server:
            return
        server, self.server = self.server, None
        with self.changed:
            self.changed.notify_all()
        server.shutdown()
        server.server_close()

    def send(self, name, data):
        with self.changed:
            self.messages.append((name, json.dumps(data)))
            self.changed.notify_all()

    def play(self, trace):
        """Sends what is new in a trace, and the clock."""
        batch = trace.batch()
        now = max([entry[3] for entry in trace.entries[batch["first"]:]], default=0)
        self.clock = {"now": max(now, self.clock["now"]), "count": len(trace.entries)}
        self.send("trace", batch)
        self.send("clock", self.clock)

    def stream(self, output, server):
        self.streamCount += 1
        output.write(b"event: meta\ndata: " + json.dumps(self.meta).encode() + b"\n\n")
        sent = 0
        while self.server is server:
            with self.changed:
                if sent == len(self.messages):
                    self.changed.wait(0.3)
                new, sent = self.messages[sent:], len(self.messages)
            if self.server is not server:
                return
            lines = [f"event: {name}\ndata: {text}\n\n" for name, text in new]
            if not self.isSilent:
                lines.append(f"event: clock\ndata: {json.dumps(self.clock)}\n\n")
            output.write("".join(lines).encode())
            output.flush()
