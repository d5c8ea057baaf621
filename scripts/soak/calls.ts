// The calls of the soak test. Each function makes one kind of call once. scripts/soak.ts describes `context`.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const words = ['coffee', 'trains', 'the sea', 'from:grace', '#coffee', '"the night train"', 'code filter:replies'];
const names = ['ada', 'grace', 'tidewater_labs', 'northlightpress', 'citytrams'];

/** Each call with the relative frequency at which it is drawn. */
export const calls = [
  [6, 'search', ({ rest, pick }) => rest('GET', '/tweet/advanced_search', { q: pick(words), count: '20' })],
  [4, 'profile', ({ rest, pick }) => rest('GET', '/user/info', { userName: pick(names) })],
  [3, 'followers in pages', followersInPages],
  [3, 'tweet', tweetLikeAndDelete],
  [2, 'repeated write', repeatedWrite],
  [4, 'GraphQL query', nestedQuery],
  [2, 'GraphQL mutation', mutation],
  [2, 'refused calls', refusedCalls],
  [1, 'media', mediaOnTweet],
  [2, 'messages', messages],
  [1, 'message with media', messageWithMedia],
  [2, 'through a proxy', throughProxy],
  [2, 'account', account],
  [1, 'webhook', webhook],
  [2, 'events', events],
  [1, 'stream', stream],
];

async function followersInPages({ rest, pick }) {
  const userName = pick(names);
  let cursor = null;
  for (let page = 0; page < 3; page++) {
    const { data } = await rest('GET', '/user/followers', { userName, count: '10', ...(cursor && { cursor }) });
    cursor = data.next_cursor;
    if (!data.has_more) return;
  }
}

async function tweetLikeAndDelete({ rest, tweet }) {
  const { data } = await tweet();
  await rest('POST', '/tweet/favorite', { tweet_id: data.id });
  await rest('POST', '/tweet/unlike', { tweet_id: data.id });
  await rest('GET', '/tweet/detail', { tweet_id: data.id });
  await rest('POST', '/tweet/delete', { tweet_id: data.id });
}

async function repeatedWrite({ rest, tweet }) {
  const headers = { 'idempotency-key': randomUUID() };
  const first = await tweet({}, { headers });
  const again = await rest('POST', '/tweet/create', { text: first.data.text }, { headers });
  if (again.charged !== 0 || again.data.id !== first.data.id) throw new Error('a repeated write was performed again');
}

async function nestedQuery({ graphql, pick }) {
  const data = await graphql(
    `query($name: String!) { user(userName: $name) { name followersCount tweets(first: 5) { nodes { text author { userName } } } } }`,
    { name: pick(names) },
  );
  if (!data.user) throw new Error('a query found no user');
}

async function mutation({ graphql, writing }) {
  await writing('tweets', (text) =>
    graphql('mutation($text: String!) { createTweet(input: { text: $text }) { tweet { id } } }', { text }),
  );
}

async function refusedCalls({ rest }) {
  await rest('GET', '/tweet/detail', { tweet_id: '1' }, { status: 404 });
  await rest('GET', '/tweet/advanced_search', { q: 'nonsense:operator' }, { status: 400 });
  await rest('GET', '/user/info', { userName: 'grace' }, { status: 401, key: 'pstn_made_up' });
  await rest('POST', '/tweet/create', { text: '' }, { status: 400 });
}

async function mediaOnTweet({ rest, tweet }) {
  const { data } = await rest('POST', '/media/upload', { media_data: png, media_type: 'image/png' });
  await tweet({ media_ids: [data.media_id] });
}

async function messages({ rest, actor, message }) {
  const headers = { 'x-encryption-code': actor.encryptionCode };
  const { data } = await message();
  // Other callers write into the same conversation.
  const query = { conversation_id: data.conversation_id, count: '100' };
  const read = await rest('GET', '/dm/messages', query, { headers });
  if (!read.data.messages.some(({ message_id }) => message_id === data.message_id))
    throw new Error('a message is missing');
  await rest('GET', '/dm/list', { count: '5' }, { headers });
}

async function messageWithMedia({ rest, actor, message, writing }) {
  const headers = { 'x-encryption-code': actor.encryptionCode };
  const { data } = await message();
  const image = { conversation_id: data.conversation_id, image_base64: png };
  await writing('messages', (text) => rest('POST', '/dm/send_media', { ...image, text }, { headers }));
}

/** The proxy may be away while the platform is not. */
async function throughProxy({ rest, pick, proxy, tweet }) {
  const headers = { 'x-proxy': proxy };
  await rest('GET', '/user/info', { userName: pick(names) }, { headers });
  await tweet({}, { headers });
}

async function webhook({ rest, hook }) {
  await rest('GET', `/webhooks/${hook}`);
  await rest('GET', `/webhooks/${hook}/deliveries`, { count: '20' });
}

async function account({ rest }) {
  await rest('GET', '/account/balance');
  await rest('GET', '/account/usage');
  await rest('GET', '/webhooks');
}

/** The events of one actor that its webhook receives. The soak test checks at its end that all of them have arrived. */
async function events({ happen, actor, random }) {
  await happen(actor, 1 + Math.floor(random() * 3));
}

async function stream({ openStream, happen, actor }) {
  const { next, end } = await openStream();
  try {
    await happen(actor, 1);
    await next();
    await sleep(50);
  } finally {
    end();
  }
}
