import { json } from '../http/answer.ts';
import type { OpenOperation } from '../http/operation.ts';
import { demoOf } from '../seed/demo.ts';

export const controlInfo: OpenOperation = {
  id: 'controlInfo',
  method: 'GET',
  path: '/control/info',
  access: 'control',
  handle: ({ platform }) =>
    json({
      seed: platform.seed,
      started_at: new Date(platform.startedAt).toISOString(),
      demo: demoOf(platform.world, platform.seed),
      counts: { users: platform.world.users.size, tweets: platform.world.tweets.length },
    }),
};
