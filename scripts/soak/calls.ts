// The calls of the soak test. Each function makes one kind of call once.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor, Done } from './actor.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const words = ['coffee', 'trains', 'the sea', 'from:grace', '#coffee', '"the night train"', 'code filter:replies'];
const names = ['ada', 'grace', 'tidewater_labs', 'northlightpress', 'citytrams'];

/** What a call may use in addition to its actor. */
interface Context {
  /** The recipient of messages. */
  other: Actor;
  proxyUrl: string;
  pick: (items: readonly string[]) => string;
  /** Makes the sandbox create events for the actor. */
  happen: (actor: Actor, count: number) => Promise<void>;
}

type Call = (actor: Actor, context: Context) => Promise<unknown>;

/** Each call with the relative frequency at which it is drawn. */
export const calls: [weight: number, name: string, run: Call][] = [
  [6, 'search', (actor, { pick }) => actor.rest('GET', '/tweet/advanced_search', { q: pick(words), count: '20' })],
  [4, 'profile', (actor, { pick }) => actor.rest('GET', '/user/info', { userName: pick(names) })],
  [3, 'followers in pages', followersInPages],
  [3, 'tweet', tweetLikeAndDelete],
  [2, 'repeated write', repeatedWrite],
  [4, 'GraphQL query', nestedQuery],
  [2, 'GraphQL mutation', mutation],
  [2, 'refused calls', refusedCalls],
  [1, 'media', mediaOnTweet],
  [3, 'messages', messages],
  [2, 'through a proxy', throughProxy],
  [2, 'account', account],
  // The soak test checks at the end that the events arrived.
  [2, 'events', (actor, { happen }) => happen(actor, 2)],
  [1, 'stream', stream],
];

async function followersInPages(actor: Actor, { pick }: Context) {
  const userName = pick(names);
  let cursor: string | null = null;
  for (let page = 0; page < 3; page++) {
    const input: object = { userName, count: '10', ...(cursor !== null && { cursor }) };
    const { data }: Done<{ next_cursor: string | null }> = await actor.rest('GET', '/user/followers', input);
    cursor = data.next_cursor;
    if (cursor === null) return;
  }
}

async function tweetLikeAndDelete(actor: Actor) {
  const { data } = await actor.write((text) => actor.rest<{ id: string }>('POST', '/tweet/create', { text }));
  const tweet = { tweet_id: data.id };
  await actor.rest('POST', '/tweet/favorite', tweet);
  await actor.rest('POST', '/tweet/unlike', tweet);
  await actor.rest('GET', '/tweet/detail', tweet);
  await actor.rest('POST', '/tweet/delete', tweet);
}

async function repeatedWrite(actor: Actor) {
  const headers = { 'idempotency-key': randomUUID() };
  const send = (text: string) => actor.rest<{ id: string }>('POST', '/tweet/create', { text }, { headers });
  await actor.write(async (text) => {
    const first = await send(text);
    const again = await send(text);
    if (again.charged !== 0 || again.data.id !== first.data.id) throw new Error('a repeated write was performed again');
  });
}

async function nestedQuery(actor: Actor, { pick }: Context) {
  const data = await actor.graphql<{ user: object | null }>(
    'query($name: String!) { user(userName: $name) { name followersCount tweets(first: 5) { nodes { text author { userName } } } } }',
    { name: pick(names) },
  );
  if (!data.user) throw new Error('a query found no user');
}

async function mutation(actor: Actor) {
  await actor.write((text) =>
    actor.graphql('mutation($text: String!) { createTweet(input: { text: $text }) { tweet { id } } }', { text }),
  );
}

async function refusedCalls(actor: Actor) {
  await actor.rest('GET', '/tweet/detail', { tweet_id: '1' }, { status: 404 });
  await actor.rest('GET', '/tweet/advanced_search', { q: 'nonsense:operator' }, { status: 400 });
  await actor.rest('GET', '/user/info', { userName: 'grace' }, { status: 401, key: 'pstn_made_up' });
  await actor.rest('POST', '/tweet/create', { text: '' }, { status: 400 });
}

async function mediaOnTweet(actor: Actor) {
  const image = { media_data: png, media_type: 'image/png' };
  const { data } = await actor.rest<{ media_id: string }>('POST', '/media/upload', image);
  await actor.write((text) => actor.rest('POST', '/tweet/create', { text, media_ids: [data.media_id] }));
}

async function messages(actor: Actor, { other }: Context) {
  const options = { headers: { 'x-encryption-code': actor.platform.encryptionCode } };
  const message = { user_id: other.platform.userId, text: `Soak ${randomUUID()}` };
  type Sent = { conversation_id: string; message_id: string };
  const { data } = await actor.rest<Sent>('POST', '/dm/send', message, options);
  const { conversation_id } = data;
  await actor.rest('POST', '/dm/send_media', { conversation_id, image_base64: png }, options);
  // Other callers write into the same conversation.
  const page = { conversation_id, count: '100' };
  const read = await actor.rest<{ messages: { message_id: string }[] }>('GET', '/dm/messages', page, options);
  const found = read.data.messages.filter(({ message_id }) => message_id === data.message_id);
  if (found.length !== 1) throw new Error(`${found.length} messages instead of one`);
  await actor.rest('GET', '/dm/list', { count: '5' }, options);
}

/** The proxy may be down while the platform is up. */
async function throughProxy(actor: Actor, { pick, proxyUrl }: Context) {
  const headers = { 'x-proxy': proxyUrl };
  await actor.rest('GET', '/user/info', { userName: pick(names) }, { headers });
  await actor.write((text) => actor.rest('POST', '/tweet/create', { text }, { headers }));
}

async function account(actor: Actor) {
  for (const path of ['/account/balance', '/account/usage', '/webhooks', `/webhooks/${actor.hook}/deliveries`]) {
    await actor.rest('GET', path);
  }
}

async function stream(actor: Actor, { happen }: Context) {
  const { next, end } = await actor.openStream();
  try {
    await happen(actor, 1);
    await next();
    await sleep(50);
  } finally {
    await end();
  }
}
