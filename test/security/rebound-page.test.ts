import { describe, expect, test } from 'vitest';
import { exchange } from '../support/raw.ts';
import type { TestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const page = 'http://website.example:4000';
const ownName = 'https://postern.example';

const { service } = await useService({ CORS_ORIGINS: 'https://app.example' });
const { service: published } = await useService({ PUBLIC_URL: ownName });

/** Sends a request as a page does whose website's name has changed to 127.0.0.1, with the key that everyone knows. */
async function send(to: TestService, line: string, { host, origin }: { host: string; origin?: string }, body = '') {
  const { apiKey, accounts } = to.demo;
  const headers = [
    `Host: ${host}`,
    ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    `Authorization: Bearer ${apiKey}`,
    `x-auth-token: ${accounts[0].authToken}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const { answers } = await exchange(to.origin, `${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
  return answers[0];
}

const hostOf = (origin: string) => new URL(origin).host;

describe('DNS rebinding: a website whose name means this machine', () => {
  const calls: [string, string][] = [
    ['POST /v1/webhooks', '{"url":"http://localhost:4001/control/reset"}'],
    ['POST /v1/tweet/create', '{"text":"Written by a website"}'],
    ['DELETE /v1/webhooks/wh_1', ''],
    ['POST /graphql', '{"query":"{viewer{id}}"}'],
    ['POST /mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
  ];

  test.each(calls)('cannot use the demo key for %s', async (line, body) => {
    for (const origin of [page, page.toUpperCase(), 'http://website.example']) {
      const answer = await send(service, line, { host: hostOf(origin.toLowerCase()), origin }, body);
      expect(answer?.status, origin).toBe(403);
      expect(answer?.headers.has('x-credits-charged')).toBe(false);
    }
  });

  test.each(['127.0.0.1', 'localhost', '[::1]'])('is not mistaken for a page at %s', async (name) => {
    const origin = `http://${name}:4000`;
    const answer = await send(service, 'POST /v1/user/home_timeline', { host: `${name}:4000`, origin }, '{"count":1}');
    expect(answer?.status, answer?.body).toBe(200);
  });

  test('is not mistaken for a listed origin, for PUBLIC_URL, or for a program', async () => {
    const line = 'POST /v1/user/home_timeline';
    const listed = 'https://app.example';
    const body = '{"count":1}';
    expect((await send(service, line, { host: hostOf(listed), origin: listed }, body))?.status).toBe(200);
    expect((await send(published, line, { host: hostOf(ownName), origin: ownName }, body))?.status).toBe(200);
    expect((await send(service, line, { host: 'website.example' }, body))?.status).toBe(200);
  });
});
