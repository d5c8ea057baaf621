import { describe, expect, test } from 'vitest';
import { eventsOf, streamFixture } from './stream-fixture.ts';

const fixture = streamFixture();

interface Told {
  event: string;
  data: { data?: { events: Record<string, unknown> | null }; errors?: { message: string }[] } | null;
}

async function* told(response: Response): AsyncGenerator<Told> {
  for await (const text of eventsOf(response)) {
    const [, event, data] = /^event: (\w+)\ndata:(.*)$/s.exec(text) ?? [];
    if (event) yield { event, data: data ? JSON.parse(data) : null };
  }
}

async function subscribe(
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
): Promise<{ response: Response; end: () => void }> {
  return fixture.open(fixture.service.demo.graphqlUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify({ query, variables }),
  });
}

const all = `subscription ($types: [EventType!], $after: String) { events(types: $types, after: $after) {
  __typename id type createdAt
  ... on TweetReplyEvent { text inReplyToId authorUserName }
  ... on TweetLikeEvent { tweetId actorUserNames }
  ... on UserFollowEvent { actorIds }
} }`;

describe('the subscription to events', () => {
  test('sends each event as its GraphQL type, and costs one call when it opens', async () => {
    const { response } = await subscribe(all);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-credits-charged')).toBe('0.001');
    const events = told(response);
    const seen: Told[] = [];
    for (const type of ['reply', 'like', 'follow']) {
      await fixture.happen(type);
      seen.push((await events.next()).value);
    }
    expect(seen.map(({ event }) => event)).toEqual(['next', 'next', 'next']);
    expect(seen.map(({ data }) => data?.data?.events)).toEqual([
      expect.objectContaining({ __typename: 'TweetReplyEvent', type: 'TWEET_REPLY', text: expect.any(String) }),
      expect.objectContaining({ __typename: 'TweetLikeEvent', type: 'TWEET_LIKE', tweetId: expect.any(String) }),
      expect.objectContaining({ __typename: 'UserFollowEvent', type: 'USER_FOLLOW', actorIds: [expect.any(String)] }),
    ]);
  });

  test('continues after `after`, with the requested types', async () => {
    const { response, end } = await subscribe(all);
    const first = told(response);
    await fixture.happen('like');
    const { id } = ((await first.next()).value as Told).data?.data?.events ?? {};
    end();
    await fixture.happen('follow');
    await fixture.happen('like');
    const again = told((await subscribe(all, { types: ['TWEET_LIKE'], after: id })).response);
    expect(((await again.next()).value as Told).data?.data?.events).toMatchObject({ type: 'TWEET_LIKE' });
  });

  test('is refused like any request, as JSON, and then costs nothing', async () => {
    const refusals: [Record<string, string>, number, string, types?: string[]][] = [
      [{ authorization: '' }, 401, 'UNAUTHENTICATED'],
      [{ 'x-auth-token': 'nobody' }, 403, 'FORBIDDEN'],
      [{}, 400, 'BAD_USER_INPUT', ['TWEET_LIKE', 'MESSAGE_RECEIVED']],
    ];
    for (const [headers, status, code, types] of refusals) {
      const { response } = await subscribe(all, { types }, headers);
      const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] };
      if (types) expect(errors[0]?.message).toContain('x-encryption-code');
      expect(errors[0]?.extensions).toMatchObject({ code, status });
      expect(response.headers.get('x-credits-charged')).toBeNull();
    }
  });

  test('is completed when the service stops', async () => {
    const events = told((await subscribe(all)).response);
    const next = events.next();
    const stopping = fixture.service.stop();
    expect((await next).value).toEqual({ event: 'complete', data: null });
    await stopping;
  });
});
