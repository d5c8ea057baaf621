import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let open: AbortController[];

beforeEach(async () => {
  service = await startService({ SANDBOX_ACTIVITY: '0' });
  open = [];
});
afterEach(async () => {
  for (const each of open) each.abort();
  await service.stop();
});

interface Told {
  event: string;
  data: { data?: { events: Record<string, unknown> | null }; errors?: { message: string }[] } | null;
}

async function* told(response: Response): AsyncGenerator<Told> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, event, data] = /^event: (\w+)\ndata:(.*)$/s.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (event) yield { event, data: data ? JSON.parse(data) : null };
    }
  }
}

async function subscribe(
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const { demo } = service;
  const controller = new AbortController();
  open.push(controller);
  return fetch(demo.graphqlUrl, {
    method: 'POST',
    signal: controller.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${demo.apiKey}`,
      'x-auth-token': demo.accounts[0]?.authToken ?? '',
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
  });
}

async function happen(type: string, count = 1): Promise<void> {
  await fetch(`${service.demo.sandboxUrl}/control/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type, userName: 'ada', count }),
  });
}

const all = `subscription ($types: [EventType!], $after: String) { events(types: $types, after: $after) {
  __typename id type createdAt
  ... on TweetReplyEvent { text inReplyToId authorUserName }
  ... on TweetLikeEvent { tweetId actorUserNames }
  ... on UserFollowEvent { actorIds }
} }`;

describe('the subscription to events', () => {
  test('tells each event by its type, and costs one call when it opens', async () => {
    const response = await subscribe(all);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-credits-charged')).toBe('0.001');
    const events = told(response);
    const seen: Told[] = [];
    for (const type of ['reply', 'like', 'follow']) {
      await happen(type);
      seen.push((await events.next()).value);
    }
    expect(seen.map(({ event }) => event)).toEqual(['next', 'next', 'next']);
    expect(seen.map(({ data }) => data?.data?.events)).toEqual([
      expect.objectContaining({ __typename: 'TweetReplyEvent', type: 'TWEET_REPLY', text: expect.any(String) }),
      expect.objectContaining({ __typename: 'TweetLikeEvent', type: 'TWEET_LIKE', tweetId: expect.any(String) }),
      expect.objectContaining({ __typename: 'UserFollowEvent', type: 'USER_FOLLOW', actorIds: [expect.any(String)] }),
    ]);
  });

  test('goes on behind `after`, with the types that were asked for', async () => {
    const first = told(await subscribe(all));
    await happen('like');
    const { id } = ((await first.next()).value as Told).data?.data?.events ?? {};
    open[0]?.abort();
    await happen('follow');
    await happen('like');
    const again = told(await subscribe(all, { types: ['TWEET_LIKE'], after: id }));
    expect(((await again.next()).value as Told).data?.data?.events).toMatchObject({ type: 'TWEET_LIKE' });
  });

  test('is refused like any request, as JSON, and then costs nothing', async () => {
    const refusals: [Record<string, string>, number, string][] = [
      [{ authorization: '' }, 401, 'UNAUTHENTICATED'],
      [{ 'x-auth-token': 'nobody' }, 403, 'FORBIDDEN'],
    ];
    for (const [headers, status, code] of refusals) {
      const response = await subscribe(all, {}, headers);
      const { errors } = (await response.json()) as { errors: { extensions: object }[] };
      expect(errors[0]?.extensions).toMatchObject({ code, status });
      expect(response.headers.get('x-credits-charged')).toBeNull();
    }
  });

  test('is completed when the service stops', async () => {
    const events = told(await subscribe(all));
    const next = events.next();
    const stopping = service.stop();
    expect((await next).value).toEqual({ event: 'complete', data: null });
    await stopping;
    service = await startService({ SANDBOX_ACTIVITY: '0' });
  });
});
