import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';
import { demoOf } from '../seed/demo.ts';

export const controlInfo: ControlOperation = {
  id: 'controlInfo',
  method: 'GET',
  path: '/control/info',
  access: 'control',
  handle: ({ platform }) =>
    json({
      seed: platform.seed,
      started_at: new Date(platform.startedAt).toISOString(),
      demo: demoOf(platform.dataset, platform.seed),
      counts: { users: platform.dataset.users.size, tweets: platform.dataset.tweets.length },
    }),
};
