"""The same four steps with each client. run.ts counts the lines that this prints."""

import os
from dataclasses import dataclass
from typing import Protocol

BASE_URL = os.environ["POSTERN_URL"]
API_KEY = os.environ["POSTERN_KEY"]
ACTOR = os.environ["POSTERN_ACTOR"]
OTHER_USER = os.environ["POSTERN_OTHER_USER"]


@dataclass
class Page:
    tweets: list[tuple[str, str]]
    next_cursor: str | None


class Client(Protocol):
    def search(self, q: str, cursor: str | None) -> Page: ...

    def quote(self, text: str, url: str) -> str: ...

    def quote_of(self, tweet_id: str) -> str: ...

    def follow(self, name: str) -> tuple[str, bool]: ...

    def missing_tweet(self) -> tuple[int, str | None]: ...


def run_scenario(client: Client, text: str) -> None:
    quoted: list[tuple[str, str]] = []

    def two_pages() -> None:
        first = client.search(f"from:{OTHER_USER}", None)
        assert len(first.tweets) == 5 and first.next_cursor, first
        second = client.search(f"from:{OTHER_USER}", first.next_cursor)
        assert len({tweet_id for tweet_id, _url in first.tweets + second.tweets}) == 10
        quoted.append(second.tweets[0])

    def quote() -> None:
        tweet_id, url = quoted[0]
        assert client.quote_of(client.quote(text, url)) == tweet_id

    def follow() -> None:
        assert client.follow(OTHER_USER) == (OTHER_USER, True)

    def error() -> None:
        found = client.missing_tweet()
        assert found == (404, "not_found"), found

    steps = {
        "search with two pages": two_pages,
        "create a tweet that quotes by URL": quote,
        "follow by name": follow,
        "an error by its code": error,
    }
    for name, step in steps.items():
        try:
            step()
            print(f"ok {name}")
        except Exception as fault:
            print(f"not ok {name}: {type(fault).__name__} {' '.join(str(fault).split())[:500]}")
