"""The page and its program: both may go, and come back."""

import os
import signal

from browser import Program
from stage import MS, Trace

POSTS = "inspector.model.posts.length"


def numbers(first, last):
    trace = Trace()
    for number in range(first, last):
        trace.post(number, number * MS, payload=f"payload {number}", calls=[("App/Window.swift:9", "MainActor", MS // 4, MS // 4)])
    return trace


def test_a_page_says_when_its_program_has_gone(browser):
    with Program("--quiet") as program:
        browser.shape()
        browser.open(program.url)
        browser.until("byId('status').className === 'live'")
        # A debugger that holds the program looks like this.
        os.kill(program.process.pid, signal.SIGSTOP)
        try:
            browser.until("byId('status').innerText === 'Not connected'")
            assert "a debugger holds it" in browser.run("byId('notice').innerText")
            assert browser.run("byId('span').innerText").startswith("Ended")
            assert browser.run("byId('live').hidden")
        finally:
            os.kill(program.process.pid, signal.SIGCONT)
        browser.until("byId('status').className === 'live' && byId('notice').hidden")
    browser.until("byId('status').innerText === 'Not connected' && !byId('notice').hidden")
    assert browser.run(POSTS) > 5
    # The time of the program stands still.
    browser.until("performance.now() - inspector.clock.at > 1500")
    assert browser.run("inspector.now - inspector.clock.now") == 1e9


def test_a_page_connects_again_and_reads_everything_once(browser, stage):
    trace = numbers(1, 40)
    stage.play(trace)
    browser.until(f"{POSTS} === 39")
    browser.run("(inspector.select('timeline'), inspector.choose(inspector.model.posts[20], true), byId('filter').value = 'sample', inspector.filter.set('sample'))")
    stage.close()
    browser.until("!byId('notice').hidden && byId('status').className === 'lost'")
    assert browser.run(POSTS) == 39
    for number in range(40, 50):
        trace.post(number, number * MS)
    stage.play(trace)
    stage.open()
    browser.until("byId('status').className === 'live' && byId('notice').hidden")
    browser.until(f"{POSTS} === 49")
    assert browser.run("inspector.model.sums.posts") == 49
    # The same program: what was chosen is chosen, and the window stays.
    browser.until("inspector.timeline.chosen && inspector.timeline.chosen.post.number === 21")
    assert browser.run("inspector.timeline.chosen === inspector.model.byNumber.get(21)")
    assert browser.run("inspector.filter.text") == "sample"
    assert "payload 21" in browser.run("byId('detail').innerText")
    assert not browser.run("inspector.timeline.isLive")


def test_another_program_at_the_same_address_begins_a_new_recording(browser, stage):
    stage.play(numbers(1, 40))
    browser.until(f"{POSTS} === 39")
    browser.run("inspector.choose(inspector.model.posts[20], true)")
    stage.close()
    browser.until("byId('status').className === 'lost'")
    stage.meta = {**stage.meta, "process": 2, "start": 9}
    stage.messages.clear()
    stage.clock = {"now": 0, "count": 0}
    stage.play(numbers(1, 6))
    stage.open()
    browser.until(f"{POSTS} === 5")
    browser.until("inspector.timeline.isLive && inspector.timeline.chosen === undefined && byId('detail').hidden")
    assert browser.run("inspector.strip.timeline.range[1]") < 2e9


def test_a_page_that_is_loaded_again_shows_the_same_view(page):
    page.run("inspector.select('themes')")
    page.driver.refresh()
    page.until(f"{POSTS} > 30")
    page.until("inspector.tab === 'themes' && byId('themes').innerText.includes('Switches')")


def test_two_pages_at_once_both_receive_everything(browser, usual):
    browser.shape()
    browser.open(usual.url)
    browser.until(f"{POSTS} > 30")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.open(usual.url)
        browser.until(f"{POSTS} > 30")
        newest = browser.run("inspector.model.posts.at(-1).number")
        browser.driver.switch_to.window(first)
        browser.until(f"inspector.model.posts.at(-1).number >= {newest}")
        assert browser.run("byId('status').className") == "live"
        browser.driver.switch_to.window(browser.driver.window_handles[-1])
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(first)
    assert browser.complaints() == []


def test_a_wrong_token_shows_nothing(browser, usual):
    root = usual.url.rstrip("/").rsplit("/", 1)[0]
    for path in ("", "0" * 32 + "/", "0" * 32 + "/stream"):
        browser.open(f"{root}/{path}")
        assert browser.run("document.querySelector('canvas') === null")
        assert "mail" not in browser.run("document.documentElement.innerText")
    browser.complaints()


def test_the_page_follows_its_size_while_posts_arrive(browser, stage):
    trace = numbers(1, 10)
    stage.play(trace)
    for count, (width, height, scale) in enumerate([(1440, 900, 1), (800, 600, 2), (1100, 500, 1.5), (1440, 900, 1)]):
        browser.shape(width, height, scale=scale)
        trace.post(100 + count, (100 + count) * MS)
        stage.play(trace)
        browser.until(f"{POSTS} === {10 + count}")
        browser.frame()
        for canvas in ("canvas", "strip"):
            browser.until(f"Math.abs(byId('{canvas}').width - byId('{canvas}').clientWidth * {scale}) <= 1")
            assert browser.run("byId(arguments[0]).clientWidth", canvas) <= width
        # All parts are within reach, also those of a chosen post.
        browser.run("inspector.choose(inspector.model.posts[3])")
        browser.frame()
        assert browser.run("byId('detail').clientHeight") >= 140
        assert browser.run("byId('detail').getBoundingClientRect().right") <= width
        browser.run("inspector.choose(undefined)")
        browser.frame()
        assert browser.run("byId('lanes').clientHeight") >= 40
        assert browser.run("byId('log').clientHeight") >= 80
        assert browser.run("byId('timeline').scrollHeight - byId('timeline').clientHeight") <= (0 if height > 640 else 500)
    assert browser.complaints() == []
