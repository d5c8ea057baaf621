import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { did, json, loopback, profile, start } from './fake-servers.ts';

const entry = (createdAt: string, operation: Record<string, unknown>, nullified = false) => ({
  did,
  cid: 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a',
  nullified,
  createdAt,
  operation: { sig: 'x', ...operation },
});
const named = (handle: string) => ({ type: 'plc_operation', alsoKnownAs: [`at://${handle}`] });
const log = [
  entry('2023-03-01T10:00:00.000Z', { type: 'create', handle: 'al.test' }),
  entry('2023-04-01T10:00:00.000Z', { ...named('al.test'), services: {} }),
  entry('2024-01-01T10:00:00.000Z', named('nobody.test'), true),
  entry('2024-05-01T10:00:00.000Z', named('ally.test')),
  entry('2025-06-01T10:00:00.000Z', named('alice.test')),
];

describe('user/user_about on the AT Protocol', () => {
  test('has the creation and the handle changes of the audit log, without operations that were nullified', async () => {
    const { plc, client } = await start(loopback);
    plc.routes[`/${did}/log/audit`] = json(log);
    const answer = await client.get('/user/user_about', { userName: 'alice.test' });
    expect(answer.body.data).toMatchObject({
      userName: 'alice.test',
      name: 'Alice',
      createdAt: '2023-03-01T10:00:00.000Z',
      isVerified: false,
      isBlueVerified: false,
      isIdentityVerified: false,
      verifiedSince: '',
      accountBasedIn: '',
      createdVia: '',
      usernameChanges: { count: 2, lastChangedAt: '2025-06-01T10:00:00.000Z' },
    });
  });

  test('has the time of the first valid verification', async () => {
    const { pds, plc, client } = await start(loopback);
    plc.routes[`/${did}/log/audit`] = json(log);
    const verified = (createdAt: string, isValid = true) => ({
      issuer: 'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz',
      uri: 'at://did:plc:zzzzzzzzzzzzzzzzzzzzzzzz/app.bsky.graph.verification/3m5zjuyswn22a',
      isValid,
      createdAt,
    });
    const verifications = [
      verified('2025-07-02T00:00:00.000Z'),
      verified('2025-07-01T00:00:00.000Z'),
      verified('2025-06-01T00:00:00.000Z', false),
    ];
    const verification = { verifiedStatus: 'valid', trustedVerifierStatus: 'none', verifications };
    pds.routes['app.bsky.actor.getProfile'] = json({ ...profile, verification });
    const { data } = (await client.get('/user/user_about', { userName: 'alice.test' })).body;
    expect(data).toMatchObject({ isVerified: true, isBlueVerified: false, verifiedSince: '2025-07-01T00:00:00.000Z' });
  });

  test('has what the profile says of an account without did:plc, and asks no directory', async () => {
    const { pds, plc, client } = await start(loopback);
    const web = { did: 'did:web:looms.test', handle: 'looms.test', createdAt: '2024-02-03T00:00:00.000Z' };
    pds.routes['app.bsky.actor.getProfile'] = json(web);
    const { data } = (await client.get('/user/user_about', { userName: 'looms.test' })).body;
    expect(data).toMatchObject({ createdAt: web.createdAt, usernameChanges: { count: 0, lastChangedAt: '' } });
    expect(plc.seen.map(({ path }) => path)).toEqual([`/${did}`]);
  });

  test.each([
    ['is too long', [...log, entry('2026-01-01T00:00:00.000Z', { padding: 'x'.repeat(1024 * 1024) })]],
    ['has no operation', []],
    ['is something else', { log }],
  ])('fails if the audit log %s', async (_name, body) => {
    const { plc, client } = await start(loopback);
    plc.routes[`/${did}/log/audit`] = json(body);
    expectRefusal(await client.get('/user/user_about', { userName: 'alice.test' }), 502, /^The platform/);
  });
});

describe('user/affiliates on the AT Protocol', () => {
  const of = (name: string) => `did:plc:${name.padEnd(24, 'a')}`;
  const record = (subject: string, at: number) => ({
    uri: `at://${did}/app.bsky.graph.verification/3m5zjuyswn2${at}a`,
    cid: 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a',
    value: {
      $type: 'app.bsky.graph.verification',
      subject,
      handle: 'someone.test',
      displayName: 'Someone',
      createdAt: '2026-01-01T00:00:00.000Z',
    },
  });
  const by = (issuer: string, isValid: boolean) => ({
    verifiedStatus: isValid ? 'valid' : 'invalid',
    trustedVerifierStatus: 'none',
    verifications: [
      {
        issuer,
        uri: `at://${issuer}/app.bsky.graph.verification/3m5zjuyswn22a`,
        isValid,
        createdAt: '2026-01-01T00:00:00Z',
      },
    ],
  });
  const verifier = {
    ...profile,
    verification: { verifiedStatus: 'none', trustedVerifierStatus: 'valid', verifications: [] },
  };

  test('are the accounts whose profile shows a valid verification by the verifier', async () => {
    const { pds, client } = await start(loopback);
    pds.routes['app.bsky.actor.getProfile'] = json(verifier);
    const subjects = ['valid', 'changed', 'other', 'plain'].map(of);
    const records = [...subjects.map(record), { ...record('', 8), value: { subject: 7 } }];
    pds.routes['com.atproto.repo.listRecords'] = json({ records });
    const views = [by(did, true), by(did, false), by(of('stranger'), true), undefined];
    pds.routes['app.bsky.actor.getProfiles'] = json({
      profiles: views.map((verification, at) => ({ did: subjects[at], handle: `user${at}.test`, verification })),
    });
    const { data } = (await client.get('/user/affiliates', { userName: 'alice.test' })).body;
    expect(data).toMatchObject({ userName: 'alice.test', user_count: 1, has_more: false, next_cursor: null });
    expect(data['affiliates']).toMatchObject([{ userName: 'user0.test', isVerified: true, verifiedType: null }]);
    const me = (await client.get('/user/me')).body.data;
    expect(me).toMatchObject({ isVerified: true, isBlueVerified: false, verifiedType: 'trusted_verifier' });
    // The records are public, so the verifier's server gets no token.
    const reads = pds.seen.filter(({ path }) => path === 'com.atproto.repo.listRecords');
    expect(reads.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test('of an account that nobody trusts to verify are empty, and its repository is not read', async () => {
    const { pds, client } = await start(loopback);
    const { data } = (await client.get('/user/affiliates', { userName: 'alice.test' })).body;
    expect(data).toMatchObject({ userName: 'alice.test', affiliates: [], has_more: false });
    expect(pds.seen.map(({ path }) => path)).toEqual(['app.bsky.actor.getProfile']);
  });

  test('of a verifier whose server refuses are 404, not a refused auth_token', async () => {
    const { pds, client } = await start(loopback);
    pds.routes['app.bsky.actor.getProfile'] = json(verifier);
    pds.routes['com.atproto.repo.listRecords'] = json({ error: 'AuthenticationRequired' }, 401);
    expectRefusal(await client.get('/user/affiliates', { userName: 'alice.test' }), 404, 'User not found: alice.test');
  });
});
