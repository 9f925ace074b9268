"""One browser, and one usual program, for all tests."""

import pytest

from browser import Browser, Program
from stage import Stage


def pytest_configure(config):
    config.addinivalue_line("markers", "cost: measures time, which depends on the machine")


@pytest.fixture(scope="session")
def browser():
    with Browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def usual():
    with Program() as program:
        yield program


@pytest.fixture
def page(browser, usual):
    """The page of the usual program, with some posts."""
    browser.shape()
    browser.open(usual.url)
    browser.until("inspector.model.posts.length > 30")
    yield browser
    assert browser.complaints() == []


@pytest.fixture
def stage(browser, usual):
    """A program whose stream the test writes; the browser shows its page."""
    browser.shape()
    with Stage(usual.url) as stage:
        browser.open(stage.url)
        browser.until("inspector.connection.isOpen")
        yield stage
        browser.open("about:blank")
