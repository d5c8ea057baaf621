// The part of undici that the service uses: its HTTP/1.1 client. The bundle contains it instead of the whole package, whose index also
// loads fetch, caches, mocks and WebSockets and would add 40 ms to each start. Any other import from undici fails the build.
import type { Dispatcher as DispatcherTypes } from 'undici';
import api from 'undici/lib/api/index.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Client from 'undici/lib/dispatcher/client.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { getGlobalDispatcher } from 'undici/lib/global.js';

// The index of undici does the same.
Object.assign(Dispatcher.prototype, api);

export { Agent, buildConnector, Client, Pool };

export function request(
  url: string,
  {
    dispatcher = getGlobalDispatcher(),
    ...options
  }: Partial<DispatcherTypes.RequestOptions> & { dispatcher?: DispatcherTypes } = {},
) {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ method: 'GET', ...options, origin, path: `${pathname}${search}` });
}
