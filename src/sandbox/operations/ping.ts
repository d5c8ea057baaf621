import { answers, closed } from '../contract/schema.ts';
import { json } from '../http/answer.ts';
import type { OpenOperation } from '../http/operation.ts';

export const ping: OpenOperation = {
  id: 'ping',
  method: 'GET',
  path: '/api/ping',
  access: 'open',
  contract: {
    summary: 'Says that the platform is up. A fault that names neither this operation nor a path does not meet it.',
    responses: { 200: answers('It is.', closed({ ok: { const: true } })) },
  },
  handle: () => json({ ok: true }),
};
