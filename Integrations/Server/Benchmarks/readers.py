"""Measures servers that stream each request they get to all readers of /events, as server-sent events.

    readers.py [--readers N] [--requests N] [--senders N] [--rounds N] NAME=PROGRAM...

Starts one program after the other, with its port in $PORT; each round starts all of them. The readers open their
streams, the senders send their requests, each after the response to the one before. Checks that every reader receives
every request, and that SIGTERM ends all streams, and the program with code 0. Prints the medians of the rounds, with
the smallest and the largest values: the processor time of the program from its start to its end, the peak of its
memory, and the time from the first request until the last reader had the last one.
"""

import argparse
import asyncio
import os
import signal
import socket
import statistics
import sys
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def connect(port):
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)


def request(path):
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


class Reader:
    """Reads one stream to its end."""

    def __init__(self):
        self.body = b""
        self.waits = []

    async def run(self, port):
        reader, writer = await connect(port)
        writer.write(request("/events"))
        while chunk := await reader.read(65536):
            self.body += chunk
            for text, event in self.waits:
                if text in self.body[-len(chunk) - 200 :]:
                    event.set()
        writer.close()

    async def until(self, text):
        event = asyncio.Event()
        self.waits = [(text, event)]
        if text not in self.body:
            await event.wait()
        self.waits = []


class Sender:
    """Sends requests on one connection, each after the response to the one before."""

    def __init__(self, connection):
        self.reader, self.writer = connection

    async def send(self, path):
        self.writer.write(request(path))
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await self.reader.readexactly(int(length.split(b":")[1]))

    async def send_all(self, number, count):
        for index in range(count):
            await self.send(f"/sender/{number}/request/{index}")


def memory(pid):
    """The peak of the memory in use, in MB; that of wait4 would begin with the memory of this program."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


async def measure(program, options):
    port = free_port()
    variables = os.environ | {"HOST": "127.0.0.1", "PORT": str(port), "LOG_LEVEL": "error"}
    pid = os.posix_spawn(program, [program], variables)
    try:
        readers = [Reader() for _ in range(options.readers)]
        streams = [asyncio.create_task(reader.run(port)) for reader in readers]
        senders = [Sender(await connect(port)) for _ in range(options.senders)]
        # A server may register a reader some time after the head of its response.
        probes = 0
        while not all(b": /probe\n" in reader.body for reader in readers):
            await senders[0].send("/probe")
            probes += 1
            await asyncio.sleep(0.05)
        begun = time.monotonic()
        count = options.requests // options.senders
        await asyncio.gather(*(sender.send_all(number, count) for number, sender in enumerate(senders)))
        await senders[0].send("/last")
        await asyncio.gather(*(reader.until(b": /last\n") for reader in readers))
        taken = time.monotonic() - begun
        peak = memory(pid)
        os.kill(pid, signal.SIGTERM)
        await asyncio.gather(*streams)
        for sender in senders:
            sender.writer.close()
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    _, status, usage = await asyncio.to_thread(os.wait4, pid, 0)
    if status != 0:
        sys.exit(f"error: {program} has ended with status {status}")
    for reader in readers:
        lines = reader.body.split(b"\n")
        for number in range(options.senders):
            numbers = [int(line.rsplit(b"/", 1)[1]) for line in lines if b": /sender/%d/request/" % number in line]
            if numbers != list(range(count)):
                sys.exit(f"error: a reader of {program} has received {len(numbers)} of {count} requests, or out of order")
    return usage.ru_utime + usage.ru_stime, peak, taken, probes


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name, default in ("readers", 50), ("requests", 1000), ("senders", 1), ("rounds", 5):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("programs", nargs="+", metavar="NAME=PROGRAM")
    options = parser.parse_args()
    programs = dict(program.split("=", 1) for program in options.programs)
    results = {name: [] for name in programs}
    for _ in range(options.rounds):
        for name, program in programs.items():
            results[name].append(asyncio.run(measure(program, options)))
    print(f"{options.readers} readers, {options.requests} requests, {options.senders} senders, {options.rounds} rounds")
    for name, rounds in results.items():
        texts = []
        for values, form, unit in zip(zip(*rounds), (".2f", ".1f", ".2f"), ("s of processor", "MB", "s")):
            low, middle, high = min(values), statistics.median(values), max(values)
            texts.append(f"{middle:{form}} {unit} ({low:{form}} to {high:{form}})")
        print(f"{name}: " + ", ".join(texts))


if __name__ == "__main__":
    main()
