import { Problem } from '../http/problem.ts';
import { followersOperation, followingOperation } from '../operations/user-lists.ts';
import { userArticles, userTweets } from '../operations/user-tweets.ts';
import { userByScreenName } from '../operations/users.ts';
import {
  avatar,
  badge,
  followButton,
  localPath,
  type ShownTweet,
  type ShownUser,
  tweetCard,
  userCard,
} from './cards.ts';
import { type SafeHtml, safeHtml } from './html.ts';
import { listOf } from './layout.ts';
import { ask, type PageCall, type PageView } from './site.ts';

interface ProfileList {
  readonly tweets?: readonly ShownTweet[];
  readonly users?: readonly ShownUser[];
  readonly next_cursor: string | null;
}

const tabs = {
  '': { name: 'Tweets', operation: userTweets[1], empty: 'No tweets yet.' },
  '/articles': { name: 'Articles', operation: userArticles[1], empty: 'No articles yet.' },
  '/followers': { name: 'Followers', operation: followersOperation[1], empty: 'Nobody follows this account yet.' },
  '/following': { name: 'Following', operation: followingOperation[1], empty: 'This account follows nobody yet.' },
};

export type ProfileTab = keyof typeof tabs;

export async function profilePage(call: PageCall, screenName: string, tab: ProfileTab): Promise<PageView> {
  const params = { screen_name: screenName };
  const { user } = await ask<{ user: ShownUser }>(call, userByScreenName, { params });
  const { operation, empty } = tabs[tab];
  const links = Object.entries(tabs).map(
    ([path, { name }]) =>
      safeHtml`<a href="/${user.screen_name}${path}"${path === tab ? safeHtml` aria-current="page"` : undefined}>${name}</a>`,
  );
  let list: SafeHtml;
  try {
    const page = await ask<ProfileList>(call, operation, { params, query: call.query });
    const items =
      page.users?.map((each) => userCard(call, each)) ?? page.tweets?.map((each) => tweetCard(call, each)) ?? [];
    list = listOf(call, items, page.next_cursor, empty);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'protected') throw error;
    list = safeHtml`<p class="notice">This account is protected: only followers see its tweets and lists.</p>`;
  }
  const body = safeHtml`${profile(call, user)}<nav class="tabs" aria-label="Profile">${links}</nav>${list}`;
  return { status: 200, title: `${user.name} (@${user.screen_name})`, body };
}

function profile(call: PageCall, user: ShownUser): SafeHtml {
  const { counts } = user;
  const place = [user.location, user.website].filter((part) => part !== null).join(' · ');
  return safeHtml`<section class="profile">${user.banner_url === null ? undefined : safeHtml`<img class="banner" src="${localPath(user.banner_url)}" alt="">`}
<div class="top">${avatar(user)}<span class="actions">${user.viewer.can_dm && call.viewer !== undefined ? safeHtml`<a class="button plain" href="/i/messages/${user.screen_name}">Message</a>` : undefined}${followButton(call, user)}</span></div>
<h1>${user.name}${badge(user)}</h1><div class="soft">@${user.screen_name}${user.protected ? ' · protected' : ''}</div>
<p class="text">${user.description}</p><div class="soft">${place}</div>
<p class="counts"><span><b>${counts.following.toLocaleString('en')}</b> following</span><span><b>${counts.followers.toLocaleString('en')}</b> followers</span><span><b>${counts.tweets.toLocaleString('en')}</b> tweets</span></p></section>`;
}
