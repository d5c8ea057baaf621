import { closedObject, jsonResponse, ref } from '../http/contract.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';
import { demoOf } from '../seed/demo.ts';

export const controlInfo: ControlOperation = {
  id: 'controlInfo',
  method: 'GET',
  path: '/control/info',
  access: 'control',
  contract: {
    summary: 'Describes the dataset, with the credentials of its demo accounts.',
    responses: {
      200: jsonResponse(
        'The dataset.',
        closedObject({
          seed: { type: 'string' },
          started_at: ref('Time'),
          demo: closedObject({
            accounts: { type: 'array', items: ref('Account') },
            appToken: { type: 'string', description: "A token of X's API v2 that belongs to no user (app-only)." },
            listId: ref('Id'),
            organization: {
              type: 'string',
              description: 'The screen name of a verified organization with affiliates.',
            },
          }),
          counts: closedObject({ users: ref('Count'), tweets: ref('Count') }),
        }),
      ),
    },
  },
  handle: ({ platform }) =>
    json({
      seed: platform.seed,
      started_at: new Date(platform.startedAt).toISOString(),
      demo: demoOf(platform.dataset, platform.seed),
      counts: { users: platform.dataset.users.size, tweets: platform.dataset.tweets.length },
    }),
};
