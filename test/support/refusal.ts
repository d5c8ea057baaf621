import { expect } from 'vitest';
import { errorTable } from '../../src/shared/errors/table.ts';
import type { Answer, Client } from './client.ts';

/** Checks that a response is the Envelope of a refusal and has no credit headers. */
export function expectRefusal(answer: Answer, status: number, error?: string | RegExp): void {
  expect(answer.body, `status ${answer.status}`).toEqual({ status: false, data: null, error: expect.any(String) });
  if (typeof error === 'string') expect(answer.body.error).toBe(error);
  if (error instanceof RegExp) expect(answer.body.error).toMatch(error);
  expect(answer.status, String(answer.body.error)).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
  expect(answer.headers.get('x-credits-charged')).toBeNull();
  expect(answer.headers.get('x-credits-remaining')).toBeNull();
  const code = answer.headers.get('x-error-code') ?? '';
  expect(Object.entries(errorTable).find(([name]) => name === code)?.[1].status, `x-error-code ${code}`).toBe(status);
  expect(answer.headers.get('x-request-id')).toMatch(/^[\x21-\x7e]{1,64}$/);
}

/** Returns the balance of the account when no credit is reserved. The credit of failed calls is released after their responses. */
export async function restingBalance(client: Client): Promise<string> {
  for (let tries = 0; tries < 3_000; tries++) {
    const { balance, held } = (await client.get('/account/balance')).body.data;
    if (held === '0') return String(balance);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('credit is still held after a minute');
}
