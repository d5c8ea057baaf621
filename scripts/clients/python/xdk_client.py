"""X's own client for Python against the sandbox, with the same steps as in node/xdk.ts."""

import base64
import os
import time

import requests
from xdk import Client
from xdk.posts import models as posts
from xdk.users import models as users

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
    body = users.CreateBookmarkRequest(tweet_id=found["post"])
    assert client.users.create_bookmark(found["me"], body).data.bookmarked
    page = next(client.users.get_bookmarks(found["me"], post_fields=["created_at", "public_metrics"]))
    assert ids_of(page)[0] == found["post"], page
    assert not client.users.delete_bookmark(found["me"], found["post"]).data.bookmarked


def create():
    text = f"Written by X's own client for Python at {time.time()}"
    created = client.posts.create(posts.CreateRequest(text=text)).data
    assert created.text == text, created
    quote = client.posts.create(posts.CreateRequest(text="A quote", quote_tweet_id=created.id)).data
    assert ids_of(next(client.posts.get_quoted(created.id))) == [quote.id]
    for post in (quote, created):
        assert client.posts.delete(post.id).data.deleted, post


def like_and_repost():
    me, post = found["me"], found["post"]
    assert client.users.like_post(me, users.LikePostRequest(tweet_id=post)).data.liked
    assert not client.users.unlike_post(me, post).data.liked
    assert client.users.repost_post(me, users.RepostPostRequest(tweet_id=post)).data.rest_id != post
    assert not client.users.unrepost_post(me, post).data.retweeted


def follow():
    me, other = found["me"], found["other"]
    assert not client.users.unfollow_user(me, other).data.following
    assert client.users.follow_user(me, users.FollowUserRequest(target_user_id=other)).data.following


def media():
    # 1 by 1 pixel.
    gif = base64.b64decode("R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==")
    body = {"media_type": "image/gif", "media_category": "tweet_gif", "total_bytes": len(gif)}
    media_id = client.media.initialize_upload(body).data.id
    for index, part in enumerate([gif[:20], gif[20:]]):
        client.media.append_upload(media_id, {"media": base64.b64encode(part).decode(), "segment_index": index})
    info = client.media.finalize_upload(media_id).data.processing_info
    while info.state != "succeeded":
        time.sleep(info.check_after_secs)
        info = client.media.get_upload_status(media_id).data.processing_info


def article():
    styles = [{"offset": 5, "length": 8, "style": "bold"}]
    blocks = [{"type": "unstyled", "text": "They remember", "inline_style_ranges": styles}]
    body = {"title": "On looms", "content_state": {"blocks": blocks, "entities": []}}
    draft = client.articles.article_create_draft(body).data.id
    post = client.articles.article_publish(draft).data.post_id
    found_post = client.posts.get_by_id(post, post_fields=["article"]).data
    assert found_post.article == {"title": "On looms", "plain_text": "They remember"}, found_post


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
        "create, quote and delete": create,
        "like and repost": like_and_repost,
        "follow": follow,
        "media in segments": media,
        "an article: a draft, and its post": article,
        "an error by its status": error,
    }
)
