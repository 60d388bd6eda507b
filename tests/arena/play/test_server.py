"""The server of the page: whom it answers, and what it withstands."""

import contextlib
import http.client
import json
import socket
import threading
import time

import pytest

from tests.support.arena_runs import wait_until
from tests.support.paths import ROOT
from tests.support.play_sessions import QUICK, first_move
from zobra.arena.play.background import Background
from zobra.arena.play.door import Door
from zobra.arena.play.feed import END, Feed, Presence
from zobra.arena.play.new_game import NewGame
from zobra.arena.play.server import ADDRESS, MAX_BODY, PageServer, refusal
from zobra.arena.play.session import Session

PORT = 4711
TOKEN = "token"


@pytest.fixture
def server(tmp_path, request):
    """A running server with a game against the scripted engine."""
    session = Session(first_move(*getattr(request, "param", ())), tmp_path)
    feed = Feed()
    presence = Presence()
    with Background() as background:
        door = Door(session, background, feed)
        background.wait_for(session.start(NewGame(time=QUICK)))
        with PageServer(door, feed, presence) as running:
            running.session = session
            yield running
        background.wait_for(session.close())


def ask(server, method="GET", name="", body=None, token=None, **headers):
    """Send a request, with the headers of the page unless others are given.

    Return status, headers and text of the answer.
    """
    connection = http.client.HTTPConnection(ADDRESS, server.port, timeout=60)
    if method == "POST":
        headers.setdefault("Origin", f"http://{ADDRESS}:{server.port}")
    headers = {key: value for key, value in headers.items() if value is not None}
    with contextlib.closing(connection):
        path = f"/{server.token if token is None else token}/{name}"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def status_of(server, request: str) -> int:
    """Send a request as it is, and return the status of the answer."""
    with socket.create_connection((ADDRESS, server.port), timeout=60) as connection:
        connection.sendall(request.encode())
        return int(connection.recv(100).split()[1])


def command(server, name, **arguments):
    """Send a command, and return its status and error."""
    body = json.dumps({"command": name, **arguments})
    status, _, text = ask(server, "POST", "command", body)
    return status, json.loads(text)["error"] if text else ""


def move_and_wait(server, text):
    before = len(server.session.game.moves)
    assert command(server, "move", text=text) == (204, "")
    wait_until(lambda: len(server.session.game.moves) == before + 2)


def analysis_name(server) -> str:
    """Ask for the analysis of the game, and return the name of its page."""
    status, headers, _ = ask(server, name="analysis")
    assert status == 303
    return headers["Location"].removeprefix(f"/{server.token}/")


# Whom it answers


@pytest.mark.parametrize(
    ("path", "host", "origin", "changes", "status"),
    [
        ("/token/", "127.0.0.1:4711", None, False, None),
        ("/token/play.js", "localhost:4711", None, False, None),
        ("/token/command", "127.0.0.1:4711", "http://127.0.0.1:4711", True, None),
        ("/token/command", "localhost:4711", "http://localhost:4711", True, None),
        ("/token/command", "127.0.0.1:4711", None, True, 403),
        ("/token/command", "127.0.0.1:4711", "null", True, 403),
        ("/token/command", "127.0.0.1:4711", "http://localhost:4711", True, 403),
        ("/token/command", "127.0.0.1:4711", "https://127.0.0.1:4711", True, 403),
        ("/token/command", "127.0.0.1:4711", "http://127.0.0.1:4712", True, 403),
        ("/token/", "127.0.0.1:4711", "http://evil.example", False, 403),
        ("/token/", "evil.example:4711", None, False, 421),
        ("/token/", "evil.example", "http://evil.example", False, 421),
        ("/token/", "127.0.0.1", None, False, 421),
        ("/token/", "127.0.0.1:80", None, False, 421),
        ("/token/", None, None, False, 421),
        ("/", "127.0.0.1:4711", None, False, 404),
        ("/token", "127.0.0.1:4711", None, False, 404),
        ("//token/", "127.0.0.1:4711", None, False, 404),
        ("/toke/", "127.0.0.1:4711", None, False, 404),
        ("/tokens/", "127.0.0.1:4711", None, False, 404),
        ("/tökén/", "127.0.0.1:4711", None, False, 404),
    ],
)
def test_only_the_page_of_this_server_is_answered(path, host, origin, changes, status):
    headers = {"Host": host, "Origin": origin}
    assert refusal(PORT, TOKEN, path, headers, changes=changes) == status


def test_wrong_tokens_hosts_and_origins_are_refused_over_the_network(server):
    assert ask(server)[0] == 200
    assert ask(server, token="")[0] == 404
    assert ask(server, token="x" * 32)[0] == 404
    assert ask(server, Host="evil.example")[0] == 421
    assert ask(server, Host=f"evil.example:{server.port}")[0] == 421
    assert ask(server, Origin="http://evil.example")[0] == 403
    body = json.dumps({"command": "move", "text": "e4"})
    for headers in ({"Origin": None}, {"Origin": "null"}, {"Origin": "http://evil.example"}):
        assert ask(server, "POST", "command", body, **headers)[0] == 403
    assert ask(server, "POST", "command", body, token="x")[0] == 404
    assert not server.session.game.moves


def test_a_ticket_leads_to_the_page_once(server):
    ticket = server.tickets[0]
    assert ticket in server.ticket_url and server.token not in server.ticket_url
    assert ask(server, token=ticket, Host="evil.example")[0] == 421
    assert ask(server, "POST", "command", "{}", token=ticket)[0] == 404
    status, headers, _ = ask(server, token=ticket)
    assert (status, headers["Location"]) == (303, f"/{server.token}/")
    assert ask(server, token=ticket)[0] == 404
    assert ask(server, token="")[0] == 404


def test_two_hosts_or_origins_are_none(server):
    good = f"{ADDRESS}:{server.port}"
    request = f"GET /{server.token}/ HTTP/1.1\r\nHost: {good}\r\n"
    hosts = f"{request}Host: {good}\r\n\r\n"
    origins = f"{request}Origin: http://{good}\r\nOrigin: http://evil.example\r\n\r\n"
    assert status_of(server, hosts) == 421
    assert status_of(server, origins) == 403


def test_it_listens_on_this_machine_alone(server):
    assert server.server_address[0] == "127.0.0.1"
    assert f"http://127.0.0.1:{server.port}/" in server.url
    assert len(server.token) >= 32
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
    for address in {address for address in others if not address.startswith("127.")}:
        with pytest.raises(OSError):
            socket.create_connection((address, server.port), timeout=5).close()


def test_each_server_has_another_token(server):
    with PageServer(server.door, server.feed, Presence()) as other:
        assert other.token != server.token
        assert ask(other, token=server.token)[0] == 404


# What it serves


def test_the_page_loads_nothing_from_elsewhere(server):
    status, headers, page = ask(server)
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    names = [part.split('"')[0] for part in page.split('src="')[1:]]
    names += [part.split('"')[0] for part in page.split('rel="stylesheet" href="')[1:]]
    assert len(names) == 5
    for name in [*names, "dialogs.js", "sound.js", "chessground.min.js"]:
        status, headers, text = ask(server, name=name)
        assert status == 200
        assert text
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "http://" not in text.replace("http://www.w3.org/", "")


def test_all_files_of_the_page_are_served_and_no_others(server):
    for path in (ROOT / "arena" / "play" / "data").iterdir():
        expected = 404 if path.suffix in (".txt", ".html") else 200
        assert ask(server, name=path.name)[0] == expected, path
    for name in ("../play.py", "%2e%2e/server.py", "data/play.js", "play.js/", "C:/x", "\\x"):
        assert ask(server, name=name)[0] == 404


def test_the_pgn_is_a_file_to_download(server):
    move_and_wait(server, "e4")
    status, headers, text = ask(server, name="game.pgn")
    assert status == 200
    assert "attachment" in headers["Content-Disposition"]
    assert '[White "Player"]' in text
    assert "1. e4" in text


def test_an_analysis_of_nothing_says_why(server):
    status, _, text = ask(server, name="analysis")
    assert status == 200
    assert "the game has no moves yet" in text


def test_the_analysis_page_shows_its_progress(server):
    move_and_wait(server, "e4")
    status, headers, text = ask(server, name=analysis_name(server))
    assert status == 200
    assert "http-equiv" not in text  # a page that is loaded anew is read from its beginning
    assert "<progress" in text
    assert ask(server, name="waiting.js")[0] == 200
    assert "unsafe-inline" not in headers["Content-Security-Policy"]


def test_the_page_of_an_analysis_starts_no_other_one(server):
    move_and_wait(server, "e4")
    name = analysis_name(server)
    move_and_wait(server, "d4")
    assert ask(server, name=name)[0] == 200
    assert len(server.session.analyses) == 1
    assert analysis_name(server) != name
    assert 'role="alert"' in ask(server, name=name)[2]
    for other in ("analysis?2", "analysis?-1", "analysis?x"):
        assert ask(server, name=other)[0] == 404


@pytest.mark.parametrize("server", [("--crash", "2")], indirect=True)
def test_an_analysis_that_has_failed_says_why_and_begins_anew_only_when_asked_for(server):
    move_and_wait(server, "e4")
    name = analysis_name(server)
    wait_until(lambda: server.session.analyses[0].problem)
    for _ in range(2):
        status, _, text = ask(server, name=name)
        assert status == 200
        assert '<p role="alert">Scripted' in text
        assert "<progress" not in text
    assert len(server.session.analyses) == 1
    assert analysis_name(server) != name


# Commands


def test_commands_play_the_game(server):
    move_and_wait(server, "e4")
    move_and_wait(server, "d2d4")
    assert command(server, "take_back") == (204, "")
    assert len(server.session.game.moves) == 2
    assert command(server, "offer_draw") == (204, "")
    assert command(server, "evaluate", wanted=True) == (204, "")
    assert command(server, "evaluate", wanted=False) == (204, "")
    assert command(server, "resign") == (204, "")
    wishes = {"color": "black", "elo": None, "time": QUICK}
    assert command(server, "new_game", wishes=wishes) == (204, "")
    assert server.session.number == 2


@pytest.mark.parametrize(
    "body",
    [
        "",
        "e4",
        "[]",
        "null",
        "1",
        '"move"',
        "{}",
        '{"command": 1}',
        '{"command": "close"}',
        '{"command": "__init__"}',
        '{"command": "move"}',
        '{"command": "move", "text": 5}',
        '{"command": "move", "text": "e5"}',
        '{"command": "move", "text": "' + "x" * 3000 + '"}',
        '{"command": "evaluate"}',
        '{"command": "evaluate", "wanted": "yes"}',
        '{"command": "new_game"}',
        '{"command": "new_game", "wishes": []}',
        '{"command": "new_game", "wishes": {"elo": "x"}}',
        '{"command": "new_game", "wishes": {"elo": 1e999}}',
        '{"command": "new_game", "wishes": {"elo": ' + "9" * 3000 + "}}",
        '{"command": "new_game", "wishes": {"time": "x"}}',
        '{"command": "new_game", "wishes": {"fen": "x"}}',
        '{"command": "new_game", "wishes": {"fen": "1 1 1 1 1 1 1"}}',
        '{"command": "new_game", "wishes": {"chess960": true, "number": 1000}}',
        '{"command": "take_back"}',
        "[" * 4000,
        "\xff\xfe",
        "\0",
    ],
)
def test_what_is_not_understood_is_refused_with_a_message(server, body):
    status, _, text = ask(server, "POST", "command", body.encode("latin-1"))
    assert status == 400 or (status == 200 and json.loads(text)["error"])
    assert server.session.number == 1
    assert not server.session.game.moves


def test_bodies_are_bounded(server):
    assert ask(server, "POST", "command", "x" * (MAX_BODY + 1))[0] == 413
    host = f"{ADDRESS}:{server.port}"
    request = f"POST /{server.token}/command HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    for header, status in (
        (f"Content-Length: {'9' * 30}", 413),
        ("Content-Length: -1", 411),
        ("Content-Length: 1e3", 411),
        ("Content-Length: ٣", 411),
        ("Transfer-Encoding: chunked", 411),
    ):
        assert status_of(server, f"{request}{header}\r\n\r\n") == status


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "CONNECT"])
def test_other_methods_are_refused(server, method):
    assert ask(server, method)[0] == 501


def test_a_goodbye_is_noted(server):
    server.presence.enter()
    assert ask(server, "POST", "goodbye", "")[0] == 204
    server.presence.leave()
    assert server.presence.has_gone(time.monotonic() + 20)


# Events


class Page:
    """Reads the events as a page does."""

    def __init__(self, server) -> None:
        self._connection = http.client.HTTPConnection(ADDRESS, server.port, timeout=60)
        self._connection.request("GET", f"/{server.token}/events")
        self._answer = self._connection.getresponse()
        assert self._answer.headers["Content-Type"] == "text/event-stream"

    def event(self) -> tuple[str, object]:
        topic = self._answer.readline().decode().strip().removeprefix("event: ")
        data = self._answer.readline().decode().strip().removeprefix("data: ")
        assert self._answer.readline() == b"\n"
        return topic, json.loads(data)

    def state(self) -> dict:
        while True:
            topic, data = self.event()
            if topic == "state":
                return data

    def close(self) -> None:
        self._answer.close()
        self._connection.close()


def test_events_tell_the_state_and_a_page_that_is_loaded_again_goes_on(server):
    page = Page(server)
    assert page.state()["moves"] == []
    move_and_wait(server, "e4")
    while len(page.state()["moves"]) < 2:
        pass
    page.close()
    wait_until(lambda: server.presence.readers == 0)
    assert not server.presence.has_gone(0)
    again = Page(server)
    assert again.state()["moves"][0]["san"] == "e4"
    again.close()


def test_a_page_that_connects_gets_the_clocks_as_they_are_now(server):
    wishes = {"color": "white", "elo": None, "time": "600+0"}
    assert command(server, "new_game", wishes=wishes) == (204, "")
    page = Page(server)
    assert command(server, "move", text="e4") == (204, "")
    while not (state := page.state())["moves"] or not state["yourTurn"]:
        pass
    server.session.turn_began -= 100  # seconds that pass without a change
    again = Page(server)
    clocks = again.state()["clocks"]
    assert clocks["running"] == "white"
    assert clocks["white"] < 500_500
    page.close()
    again.close()


def test_the_end_is_told_to_the_page(server):
    page = Page(server)
    page.state()
    server.feed.publish(END, json.dumps({"file": "x.pgn"}))
    while (event := page.event())[0] != END:
        pass
    assert event == (END, {"file": "x.pgn"})
    wait_until(lambda: server.presence.readers == 0)
    page.close()


# What it withstands


def illegal_requests(server, count: int) -> None:
    """Send illegal requests of many kinds.

    Most are answered in one connection; every tenth one breaks it, and has one of its own.
    """
    host = f"{ADDRESS}:{server.port}"
    head = f"Host: {host}\r\nOrigin: http://{host}\r\n"
    path = f"/{server.token}/command"
    broken = [
        f"POST {path} HTTP/1.1\r\n{head}Content-Length: 99999\r\n\r\n",
        f"POST {path} HTTP/1.1\r\n{head}Content-Length: 9\r\n\r\nshort",
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\n{{}}",
        f"GET /wrong/ HTTP/1.1\r\n{head}\r\n",
        "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "\r\n\r\n",
        "nonsense\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\x00\xff\x16\x03\x01",
    ]
    commands = [
        {"command": "move", "text": "e2e5"},
        {"command": "move", "text": "\0" * 100},
        {"command": "destroy"},
        {"command": "new_game", "wishes": {"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}},
        [],
    ]
    kept = http.client.HTTPConnection(ADDRESS, server.port, timeout=60)
    for number in range(count):
        if number % 10 == 0:
            send_raw(server, broken[number // 10 % len(broken)].encode("latin-1"))
        else:
            body = json.dumps(commands[number % len(commands)])
            kept.request("POST", path, body, {"Origin": f"http://{host}"})
            assert "error" in json.loads(kept.getresponse().read())
    kept.close()


def send_raw(server, request: bytes) -> None:
    """Send a request, and read until the server has had enough."""
    with (
        contextlib.suppress(OSError),
        socket.create_connection((ADDRESS, server.port), timeout=60) as connection,
    ):
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass


def test_illegal_requests_and_open_connections_do_not_stop_the_game(server):
    idle = [socket.create_connection((ADDRESS, server.port)) for _ in range(50)]
    pages = [Page(server) for _ in range(3)]
    senders = [threading.Thread(target=illegal_requests, args=(server, 200)) for _ in range(4)]
    for sender in senders:
        sender.start()
    move_and_wait(server, "e4")
    move_and_wait(server, "d4")
    for sender in senders:
        sender.join()
    move_and_wait(server, "c4")
    assert len(server.session.game.moves) == 6
    assert server.session.game.ending is None
    for connection in [*pages, *idle]:
        connection.close()
    wait_until(lambda: server.presence.readers == 0)
    assert ask(server)[0] == 200


def test_more_connections_than_places_are_closed_and_the_game_goes_on(server, monkeypatch):
    monkeypatch.setattr("zobra.arena.play.server.MAX_CONNECTIONS", 5)

    def is_refused() -> bool:
        try:
            return ask(small)[0] != 200
        except OSError:
            return True

    with PageServer(server.door, server.feed, Presence()) as small:
        idle = [socket.create_connection((ADDRESS, small.port), timeout=60) for _ in range(5)]
        wait_until(is_refused)
        for connection in idle:
            connection.close()
        wait_until(lambda: not is_refused())


def test_a_port_that_is_taken_is_an_error(server):
    with pytest.raises(OSError):
        PageServer(server.door, server.feed, Presence(), server.port)
