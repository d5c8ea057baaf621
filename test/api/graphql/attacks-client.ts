import { expect } from 'vitest';
import { type ErrorCode, errorTable } from '../../../src/shared/errors/table.ts';
import { restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

interface Refusal {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; status: number; field?: string; hint?: string };
}

export interface Outcome {
  status: number;
  headers: Headers;
  text: string;
  body: { data?: Record<string, unknown> | null; errors?: Refusal[]; extensions: { cost: Record<string, string> } };
}

/** Starts a service for the tests of a file, and a caller with a key and a little credit, for attacks. */
export async function useAttacker() {
  const { service, ada: rest } = await useService();
  const { key = '', authToken: token = '' } = rest.options;

  /** Sends any request to `/graphql`, with a key and an actor. */
  const send = async (init: RequestInit, search = ''): Promise<Outcome> => {
    const headers = { ...rest.headers, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${service.origin}/graphql${search}`, { ...init, headers });
    const text = await response.text();
    const body = (text === '' ? {} : JSON.parse(text)) as Outcome['body'];
    return { status: response.status, headers: response.headers, text, body };
  };
  const newer = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
  /** Sends a document as a normal client does. */
  const ask = (query: string, others: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    send({ method: 'POST', headers: { ...newer, ...headers }, body: JSON.stringify({ query, ...others }) });

  return {
    service,
    key,
    token,
    send,
    ask,
    /** Checks that nothing was charged or reserved, and that a normal request still succeeds. */
    async expectUnharmed() {
      expect(await restingBalance(rest)).toBe('1');
      expect((await ask('{ account { balance } }')).body.data).toEqual({ account: { balance: '1' } });
    },
  };
}

/** Checks that the whole request was refused with JSON that has a code, the HTTP status, and no internal details. */
export function expectRefused({ status, headers, text, body }: Outcome, expected: number, message?: RegExp): void {
  const [first] = body.errors ?? [];
  expect(first, text.slice(0, 500)).toBeDefined();
  expect(first?.extensions.code).toMatch(/^[A-Z_]+$/);
  expect(first?.extensions.status).toBe(expected);
  expect(status, text.slice(0, 500)).toBe(expected);
  if (message) expect(first?.message).toMatch(message);
  expect(body.data ?? null).toBeNull();
  expect(body.extensions.cost['actual']).toBe('0');
  expect(headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json; charset=utf-8$/);
  const code = headers.get('x-error-code') as ErrorCode;
  expect(errorTable[code]).toEqual({ status: expected, graphql: first?.extensions.code });
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-credits-charged')).toBeNull();
  expect(text.length).toBeLessThan(20_000);
  for (const inside of ['node_modules', '/src/', 'RangeError', 'TypeError', 'at Object.', 'originalError']) {
    expect(text).not.toContain(inside);
  }
}

export function many(times: number, text: (i: number) => string): string {
  return Array.from({ length: times }, (_, i) => text(i)).join(' ');
}

/** Returns fragments in which each one contains the next one twice. */
export function bomb(levels: number, on: string, twice: (next: string) => string, last: string): string {
  const name = (i: number) => `F${i}`;
  const levelsOf = many(levels, (i) => `fragment ${name(i)} on ${on}{${twice(`...${name(i + 1)}`)}}`);
  return `${levelsOf} fragment ${name(levels)} on ${on}{${last}}`;
}
