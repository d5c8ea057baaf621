import { answers, closed } from '../contract/schema.ts';
import { json } from '../http/answer.ts';
import type { OpenOperation } from '../http/operation.ts';

export const ping: OpenOperation = {
  id: 'ping',
  method: 'GET',
  path: '/api/ping',
  access: 'open',
  contract: {
    summary: 'Checks that the platform is up. A fault affects it only if the fault names this operation or a path.',
    responses: { 200: answers('The platform is up.', closed({ ok: { const: true } })) },
  },
  handle: () => json({ ok: true }),
};
