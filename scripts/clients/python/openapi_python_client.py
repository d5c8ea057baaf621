from postern_client import AuthenticatedClient
from postern_client.api.tweets import tweet_advanced_search, tweet_create, tweet_detail
from postern_client.api.users import user_follow
from postern_client.models import ErrorEnvelope, TweetCreateBody, UserFollowBody
from postern_client.types import UNSET
from scenario import ACTOR, API_KEY, BASE_URL, Page, run_scenario

client = AuthenticatedClient(base_url=BASE_URL, token=API_KEY, headers={"x-auth-token": ACTOR})


def data_of(answer):
    if answer is None or isinstance(answer, ErrorEnvelope):
        raise RuntimeError(answer)
    return answer.data


class Scenario:
    def search(self, q, cursor):
        data = data_of(tweet_advanced_search.sync(client=client, q=q, count=5, cursor=cursor or UNSET))
        return Page([(tweet.id, tweet.url) for tweet in data.tweets], data.next_cursor)

    def quote(self, text, url):
        return data_of(tweet_create.sync(client=client, body=TweetCreateBody(text=text, quote_tweet_url=url))).id

    def quote_of(self, tweet_id):
        return data_of(tweet_detail.sync(client=client, tweet_id=tweet_id)).quoted_tweet.id

    def follow(self, name):
        data = data_of(user_follow.sync(client=client, body=UserFollowBody(username=name)))
        return data.user_name, data.following

    def missing_tweet(self):
        answer = tweet_detail.sync_detailed(client=client, tweet_id="1")
        assert isinstance(answer.parsed, ErrorEnvelope), answer
        return int(answer.status_code), answer.headers.get("x-error-code")


run_scenario(Scenario(), "Quoted by openapi-python-client")
