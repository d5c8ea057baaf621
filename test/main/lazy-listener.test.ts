import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { lazyListener } from '../../src/main/lazy-listener.ts';
import { makeLogger } from '../../src/shared/observability/logger.ts';

test('a lazy listener lets other work run between the pieces of its code, and loads them once', async () => {
  const order: string[] = [];
  const piece = (name: string) => async () => {
    order.push(name);
    setImmediate(() => order.push('other work'));
  };
  const logger = makeLogger({ level: 'silent', format: 'json' });
  const { load, warmUp } = lazyListener('Test', logger, [piece('first'), piece('second')], async () => {
    order.push('listener');
    return () => {};
  });
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  await Promise.all([warmUp(), load(response), load(response)]);
  expect(order).toEqual(['first', 'other work', 'second', 'other work', 'listener']);
});
