import { json } from '../http/answer.ts';
import type { OpenOperation } from '../http/operation.ts';

export const ping: OpenOperation = {
  id: 'ping',
  method: 'GET',
  path: '/api/ping',
  access: 'open',
  handle: () => json({ ok: true }),
};
