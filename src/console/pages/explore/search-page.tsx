import type { Tweet } from '../../../shared/model/tweet.ts';
import type { UserCard as UserCardData } from '../../../shared/model/user.ts';
import { address } from '../../router.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Empty } from '../../ui/states.tsx';
import { ExplorerFrame } from './explorer-frame.tsx';
import { searchTweetsQuery, searchUsersQuery } from './graphql.ts';
import { Link, pathTo, type SearchKind, Tabs } from './links.tsx';
import { open, type Page, pagesOf } from './paid-calls.ts';
import { PaidList } from './paid-views.tsx';
import { UserCard } from './person.tsx';
import type { ExplorerCall } from './requests.ts';
import { TweetCard } from './tweet-card.tsx';

const kinds = [
  ['latest', 'Latest'],
  ['top', 'Top'],
  ['people', 'People'],
] as const satisfies readonly (readonly [SearchKind, string])[];

const suggestions = ['from:grace', 'coffee', '"night train"', 'filter:videos', 'filter:quote'];

/** Search results: tweets or users. */
export function SearchPage() {
  const { query } = address.value;
  const q = query.get('q') ?? '';
  const kind = kinds.find(([name]) => name === query.get('kind'))?.[0] ?? 'latest';
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget as HTMLFormElement).get('q');
    open(pathTo.search(String(text).trim(), kind));
  };
  const call = callOf(q, kind);
  const { calls } = pagesOf(call);
  return (
    <ExplorerFrame
      title="Search"
      opens={q === '' ? [] : [call]}
      calls={calls}
      graphql={q === '' ? null : queryOf(q, kind, calls.length)}
    >
      <search>
        <form class="search" onSubmit={submit}>
          <Field label="Search for" hint="Words, “exact phrases”, from:grace, to:ada, since:2026-01-31, filter:media">
            <input key={q} name="q" type="search" required maxLength={500} defaultValue={q} spellcheck={false} />
          </Field>
          <Button type="submit" look="primary" pays={call.name}>
            Search
          </Button>
        </form>
      </search>
      {q === '' ? (
        <Empty title="Nothing searched yet">
          <p>Search for tweets and people, or try one of these:</p>
          <p class="suggestions">
            {suggestions.map((text) => (
              <Link key={text} to={pathTo.search(text)}>
                {text}
              </Link>
            ))}
          </p>
        </Empty>
      ) : (
        <>
          <Tabs
            label="Kinds of results"
            tabs={kinds.map(([name, label]) => ({ label, to: pathTo.search(q, name), current: name === kind }))}
          />
          <Results key={JSON.stringify(call)} call={call} kind={kind} />
        </>
      )}
    </ExplorerFrame>
  );
}

function callOf(q: string, kind: SearchKind): ExplorerCall {
  if (kind === 'people') return { name: 'user/search', input: { q } };
  return { name: 'tweet/advanced_search', input: { q, product: kind === 'top' ? 'Top' : 'Latest' } };
}

function queryOf(q: string, kind: SearchKind, pages: number): string {
  if (kind === 'people') return searchUsersQuery(q, pages);
  return searchTweetsQuery(q, kind === 'top' ? 'Top' : 'Latest', pages);
}

function Results({ call, kind }: { call: ExplorerCall; kind: SearchKind }) {
  if (kind === 'people') {
    return (
      <PaidList<Page & { users: UserCardData[] }, UserCardData>
        call={call}
        what="the people"
        empty="Nobody matches these words"
        items={({ users }) => users}
        keyOf={({ id }) => id}
      >
        {(user) => <UserCard user={user} />}
      </PaidList>
    );
  }
  return <TweetList call={call} what="the tweets" empty="No tweet matches this search" />;
}

export function TweetList(props: { call: ExplorerCall; what: string; empty: string }) {
  return (
    <PaidList<Page & { tweets: Tweet[] }, Tweet> {...props} items={({ tweets }) => tweets} keyOf={({ id }) => id}>
      {(tweet) => <TweetCard tweet={tweet} />}
    </PaidList>
  );
}
