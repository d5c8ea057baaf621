import { makeEvents } from '../control/events.ts';
import { clearFaults, setFault } from '../control/faults.ts';
import { mintAccounts } from '../control/mint-accounts.ts';
import { setRateLimit } from '../control/rate-limit.ts';
import { resetDataset } from '../control/reset.ts';
import { activeUser } from '../dataset/visibility.ts';
import type { Fields } from '../http/input.ts';
import type { ActorOperation, OpenOperation } from '../http/operation.ts';
import { notFound, Problem } from '../http/problem.ts';
import { bookmarkTweet, unbookmarkTweet } from '../operations/bookmarks.ts';
import { createTweetOperation } from '../operations/create-tweet.ts';
import { deleteTweetOperation } from '../operations/delete-tweet.ts';
import { followUser, unfollowUser } from '../operations/follow.ts';
import { likeTweet, unlikeTweet } from '../operations/likes.ts';
import { retweetTweet, unretweetTweet } from '../operations/retweets.ts';
import type { ShownTweet } from './cards.ts';
import { composePage } from './composer.ts';
import { faultNamed } from './lab-page.ts';
import { sendFromPage } from './messages-page.ts';
import { sessionCookie } from './session.ts';
import { ask, type PageCall, type PageView, signedIn } from './site.ts';

/** The result of a form: the location of the next page, or a page with an error message. */
export type FormResult = { readonly location: string; readonly cookie?: string } | PageView;

type Form = (call: PageCall, fields: URLSearchParams, cameFrom: string) => FormResult | Promise<FormResult>;

const forms: Readonly<Record<string, Form>> = {
  'sign-in': ({ platform: { dataset } }, fields) => {
    const name = fields.get('user') ?? '';
    const user = activeUser(dataset.userNamed(name), name);
    if (user.token === null) throw new Problem(403, 'no_credentials', `@${user.screenName} has no credentials`);
    return { location: '/', cookie: sessionCookie(user) };
  },
  'sign-out': () => ({ location: '/', cookie: sessionCookie(undefined) }),
  tweet: postTweet,
  delete: async (call, fields, cameFrom) => {
    const { screenName } = signedIn(call);
    const id = fields.get('id') ?? '';
    await ask(call, deleteTweetOperation, { params: { id } });
    return { location: cameFrom.includes(id) ? `/${screenName}` : cameFrom };
  },
  like: onTweet(likeTweet),
  unlike: onTweet(unlikeTweet),
  retweet: onTweet(retweetTweet),
  unretweet: onTweet(unretweetTweet),
  bookmark: onTweet(bookmarkTweet),
  unbookmark: onTweet(unbookmarkTweet),
  follow: onUser(followUser[0]),
  unfollow: onUser(unfollowUser[0]),
  message: (call, fields) => {
    const to = fields.get('to') ?? '';
    sendFromPage(call, to, textOf(fields));
    return { location: `/i/messages/${to}#text` };
  },
  events: inLab('events', makeEvents, (fields) => ({
    type: fields.get('type'),
    userName: fields.get('userName'),
    count: Number(fields.get('count')),
  })),
  fault: inLab('fault', setFault, (fields) => ({
    fault: faultNamed(fields.get('fault') ?? ''),
    operation: fields.get('operation')?.trim() || null,
    times: Number(fields.get('times')),
  })),
  'clear-faults': inLab('clear-faults', clearFaults, () => ({})),
  'rate-limit': inLab('rate-limit', setRateLimit, (fields) => ({
    limit: fields.get('limit') ? Number(fields.get('limit')) : null,
    window_seconds: Number(fields.get('window_seconds')),
  })),
  account: inLab('account', mintAccounts, (fields) => ({ userName: fields.get('userName') })),
  reset: inLab('reset', resetDataset, () => ({})),
};

/** Performs a form. `cameFrom` is the path of the page with the form. */
export async function performForm(
  call: PageCall,
  name: string,
  fields: URLSearchParams,
  cameFrom: string,
): Promise<FormResult> {
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (form === undefined) throw notFound('form', name);
  return form(call, fields, cameFrom);
}

async function postTweet(call: PageCall, fields: URLSearchParams): Promise<FormResult> {
  const { screenName } = signedIn(call);
  const draft = {
    text: textOf(fields),
    replyTo: fields.get('reply_to_id') ?? '',
    quoteOf: fields.get('quote_of_id') ?? '',
  };
  const body = { text: draft.text, reply_to_id: draft.replyTo || null, quote_of_id: draft.quoteOf || null };
  try {
    const { tweet } = await ask<{ tweet: ShownTweet }>(call, createTweetOperation, { body });
    return { location: draft.replyTo ? `/${screenName}/status/${tweet.id}` : `/#t${tweet.id}` };
  } catch (error) {
    if (!(error instanceof Problem) || error.status === 404) throw error;
    return composePage(call, { label: 'Your tweet', status: error.status, why: error.message, ...draft });
  }
}

/** Browsers send line breaks of forms as CRLF. */
function textOf(fields: URLSearchParams): string {
  return (fields.get('text') ?? '').replaceAll('\r\n', '\n');
}

function onTweet(operation: ActorOperation): Form {
  return async (call, fields, cameFrom) => {
    signedIn(call);
    const id = fields.get('id') ?? '';
    await ask(call, operation, { params: { id } });
    return { location: `${cameFrom}#t${id}` };
  };
}

function onUser(operation: ActorOperation): Form {
  return async (call, fields, cameFrom) => {
    signedIn(call);
    await ask(call, operation, { params: { id: fields.get('id') ?? '' } });
    return { location: cameFrom };
  };
}

function inLab(name: string, operation: OpenOperation, bodyOf: (fields: URLSearchParams) => Fields): Form {
  return ({ platform }, fields) => {
    operation.handle({ platform, params: {}, query: new URLSearchParams(), headers: {}, body: bodyOf(fields) });
    const user = fields.get('userName');
    return { location: `/i/lab?${new URLSearchParams({ done: name, ...(user && { user }) })}` };
  };
}
