"""The feed of the page, and whether the page is open."""

import threading
import time
from types import SimpleNamespace

from zobra.arena.play import feed as feeds
from zobra.arena.play.feed import Feed, Presence


def test_readers_get_the_latest_text_of_each_topic():
    feed = Feed()
    feed.publish("state", "1")
    feed.publish("state", "2")
    feed.publish("evaluation", "a")
    seen = {}
    assert feed.wait(seen, 0) == {"state": "2", "evaluation": "a"}
    assert feed.wait(seen, 0) == {}
    feed.publish("state", "2")
    assert feed.wait(seen, 0) == {}
    feed.publish("state", "3")
    assert feed.wait(seen, 0) == {"state": "3"}
    assert feed.wait({}, 0) == {"state": "3", "evaluation": "a"}


def test_a_waiting_reader_is_woken():
    feed = Feed()
    got = []
    reader = threading.Thread(target=lambda: got.append(feed.wait({}, 60)))
    reader.start()
    feed.publish("state", "x")
    reader.join(30)
    assert got == [{"state": "x"}]


def test_a_page_has_gone_some_seconds_after_its_goodbye():
    presence = Presence()
    now = time.monotonic()
    assert not presence.has_gone(now + 10_000)  # it has not been opened
    presence.enter()
    assert not presence.has_gone(now + 10_000)
    presence.say_goodbye()
    presence.leave()
    assert not presence.has_gone(time.monotonic() + 5)
    assert presence.has_gone(time.monotonic() + 11)
    presence.enter()  # it was a reload
    assert not presence.has_gone(time.monotonic() + 10_000)


def test_a_lost_connection_is_waited_for_longer():
    presence = Presence()
    presence.enter()
    presence.leave()
    assert not presence.has_gone(time.monotonic() + 30)
    assert presence.has_gone(time.monotonic() + 61)


def test_another_page_keeps_the_game():
    presence = Presence()
    presence.enter()
    presence.enter()
    presence.say_goodbye()
    presence.leave()
    assert presence.readers == 1
    assert not presence.has_gone(time.monotonic() + 10_000)
    presence.leave()  # without a goodbye: its connection is lost
    assert not presence.has_gone(time.monotonic() + 30)
    assert presence.has_gone(time.monotonic() + 61)


def test_pages_that_are_closed_at_the_same_time_have_gone_after_some_seconds():
    presence = Presence()
    presence.enter()
    presence.enter()
    presence.say_goodbye()
    presence.say_goodbye()
    presence.leave()
    presence.leave()
    assert presence.has_gone(time.monotonic() + 11)


def test_a_late_goodbye_of_one_page_does_not_shorten_the_wait_for_another(monkeypatch):
    """The connection of a page may end before its goodbye arrives."""
    now = [100.0]
    monkeypatch.setattr(feeds, "time", SimpleNamespace(monotonic=lambda: now[0]))
    presence = Presence()
    presence.enter()
    presence.enter()
    presence.leave()
    presence.say_goodbye()
    now[0] = 200.0
    presence.leave()  # its connection is lost
    assert not presence.has_gone(230.0)
    assert presence.has_gone(261.0)
