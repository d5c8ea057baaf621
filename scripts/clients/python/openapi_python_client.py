"""The same four steps as in node/scenario.ts. run.ts counts the lines that this prints."""

import os

from postern_client import AuthenticatedClient
from postern_client.api.tweets import tweet_advanced_search, tweet_create, tweet_detail
from postern_client.api.users import user_follow
from postern_client.models import ErrorEnvelope, TweetCreateBody, UserFollowBody
from postern_client.types import UNSET

from steps import run

OTHER_USER = os.environ["POSTERN_OTHER_USER"]
client = AuthenticatedClient(
    base_url=os.environ["POSTERN_URL"],
    token=os.environ["POSTERN_KEY"],
    headers={"x-auth-token": os.environ["POSTERN_ACTOR"]},
)
found = []


def data_of(answer):
    if answer is None or isinstance(answer, ErrorEnvelope):
        raise RuntimeError(answer)
    return answer.data


def two_pages():
    cursor = UNSET
    for _page in range(2):
        data = data_of(tweet_advanced_search.sync(client=client, q=f"from:{OTHER_USER}", count=5, cursor=cursor))
        cursor = data.next_cursor
        found.extend(data.tweets)
    assert len({tweet.id for tweet in found}) == 10, found


def quote():
    quoted = found[5]
    body = TweetCreateBody(text="Quoted by openapi-python-client", quote_tweet_url=quoted.url)
    created = data_of(tweet_create.sync(client=client, body=body))
    assert data_of(tweet_detail.sync(client=client, tweet_id=created.id)).quoted_tweet.id == quoted.id


def follow():
    data = data_of(user_follow.sync(client=client, body=UserFollowBody(username=OTHER_USER)))
    assert (data.user_name, data.following) == (OTHER_USER, True), data


def error():
    answer = tweet_detail.sync_detailed(client=client, tweet_id="1")
    assert isinstance(answer.parsed, ErrorEnvelope), answer
    assert (int(answer.status_code), answer.headers.get("x-error-code")) == (404, "not_found"), answer


run(
    {
        "search with two pages": two_pages,
        "create a tweet that quotes by URL": quote,
        "follow by name": follow,
        "an error by its code": error,
    }
)
