import { afterAll, expect, test } from 'vitest';
import { clientSource } from '../../../scripts/openapi/client-source.ts';
import { operationOf } from '../../../scripts/openapi/operation.ts';
import { SchemaBook } from '../../../scripts/openapi/schemas.ts';
import type { Action } from '../../../src/actions/action.ts';
import { actions } from '../../../src/actions/registry.ts';
import { tweetDetail } from '../../../src/actions/tweet/lookup.ts';
import { oneCall } from '../../../src/api/graphql/schema/bind.ts';
import { useService } from '../../support/use-service.ts';

const announced = { since: '2026-11-22', sunset: '2027-11-22', use: 'tweet/advanced_search' } as const;
const text = 'Deprecated since 2026-11-22: use `tweet/advanced_search`. It may be removed from 2027-11-22 on.';

/** No action is deprecated, so the tests deprecate one. */
const deprecate = (deprecated: Action['deprecated']) => void Object.assign(tweetDetail, { deprecated });

await deprecate(announced);
afterAll(() => deprecate(null));
const { ada: client } = await useService({ CORS_ORIGINS: 'https://app.example' });

test('every response of a deprecated endpoint announces its removal, errors too', async () => {
  const { path } = tweetDetail;
  const origin = { origin: 'https://app.example' };
  for (const as of [client, client.with({ key: 'wrong' })]) {
    const { status, headers } = await as.get(path, { tweet_id: '1' }, origin);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers.get('deprecation')).toBe('@1795305600');
    expect(headers.get('sunset')).toBe('Mon, 22 Nov 2027 00:00:00 GMT');
    expect(headers.get('link')).toBe('</docs>; rel="deprecation"; type="text/html"');
    expect(headers.get('access-control-expose-headers')).toMatch(/Deprecation, Sunset, Link$/);
  }
});

test('other endpoints announce nothing', async () => {
  const { headers } = await client.get('/account');
  for (const name of ['deprecation', 'sunset', 'link']) expect(headers.get(name)).toBeNull();
});

test('the documents and the types of the client name the replacement', () => {
  const performed = { input: {}, answer: {} };
  const operation = operationOf(tweetDetail, actions, new SchemaBook(), performed);
  expect(operation).toMatchObject({ deprecated: true, description: expect.stringContaining(text) });
  expect(clientSource(actions)).toContain(`   * @deprecated ${text} */`);
  expect(oneCall({ action: tweetDetail }).deprecationReason).toBe(text);
});

test('a declaration gives a year, and names an action that stays', () => {
  deprecate(null);
  for (const { name, deprecated } of [...actions, { ...tweetDetail, deprecated: announced }]) {
    if (deprecated === null) continue;
    const replacement = actions.find((action) => action.name === deprecated.use);
    expect(replacement?.deprecated, name).toBeNull();
    expect(Date.parse(deprecated.sunset) - Date.parse(deprecated.since), name).toBeGreaterThanOrEqual(365 * 86_400_000);
  }
});
