from postern_api import ApiClient, ApiException, Configuration, TweetCreateRequest, TweetsApi, UserFollowRequest, UsersApi
from scenario import ACTOR, API_KEY, BASE_URL, Page, run_scenario

api = ApiClient(Configuration(host=BASE_URL, access_token=API_KEY, api_key={"actor": ACTOR}))
tweets = TweetsApi(api)
users = UsersApi(api)


class Scenario:
    def search(self, q, cursor):
        data = tweets.tweet_advanced_search(q=q, count=5, cursor=cursor).data
        return Page([(tweet.id, tweet.url) for tweet in data.tweets], data.next_cursor)

    def quote(self, text, url):
        return tweets.tweet_create(TweetCreateRequest(text=text, quote_tweet_url=url)).data.id

    def quote_of(self, tweet_id):
        return tweets.tweet_detail(tweet_id=tweet_id).data.quoted_tweet.id

    def follow(self, name):
        data = users.user_follow(UserFollowRequest(username=name)).data
        return data.user_name, data.following

    def missing_tweet(self):
        try:
            tweets.tweet_detail(tweet_id="1")
        except ApiException as refused:
            return refused.status, refused.headers.get("x-error-code")
        return 200, None


run_scenario(Scenario(), "Quoted by openapi-generator for Python")
