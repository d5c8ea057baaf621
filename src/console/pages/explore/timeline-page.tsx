import { ExplorerFrame } from './explorer-frame.tsx';
import { actorTweetsQuery } from './graphql.ts';
import { pagesOf } from './paid-calls.ts';
import type { ExplorerCall } from './requests.ts';
import { TweetList } from './search-page.tsx';

interface Timeline {
  readonly title: string;
  readonly call: ExplorerCall;
  readonly field: Parameters<typeof actorTweetsQuery>[0];
  readonly what: string;
  readonly empty: string;
}

/** Makes a page with tweets of the chosen actor. */
function timelinePage({ title, call, field, what, empty }: Timeline) {
  return function TimelinePage() {
    const { calls } = pagesOf(call);
    return (
      <ExplorerFrame title={title} opens={[call]} calls={calls} graphql={actorTweetsQuery(field, calls.length)}>
        <TweetList call={call} what={what} empty={empty} />
      </ExplorerFrame>
    );
  };
}

export const HomePage = timelinePage({
  title: 'Home timeline',
  call: { name: 'user/home_timeline', input: {} },
  field: 'homeTimeline',
  what: 'the home timeline',
  empty: 'The timeline is empty',
});

export const MentionsPage = timelinePage({
  title: 'Mentions',
  call: { name: 'user/mentions', input: {} },
  field: 'mentions',
  what: 'the mentions',
  empty: 'Nobody has mentioned the account',
});

export const BookmarksPage = timelinePage({
  title: 'Bookmarks',
  call: { name: 'user/bookmarks', input: {} },
  field: 'bookmarks',
  what: 'the bookmarks',
  empty: 'The account has no bookmarks',
});
