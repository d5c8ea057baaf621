// Runs one reliability or security check.
import { runNamed } from './bench/frame.ts';

await runNamed('check', {
  kills: {
    about: 'kill -9 of gateways, faults of their store, clocks and upgrades: nothing is lost or doubled',
    load: () => import('./kills.ts'),
  },
  soak: {
    about: 'all kinds of calls, with faults: errors, charges, memory and sockets',
    load: () => import('./soak.ts'),
  },
  security: { about: 'attacks on every surface', load: () => import('./security.ts') },
  overload: {
    about: 'three times the capacity of a gateway on one core, and a greedy key',
    load: () => import('./overload.ts'),
  },
});
