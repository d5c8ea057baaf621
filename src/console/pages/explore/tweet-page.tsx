import type { Tweet } from '../../../shared/model/tweet.ts';
import type { UserCard as UserCardData } from '../../../shared/model/user.ts';
import { address, type Params } from '../../router.tsx';
import { actor } from '../../session.ts';
import { ExplorerFrame } from './explorer-frame.tsx';
import { type TweetList as ListName, threadQuery, writeMutation } from './graphql.ts';
import { pathTo, Tabs } from './links.tsx';
import { type Page, pagesOf, stateOf } from './paid-calls.ts';
import { PaidList, PaidView } from './paid-views.tsx';
import { UserCard } from './person.tsx';
import type { ExplorerCall } from './requests.ts';
import { TweetList } from './search-page.tsx';
import { TweetCard, tweetCall } from './tweet-card.tsx';
import { WriteButton } from './write-dialog.tsx';

const lists = [
  ['replies', 'Replies', 'Nobody has replied'],
  ['quotes', 'Quotes', 'Nobody has quoted this tweet'],
  ['retweeters', 'Retweeters', 'Nobody has retweeted this tweet'],
] as const satisfies readonly (readonly [ListName, string, string])[];

/** A tweet with the tweets above it, and its replies, quotes or retweeters. */
export function TweetPage({ params: { id = '' } }: { params: Params }) {
  const wanted = address.value.query.get('shown');
  const [shown, , empty] = lists.find(([name]) => name === wanted) ?? lists[0];
  const main = tweetCall(id);
  const above = callsAbove(main);
  const list: ExplorerCall = { name: `tweet/${shown}`, input: { tweet_id: id } };
  const { calls: pages } = pagesOf(list);
  const loadedAbove = above.filter((call) => stateOf(call).value.data !== null);
  return (
    <ExplorerFrame
      title="Tweet"
      opens={[main, list]}
      calls={[main, ...loadedAbove, ...pages]}
      graphql={threadQuery(id, loadedAbove.length, shown, pages.length)}
    >
      <div class="items above">
        {above.toReversed().map((call) => (
          <PaidView<Tweet> key={JSON.stringify(call.input)} call={call} what="the tweet above">
            {(tweet) => <TweetCard tweet={tweet} />}
          </PaidView>
        ))}
      </div>
      <PaidView<Tweet> call={main} what="the tweet">
        {(tweet) => (
          <>
            <TweetCard tweet={tweet} main />
            <Writes id={id} />
          </>
        )}
      </PaidView>
      <Tabs
        label="Around the tweet"
        tabs={lists.map(([name, label]) => ({ label, to: pathTo.tweet(id, name), current: name === shown }))}
      />
      {shown === 'retweeters' ? (
        <PaidList<Page & { users: UserCardData[] }, UserCardData>
          call={list}
          what="the retweeters"
          empty={empty}
          items={({ users }) => users}
          keyOf={(user) => user.id}
        >
          {(user) => <UserCard user={user} />}
        </PaidList>
      ) : (
        <TweetList call={list} what={`the ${shown}`} empty={empty} />
      )}
    </ExplorerFrame>
  );
}

/** Returns the calls for the tweets above a tweet, the nearest first. The last of them may not have been made. */
function callsAbove(call: ExplorerCall): ExplorerCall[] {
  const above: ExplorerCall[] = [];
  for (let at = stateOf<Tweet>(call).value.data; at?.inReplyToId; ) {
    const next = tweetCall(at.inReplyToId);
    above.push(next);
    at = stateOf<Tweet>(next).value.data;
  }
  return above;
}

const writes = [
  ['tweet/favorite', 'likeTweet', 'Like', 'Liked'],
  ['tweet/unlike', 'unlikeTweet', 'Remove like', 'Removed the like'],
  ['tweet/retweet', 'retweet', 'Retweet', 'Retweeted'],
  ['tweet/unretweet', 'unretweet', 'Undo retweet', 'Removed the retweet'],
  ['tweet/bookmark', 'bookmarkTweet', 'Bookmark', 'Bookmarked'],
  ['tweet/unbookmark', 'unbookmarkTweet', 'Remove bookmark', 'Removed the bookmark'],
] as const;

function Writes({ id }: { id: string }) {
  return (
    <details class="writes">
      <summary>Act on this tweet</summary>
      <div class="row">
        {writes.map(([name, field, label, done]) => (
          <WriteButton
            key={name}
            label={label}
            question={`The account ${actor.value?.userName ?? 'of the entered token'} acts on this tweet.`}
            call={{ name, input: { tweet_id: id } }}
            graphql={writeMutation(field, { tweetId: id }, 'tweetId')}
            done={done}
          />
        ))}
      </div>
    </details>
  );
}
