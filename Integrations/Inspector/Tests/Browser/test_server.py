"""The server of the page, against clients that are not browsers: python -m pytest test_server.py"""

import json
import re
import socket
import urllib.parse
import urllib.request

import pytest

from browser import LIMIT, Program, until


@pytest.fixture
def program():
    with Program() as program:
        yield program


def connect(program):
    address = urllib.parse.urlsplit(program.url)
    return socket.create_connection((address.hostname, address.port), timeout=LIMIT), address.path


def answer(program, head, host="127.0.0.1"):
    """The first line of the answer to a request, with PATH replaced by the path of the page."""
    connection, path = connect(program)
    with connection:
        connection.sendall((head.replace("PATH", path) + f"\r\nHost: {host}\r\nConnection: close\r\n\r\n").encode())
        return connection.recv(4096).decode(errors="replace").split("\r\n")[0]


def read(program, steps):
    """Reads the stream until so many steps have been recorded, and returns their number."""
    with urllib.request.urlopen(program.url + "stream", timeout=LIMIT) as stream:
        name = b""
        for line in stream:
            if name == b"event: clock\n":
                count = json.loads(line.removeprefix(b"data: "))["count"]
                if count >= steps:
                    return count
            name = line
    raise AssertionError("the stream has ended")


def memory(program):
    """The resident memory in megabytes."""
    with open(f"/proc/{program.process.pid}/status", encoding="utf-8") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024


def test_only_two_addresses_are_answered(program):
    assert answer(program, "GET PATH HTTP/1.1").endswith("200 OK")
    for method in ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]:
        assert " 404 " in answer(program, f"{method} PATH HTTP/1.1"), method
        assert " 404 " in answer(program, f"{method} PATHstream HTTP/1.1"), method
    for path in ["/", "/stream", "/../", "PATH../", "PATH../../etc/passwd", "PATH%2e%2e/etc/passwd",
                 "PATHpage.html", "PATHpage.js", "//etc/passwd", "PATHstream/x", "/%00", "PATH%00"]:
        assert " 404 " in answer(program, f"GET {path} HTTP/1.1"), path


def test_a_wrong_token_is_not_found(program):
    path = urllib.parse.urlsplit(program.url).path
    for wrong in [path[:-2] + "/", path.swapcase() if path.swapcase() != path else "/x/",
                  path[:-2] + ("0" if path[-2] != "0" else "1") + "/", "/" + "0" * 32 + "/"]:
        assert " 404 " in answer(program, f"GET {wrong} HTTP/1.1"), wrong


def test_only_the_loopback_is_a_host(program):
    port = urllib.parse.urlsplit(program.url).port
    for host in ["127.0.0.1", "localhost", "LOCALHOST", f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", "[::1]"]:
        assert answer(program, "GET PATH HTTP/1.1", host).endswith("200 OK"), host
        assert answer(program, "GET PATHstream HTTP/1.1", host).endswith("200 OK"), host
    for host in ["evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]", "x", "",
                 "127.0.0.2", "0.0.0.0"]:
        for path in ["PATH", "PATHstream"]:
            status = answer(program, f"GET {path} HTTP/1.1", host)
            assert " 421 " in status or " 400 " in status, (host, path, status)


def test_garbage_ends_its_connection_only(program):
    for garbage in [b"\0" * 10_000, b"GET " + b"/" * 300_000, b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n"]:
        connection, _ = connect(program)
        with connection:
            try:
                connection.sendall(garbage)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(4096)
            except OSError:
                pass
    assert answer(program, "GET PATH HTTP/1.1").endswith("200 OK")


def test_more_streams_than_the_limit_are_refused(program):
    streams = []
    for _ in range(16):
        connection, path = connect(program)
        connection.sendall(f"GET {path}stream HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert b"200 OK" in connection.recv(64)
        streams.append(connection)
    assert " 503 " in answer(program, "GET PATHstream HTTP/1.1")
    for stream in streams:
        stream.close()
    until(lambda: answer(program, "GET PATHstream HTTP/1.1").endswith("200 OK"), "a closed stream does not count")


def test_readers_that_do_not_read_cost_little_memory_and_do_not_hold_up_the_end():
    # Without a limit for its end, which would cut off the readers.
    with Program("--busy", "--patient") as program:
        # The recording is full.
        count = read(program, 100_000)
        before = memory(program)
        readers = []
        for _ in range(8):
            connection, path = connect(program)
            connection.sendall(f"GET {path}stream HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            readers.append(connection)
        # A reader that begins later has read everything.
        read(program, count + 200)
        grown = memory(program) - before
        print(f"{before:.0f} MB, then {grown:+.0f} MB")
        assert grown < 100
        assert program.stop() == 0
        for reader in readers:
            reader.close()


def test_connections_that_arrive_at_the_end_do_not_trap():
    for _ in range(30):
        with Program("--quiet") as program:
            connections = [connect(program)[0] for _ in range(3)]
            assert program.stop() == 0
            for connection in connections:
                connection.close()


def test_a_page_that_is_being_loaded_does_not_hold_up_the_end():
    with Program("--patient") as program:
        connection, path = connect(program)
        with connection:
            # A request that never ends.
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost:".encode())
            assert program.stop() == 0
