"""X's own client for Python against the sandbox, with the same steps as in node/xdk.ts."""

import os

import requests
from xdk import Client

from steps import run

OTHER_USER = os.environ["POSTERN_OTHER_USER"]
client = Client(base_url=os.environ["X_URL"], access_token=os.environ["POSTERN_ACTOR"])
found = {}


def ids_of(page):
    ids = [item.id for item in page.data]
    assert ids and len(set(ids)) == len(ids) == page.meta.result_count, page
    return ids


def me():
    answer = client.users.get_me(user_fields=["created_at", "public_metrics"], expansions=["pinned_post_id"])
    assert answer.data.public_metrics, answer
    found["me"] = answer.data.id


def by_name():
    answer = client.users.get_by_username(OTHER_USER, user_fields=["description", "verified_type"])
    assert answer.data.username == OTHER_USER, answer
    found["other"] = answer.data.id


def search():
    pages = client.posts.search_recent("the", max_results=10, post_fields=["created_at"], expansions=["author_id"])
    first, second = next(pages), next(pages)
    assert first.includes.users, first
    assert len({*ids_of(first), *ids_of(second)}) == 20
    found["post"] = ids_of(second)[0]


def timeline():
    expansions = ["author_id", "referenced_posts", "attachments.media_keys"]
    ids_of(next(client.users.get_timeline(found["me"], expansions=expansions)))


def followers():
    ids_of(next(client.users.get_followers(found["other"], max_results=20, user_fields=["created_at"])))


def members():
    ids_of(next(client.lists.get_members(os.environ["X_LIST"])))


def bookmarks():
    headers = {"authorization": f"Bearer {os.environ['POSTERN_KEY']}", "x-auth-token": os.environ["POSTERN_ACTOR"]}
    requests.post(f"{os.environ['POSTERN_URL']}/tweet/bookmark", headers=headers, json={"tweet_id": found["post"]})
    page = next(client.users.get_bookmarks(found["me"], post_fields=["created_at", "public_metrics"]))
    assert ids_of(page)[0] == found["post"], page


def error():
    try:
        next(client.posts.search_recent(""))
    except requests.HTTPError as refusal:
        assert refusal.response.status_code == 400, refusal
    else:
        raise AssertionError("an empty query is accepted")


run(
    {
        "me": me,
        "a user by name": by_name,
        "search with two pages": search,
        "a timeline": timeline,
        "followers": followers,
        "members of a list": members,
        "bookmarks": bookmarks,
        "an error by its status": error,
    }
)
