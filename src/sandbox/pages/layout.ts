import { demoNames } from '../seed/demo.ts';
import { type SafeHtml, safeHtml } from './html.ts';
import { type IconName, icon } from './icons.ts';
import { pageIcon, pageStyle } from './page-files.ts';
import type { PageCall, PageView } from './site.ts';

interface Place {
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
}

const anyone: readonly Place[] = [
  { href: '/', name: 'Home', icon: 'home' },
  { href: '/i/search', name: 'Search', icon: 'search' },
];

function placesOf({ viewer }: PageCall): readonly Place[] {
  const own: readonly Place[] =
    viewer === undefined
      ? []
      : [
          { href: '/i/notifications', name: 'Notifications', icon: 'bell' },
          { href: '/i/messages', name: 'Messages', icon: 'message' },
          { href: '/i/bookmarks', name: 'Bookmarks', icon: 'bookmark' },
          { href: '/i/articles', name: 'Articles', icon: 'article' },
          { href: `/${viewer.screenName}`, name: 'Profile', icon: 'person' },
        ];
  return [...anyone, ...own, { href: '/i/lab', name: 'Lab', icon: 'lab' }];
}

export function renderPage(call: PageCall, { title, body }: PageView): string {
  const places = placesOf(call).map(
    ({ href, name, icon: outline }) =>
      safeHtml`<li><a href="${href}"${href === call.path ? safeHtml` aria-current="page"` : undefined}>${icon(outline)}<span>${name}</span></a></li>`,
  );
  return safeHtml`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${title} · Sandbox</title><link rel="icon" href="${pageIcon.url}"><link rel="stylesheet" href="${pageStyle.url}"></head>
<body><a class="skip" href="#main">Skip to the content</a>
<header class="site"><a class="brand" href="/">Sandbox</a><nav aria-label="Site"><ul>${places}</ul></nav>${account(call)}</header>
<main id="main">${body}</main></body></html>
`.text;
}

/** The demo users to sign in as, or the signed-in user. */
function account({ viewer, path }: PageCall): SafeHtml | undefined {
  // The home page of visitors has the form in its text.
  if (viewer === undefined) return path === '/' ? undefined : signInForm('Sign in as');
  return safeHtml`<div class="account"><span class="soft">Signed in as</span> <b>@${viewer.screenName}</b>
<form method="post" action="/i/do/sign-out"><button class="button plain">Sign out</button></form></div>`;
}

export function signInForm(label: string): SafeHtml {
  const buttons = demoNames.map(
    (name) => safeHtml`<button class="button plain" name="user" value="${name}">@${name}</button>`,
  );
  return safeHtml`<form class="account" method="post" action="/i/do/sign-in"><span class="soft">${label}</span>${buttons}</form>`;
}

export function notice(status: number, title: string, text: string): PageView {
  return { status, title, body: safeHtml`<div class="notice"><h1>${title}</h1><p>${text}</p></div>` };
}

/** Renders items with a link to the next page, or a sentence if there are none. */
export function listOf(
  { path, query }: PageCall,
  items: readonly SafeHtml[],
  cursor: string | null,
  empty: string,
): SafeHtml {
  if (items.length === 0) return safeHtml`<p class="notice soft">${empty}</p>`;
  const next = new URLSearchParams(query);
  if (cursor !== null) next.set('cursor', cursor);
  return safeHtml`${items}${cursor === null ? undefined : safeHtml`<p class="more"><a class="button plain" href="${path}?${next.toString()}">Show more</a></p>`}`;
}
