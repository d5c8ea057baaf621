import java.util.HashSet;
import java.util.List;
import java.util.Set;
import postern.ApiClient;
import postern.ApiException;
import postern.api.TweetsApi;
import postern.api.UsersApi;
import postern.model.Tweet;
import postern.model.TweetAdvancedSearch200ResponseData;
import postern.model.TweetCreateRequest;
import postern.model.UserFollow200ResponseData;
import postern.model.UserFollowRequest;

/** The same four steps as with the other clients. run.js counts the lines that this prints. */
public class Scenario {
  private static TweetsApi tweets;
  private static UsersApi users;
  private static Tweet quoted;

  private static final String otherUser = System.getenv("POSTERN_OTHER_USER");

  interface Step {
    void run() throws Exception;
  }

  public static void main(String[] arguments) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("POSTERN_URL"));
    client.setRequestInterceptor(request -> request
        .header("authorization", "Bearer " + System.getenv("POSTERN_KEY"))
        .header("x-auth-token", System.getenv("POSTERN_ACTOR")));
    tweets = new TweetsApi(client);
    users = new UsersApi(client);
    step("search with two pages", Scenario::search);
    step("create a tweet that quotes by URL", Scenario::quote);
    step("follow by name", Scenario::follow);
    step("an error by its code", Scenario::error);
  }

  private static void search() throws Exception {
    TweetAdvancedSearch200ResponseData first =
        tweets.tweetAdvancedSearch("from:" + otherUser, null, 5, null, null, null, null).getData();
    TweetAdvancedSearch200ResponseData second =
        tweets.tweetAdvancedSearch("from:" + otherUser, null, 5, first.getNextCursor(), null, null, null).getData();
    Set<String> ids = new HashSet<>();
    for (List<Tweet> page : List.of(first.getTweets(), second.getTweets())) {
      for (Tweet tweet : page) ids.add(tweet.getId());
    }
    expect(ids.size() == 10, "two pages have " + ids.size() + " tweets");
    quoted = second.getTweets().get(0);
  }

  private static void quote() throws Exception {
    TweetCreateRequest request =
        new TweetCreateRequest().text("Quoted by openapi-generator for Java").quoteTweetUrl(quoted.getUrl());
    String id = tweets.tweetCreate(request, null, null).getData().getId();
    Object found = tweets.tweetDetail(id, null, null, null).getData().getQuotedTweet();
    expect(String.valueOf(found).contains(quoted.getId()), "the quoted tweet is " + found);
  }

  private static void follow() throws Exception {
    UserFollow200ResponseData data =
        users.userFollow(new UserFollowRequest().username(otherUser), null, null).getData();
    expect(otherUser.equals(data.getUserName()) && data.getFollowing(), "followed " + data);
  }

  private static void error() throws Exception {
    try {
      tweets.tweetDetail("1", null, null, null);
    } catch (ApiException refused) {
      String code = refused.getResponseHeaders().firstValue("x-error-code").orElse("none");
      expect(refused.getCode() == 404 && "not_found".equals(code), refused.getCode() + " " + code);
      return;
    }
    throw new IllegalStateException("a tweet that does not exist was found");
  }

  private static void expect(boolean holds, String message) {
    if (!holds) throw new IllegalStateException(message);
  }

  private static void step(String name, Step step) {
    try {
      step.run();
      System.out.println("ok " + name);
    } catch (Exception fault) {
      System.out.println("not ok " + name + ": " + String.valueOf(fault).replaceAll("\\s+", " "));
    }
  }
}
