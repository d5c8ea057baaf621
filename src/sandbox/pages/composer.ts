import { tweetById } from '../operations/tweets.ts';
import { type ShownTweet, tweetCard } from './cards.ts';
import { type SafeHtml, safeHtml } from './html.ts';
import { ask, type PageCall, type PageView, signedIn } from './site.ts';

export interface Draft {
  readonly label: string;
  readonly text?: string;
  readonly replyTo?: string;
  readonly quoteOf?: string;
}

/** The form that posts a tweet. */
export function composer({ label, text = '', replyTo = '', quoteOf = '' }: Draft): SafeHtml {
  return safeHtml`<form class="composer" id="reply" method="post" action="/i/do/tweet"><label for="text">${label}</label>
<textarea id="text" name="text" rows="3" maxlength="25000" required>${text}</textarea>
<input type="hidden" name="reply_to_id" value="${replyTo}"><input type="hidden" name="quote_of_id" value="${quoteOf}">
<button class="button">${replyTo === '' ? 'Post' : 'Reply'}</button></form>`;
}

/** Shows the composer alone: for a quote, or with the text that could not be posted and the reason. */
export async function composePage(
  call: PageCall,
  refused?: { status: number; why: string } & Draft,
): Promise<PageView> {
  signedIn(call);
  const quoteOf = refused?.quoteOf ?? call.query.get('quote') ?? '';
  const replyTo = refused?.replyTo ?? '';
  const about = replyTo === '' ? quoteOf : replyTo;
  const tweet =
    about === '' ? undefined : (await ask<{ tweet: ShownTweet }>(call, tweetById, { params: { id: about } })).tweet;
  const title = replyTo !== '' ? 'Reply' : quoteOf !== '' ? 'Quote' : 'Post';
  const body = safeHtml`<h1>${title}</h1>${refused && safeHtml`<p class="problem" role="alert">${refused.why}</p>`}${composer(
    {
      label: 'Your tweet',
      text: refused?.text ?? '',
      replyTo,
      quoteOf,
    },
  )}${tweet && tweetCard(call, tweet)}`;
  return { status: refused?.status ?? 200, title, body };
}
