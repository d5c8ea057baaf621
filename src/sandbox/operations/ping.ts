import { closedObject, jsonResponse } from '../http/contract.ts';
import type { OpenOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';

export const ping: OpenOperation = {
  id: 'ping',
  method: 'GET',
  path: '/api/ping',
  access: 'open',
  contract: {
    summary: 'Checks that the platform is up. A fault affects it only if the fault names this operation or a path.',
    responses: { 200: jsonResponse('The platform is up.', closedObject({ ok: { const: true } })) },
  },
  handle: () => json({ ok: true }),
};
