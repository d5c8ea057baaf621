import type { UserCard as UserCardData, UserProfile } from '../../../shared/model/user.ts';
import type { UserAbout } from '../../../shared/model/user-about.ts';
import { address, type Params } from '../../router.tsx';
import { count, dateOnly } from '../../ui/format.tsx';
import { Initials } from '../../ui/initials.tsx';
import { ExplorerFrame } from './explorer-frame.tsx';
import { type UserList, userAboutQuery, userMediaQuery, userQuery, writeMutation } from './graphql.ts';
import { ForeignLink, pathTo, Tabs } from './links.tsx';
import { type Page, pagesOf } from './paid-calls.ts';
import { PaidList, PaidView } from './paid-views.tsx';
import { FollowCounts, UserCard, Verified } from './person.tsx';
import type { ExplorerCall } from './requests.ts';
import { TweetList } from './search-page.tsx';
import { WriteButton } from './write-dialog.tsx';

interface UserTab {
  readonly shown: string;
  readonly label: string;
  readonly empty: string;
  readonly call: (userName: string) => ExplorerCall;
  readonly graphql: (userName: string, pages: number) => string;
  /** The response field that contains the users. Undefined if the tab does not list users. */
  readonly users?: string;
}

const ofUser = (name: string) => (userName: string) => ({ name, input: { userName } });
const listQuery = (list: UserList) => (userName: string, pages: number) => userQuery(userName, list, pages);
const mediaOf = (userName: string) => `from:${userName} filter:media`;

const about = {
  shown: 'about',
  label: 'About',
  empty: '',
  call: ofUser('user/user_about'),
  graphql: userAboutQuery,
} satisfies UserTab;

const tabs: readonly [UserTab, ...UserTab[]] = [
  {
    shown: 'tweets',
    label: 'Tweets',
    empty: 'No tweets',
    call: ofUser('user/tweets_and_replies'),
    graphql: listQuery('tweets'),
  },
  {
    shown: 'media',
    label: 'Media',
    empty: 'No tweets with media',
    call: (userName) => ({ name: 'tweet/advanced_search', input: { q: mediaOf(userName), product: 'Latest' } }),
    graphql: (userName, pages) => userMediaQuery(userName, mediaOf(userName), pages),
  },
  {
    shown: 'articles',
    label: 'Articles',
    empty: 'No articles',
    call: ofUser('user/articles_tweets'),
    graphql: listQuery('articles'),
  },
  {
    shown: 'followers',
    label: 'Followers',
    empty: 'Nobody follows this account',
    call: ofUser('user/followers'),
    graphql: listQuery('followers'),
    users: 'followers',
  },
  {
    shown: 'following',
    label: 'Following',
    empty: 'This account follows nobody',
    call: ofUser('user/following'),
    graphql: listQuery('following'),
    users: 'following',
  },
  {
    shown: 'known',
    label: 'Followers you know',
    empty: 'The chosen account follows none of the followers',
    call: (userName) => ({ name: 'user/followers_you_know', input: { user_name: userName } }),
    graphql: listQuery('followersYouKnow'),
    users: 'followers_you_know',
  },
  {
    shown: 'affiliates',
    label: 'Affiliates',
    empty: 'No affiliated accounts',
    call: ofUser('user/affiliates'),
    graphql: listQuery('affiliates'),
    users: 'affiliates',
  },
  about,
];

/** A user with one of their lists. */
export function UserPage({ params: { name = '' } }: { params: Params }) {
  const wanted = address.value.query.get('shown');
  const tab = tabs.find(({ shown }) => shown === wanted) ?? tabs[0];
  const profile: ExplorerCall = { name: 'user/info', input: { userName: name } };
  const call = tab.call(name);
  const { calls: pages } = pagesOf(call);
  return (
    <ExplorerFrame
      title={`@${name}`}
      opens={[profile, call]}
      calls={[profile, ...pages]}
      graphql={tab.graphql(name, pages.length)}
    >
      <PaidView<UserProfile> call={profile} what="the profile">
        {(user) => <Profile user={user} />}
      </PaidView>
      <Tabs
        label="Lists of the user"
        tabs={tabs.map(({ shown, label }) => ({ label, to: pathTo.user(name, shown), current: shown === tab.shown }))}
      />
      <TabContent key={tab.shown} tab={tab} call={call} />
    </ExplorerFrame>
  );
}

function TabContent({ tab, call }: { tab: UserTab; call: ExplorerCall }) {
  if (tab === about) {
    return (
      <PaidView<UserAbout> call={call} what="more about the account">
        {(data) => <About about={data} />}
      </PaidView>
    );
  }
  const { users } = tab;
  const what = `the ${tab.label.toLowerCase()}`;
  if (users === undefined) return <TweetList call={call} what={what} empty={tab.empty} />;
  return (
    <PaidList<Page & Record<string, UserCardData[]>, UserCardData>
      call={call}
      what={what}
      empty={tab.empty}
      items={(page) => page[users] ?? []}
      keyOf={({ id }) => id}
    >
      {(user) => <UserCard user={user} />}
    </PaidList>
  );
}

function Profile({ user }: { user: UserProfile }) {
  const { name, userName, description, location, url, createdAt, canDm, statusesCount, mediaCount } = user;
  const facts = [
    location,
    url && <ForeignLink to={url}>{url.replace(/^https?:\/\//, '')}</ForeignLink>,
    `Joined ${dateOnly(createdAt)}`,
    `${count(statusesCount)} tweets, ${count(mediaCount)} with media`,
    user.protected && 'Protected: only approved followers see the tweets',
    canDm && 'Accepts messages',
  ];
  return (
    <article class="profile">
      <div class="person">
        <Initials user={user} />
        <div class="person-names">
          <span class="person-name">{name || userName}</span>
          <Verified user={user} />
          <span class="soft">@{userName}</span>
        </div>
        <div class="row">
          <WriteButton
            label="Follow"
            question="The chosen account follows this user, or asks to if the user is protected."
            call={{ name: 'user/follow', input: { username: userName } }}
            graphql={writeMutation('followUser', { userName }, 'following', 'followRequestSent')}
            done={`Followed @${userName}`}
          />
          <WriteButton
            label="Unfollow"
            question="The chosen account no longer follows this user."
            call={{ name: 'user/unfollow', input: { username: userName } }}
            graphql={writeMutation('unfollowUser', { userName }, 'following')}
            done={`Unfollowed @${userName}`}
          />
        </div>
      </div>
      {description && (
        <p class="text" dir="auto">
          {description}
        </p>
      )}
      <ul class="facts">{facts.map((fact, index) => fact && <li key={String(index)}>{fact}</li>)}</ul>
      <FollowCounts user={user} />
    </article>
  );
}

function About({ about: { accountBasedIn, createdVia, createdAt, ...rest } }: { about: UserAbout }) {
  const { isIdentityVerified, verifiedSince, usernameChanges } = rest;
  const facts = [
    ['Based in', accountBasedIn || 'Unknown'],
    ['Created', `${dateOnly(createdAt)}, with ${createdVia || 'an unknown client'}`],
    ['Identity verified', isIdentityVerified ? 'Yes' : 'No'],
    ['Verified since', verifiedSince ? dateOnly(verifiedSince) : 'Not known'],
    [
      'Screen name changed',
      usernameChanges.lastChangedAt
        ? `${count(usernameChanges.count)} times, last on ${dateOnly(usernameChanges.lastChangedAt)}`
        : 'Never',
    ],
  ];
  return (
    <dl class="about">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
