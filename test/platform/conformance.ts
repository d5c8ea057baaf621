import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '../../src/actions/action.ts';
import { actions, streams } from '../../src/actions/registry.ts';
import type { PlatformCapabilities } from '../../src/platform/capabilities.ts';
import type { ParityFixture } from '../api/graphql/parity-fixture.ts';
import { type Answer, Client } from '../support/client.ts';
import { expectRefusal } from '../support/refusal.ts';

type Data = Record<string, unknown>;

export interface ConformingAdapter {
  readonly capabilities: PlatformCapabilities;
  /** A valid name that no user has. */
  readonly unknownName: string;
  /** The lists that may have a tweet several times. */
  readonly repeating?: readonly string[];
  start(): Promise<ParityFixture>;
}

/** The number of pages of a long list that are compared. */
const maxPages = 8;
const onPlatform = [...actions, ...streams].filter(({ actor }) => actor);
const reads = actions.filter(({ name, effect }) => effect === 'read' && /^(tweet|user|list)\//.test(name));

/** Tests of the guarantees of the platform port that are the same for every adapter. A caller sees them over REST. */
export function describePlatform({ capabilities, unknownName, repeating = [], start }: ConformingAdapter): void {
  const { kind, unsupported, eventTypes, limits } = capabilities;
  const supported = reads.filter(({ name }) => !(name in unsupported));
  const named = (list: readonly Action[]) => list.map((action) => [action.name, action] as const);

  let fixture: ParityFixture;
  let client: Client;
  let inputOf: (action: Action) => Data;
  beforeAll(async () => {
    fixture = await start();
    const { baseUrl, payerKey: key, reader } = fixture.platform;
    client = new Client({ baseUrl, key, authToken: reader.authToken });
    const { target } = await fixture.apiClients('1', supported[0]);
    inputOf = (action) => fixture.inputFor(action, target);
  });
  afterAll(() => fixture?.stop());

  const dataOf = ({ body }: Answer): Data => {
    if (body.error !== null) throw new Error(body.error);
    return body.data;
  };
  const read = (action: Action, changes: Data = {}) => client.call(action, { ...inputOf(action), ...changes });

  describe('capabilities', () => {
    test('are the declared ones, free and without auth_token', async () => {
      const answer = await client.with({ authToken: '' }).get('/capabilities');
      expect(answer.headers.get('x-credits-charged')).toBeNull();
      const { length, premiumLength, bytes, unit } = limits.text;
      expect(dataOf(answer)).toMatchObject({
        platform: kind,
        actions: [...actions, ...streams].map(({ name, method, path }) => {
          const reason = unsupported[name] ?? null;
          return { name, method, path, supported: reason === null, reason };
        }),
        event_types: eventTypes,
        text: { unit, max_length: length, max_length_premium: premiumLength, max_bytes: bytes },
        media: Object.entries(limits.mediaBytes).map(([media, max_bytes]) => ({ kind: media, max_bytes })),
      });
    });

    test('lack only actions on the platform', () => {
      expect(onPlatform.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(unsupported)));
    });

    test('that are lacking are refused with 501 and the reason, and nothing is sent', async () => {
      const requests = async () => {
        const text = await (await fetch(new URL('/metrics', fixture.platform.baseUrl))).text();
        return text.match(/^postern_platform_requests_total.*$/gm);
      };
      const before = await requests();
      for (const action of onPlatform.filter(({ name }) => name in unsupported)) {
        const code: Record<string, string> = action.code === 'none' ? {} : { 'x-encryption-code': '24681357' };
        const answer = await client.call(action, action.example, code);
        expectRefusal(answer, 501, `Not supported by this platform: ${action.name}. ${unsupported[action.name]}`);
      }
      expect(await requests()).toEqual(before);
    });
  });

  describe('a user', () => {
    test('is the same by name in any case, by @name, by id, and as the actor', async () => {
      const { userName } = fixture.platform.reader;
      const me = dataOf(await client.get('/user/me'));
      const references = [{ userName }, { userName: `@${userName.toUpperCase()}` }, { userId: String(me['id']) }];
      for (const query of references) expect(dataOf(await client.get('/user/info', query))).toEqual(me);
    });
  });

  describe('what does not exist', () => {
    const unknown: readonly (readonly [fields: readonly string[], kind: string, values: readonly string[]])[] = [
      [['tweet_id'], 'Tweet', ['12', '9'.repeat(64)]],
      [['listId'], 'List', ['12', '9'.repeat(64)]],
      [['userName', 'user_name'], 'User', [unknownName]],
    ];
    const rows = supported.flatMap((action) =>
      unknown.flatMap(([fields, thing, values]) =>
        fields
          .filter((field) => field in action.example)
          .map((field) => [action.name, thing, action, field, values] as const),
      ),
    );
    test.each(rows)('%s refuses an unknown %s with 404', async (_name, thing, action, field, values) => {
      for (const value of values) {
        expectRefusal(await read(action, { [field]: value }), 404, `${thing} not found: ${value}`);
      }
    });

    test.each(['12', '9'.repeat(64)])('user/info refuses the unknown id %s with 404', async (userId) => {
      expectRefusal(await client.get('/user/info', { userId }), 404, `User not found: ${userId}`);
    });
  });

  describe.each(named(supported.filter(({ paged }) => paged)))('the list %s', (_name, action) => {
    /** Returns the ids of a list in pages of `count`. */
    const idsIn = async (count: number) => {
      const seen: string[] = [];
      let cursor: unknown = null;
      for (let page = 0; page === 0 || (cursor !== null && page < maxPages); page += 1) {
        const data = dataOf(await read(action, { count, ...(cursor !== null && { cursor }) }));
        const items = Object.values(data).find(Array.isArray) as { id: string }[];
        expect(data['has_more']).toBe(data['next_cursor'] !== null);
        expect(items.length).toBeLessThanOrEqual(count);
        seen.push(...items.map(({ id }) => id));
        cursor = data['next_cursor'];
      }
      return { seen, isComplete: cursor === null };
    };

    test('has the same items, each once, in pages of 1, 3 and 100', async () => {
      const whole = await idsIn(100);
      expect(whole.seen.length).toBeGreaterThan(0);
      if (!repeating.includes(action.name)) expect(new Set(whole.seen).size).toBe(whole.seen.length);
      for (const count of [1, 3]) {
        const { seen, isComplete } = await idsIn(count);
        expect(seen, `pages of ${count}`).toEqual(isComplete ? whole.seen : whole.seen.slice(0, seen.length));
        expect(seen.length).toBeGreaterThan(0);
      }
    });

    test('refuses a cursor of no list, and counts outside 1 to 100', async () => {
      expectRefusal(await read(action, { cursor: 'made-up' }), 400, /^Malformed field: cursor/);
      for (const count of [0, 101]) expectRefusal(await read(action, { count }), 400, /^Malformed field: count/);
    });
  });
}
