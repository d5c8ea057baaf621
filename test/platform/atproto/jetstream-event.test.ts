import { expect, test } from 'vitest';
import { subjectsOf } from '../../../src/platform/atproto/jetstream-event.ts';

const did = (letter: string) => `did:plc:${letter.repeat(24)}`;
const post = (letter: string) => ({ uri: `at://${did(letter)}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: 'bafy' });
const message = (record: unknown, operation = 'create') =>
  JSON.stringify({ did: did('z'), time_us: 1, kind: 'commit', commit: { operation, collection: 'any', record } });
const facet = (...dids: string[]) => ({
  features: dids.map((mentioned) => ({ $type: 'app.bsky.richtext.facet#mention', did: mentioned })),
});

test.each<[string, unknown, string[]]>([
  ['like or a repost', { subject: post('a') }, ['a']],
  ['follow', { subject: did('a') }, ['a']],
  ['reply', { reply: { root: post('a'), parent: post('b') } }, ['a', 'b']],
  ['quote', { embed: { record: post('a') } }, ['a']],
  ['quote with pictures', { embed: { record: { record: post('a') }, media: {} } }, ['a']],
  ['mention', { facets: [facet(did('a')), facet(did('b'), did('b'))] }, ['a', 'b']],
  ['post about nobody', { text: 'Hi' }, []],
  ['record of another form', { subject: 7, reply: 'no', facets: [null, { features: 7 }] }, []],
])('the accounts of a %s', (_name, record, letters) => {
  expect(subjectsOf(message(record))).toEqual(letters.map(did));
});

test('a message that is not a new record names nobody', () => {
  const like = { subject: post('a') };
  for (const text of ['', '{', 'null', '[]', '{"commit":7}', message(like, 'delete'), message(like, 'update')]) {
    expect(subjectsOf(text)).toEqual([]);
  }
});

test('a record names a limited number of accounts', () => {
  const many = Array.from({ length: 200 }, (_, at) => facet(`did:web:${at}.example`));
  expect(subjectsOf(message({ facets: many })).length).toBeLessThanOrEqual(50);
});

test('a message that is nested too deep names nobody', () => {
  const deep = message({ subject: did('a') }).replace(/}$/, `,"x":${'['.repeat(64)}${']'.repeat(64)}}`);
  expect(subjectsOf(deep)).toEqual([]);
});
