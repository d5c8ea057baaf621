// Runs one benchmark.
import { runNamed } from './bench/frame.ts';

await runNamed('bench', {
  rest: { about: 'REST beside bare node:http and bare Express 5', load: () => import('./bench/rest.ts') },
  graphql: { about: 'GraphQL beside bare Yoga', load: () => import('./bench/graphql.ts') },
  webhooks: {
    about: 'deliveries a second beside a loop that signs and posts, and the time from event to receiver',
    load: () => import('./bench/webhooks.ts'),
  },
  start: {
    about: 'time to the first response, and memory at rest, beside Express with Yoga in one file',
    load: () => import('./bench/start.ts'),
  },
  hostile: {
    about: 'attacks: time, longest stop of the event loop, memory, disk, charge and harm to another account',
    load: () => import('./bench/hostile.ts'),
  },
  idle: { about: 'cost of accounts with a webhook each while nothing happens', load: () => import('./bench/idle.ts') },
});
