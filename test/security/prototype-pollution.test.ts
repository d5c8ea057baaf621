import { describe, expect, test } from 'vitest';
import { actions } from '../../src/actions/registry.ts';
import { tools } from '../../src/mcp/tools.ts';
import { oneOfEachKind } from '../support/repetitions.ts';
import { useService } from '../support/use-service.ts';
import { McpCaller } from './mcp-caller.ts';

const { service, ada: client } = await useService({ RATE_LIMIT: '0' }, { dollars: '10' });

const mcp = new McpCaller(`${service.origin}/mcp?policy=destructive`, client.options);
const before = prototypes();

/** The names of all properties of the prototypes that every object and list has. The service runs in this process. */
function prototypes(): PropertyKey[] {
  return [Object.prototype, Array.prototype, Function.prototype].flatMap((prototype) => Reflect.ownKeys(prototype));
}

const polluted = { polluted: 'yes', auth_token: 'stolen', authToken: 'stolen', text: 'polluted', id: 'polluted' };
const bodies = [
  JSON.stringify({ constructor: { prototype: polluted } }),
  `{"__proto__":${JSON.stringify(polluted)}}`,
  `{"a":{"__proto__":${JSON.stringify(polluted)}},"__proto__":{"__proto__":${JSON.stringify(polluted)}}}`,
];

function expectUnpolluted(): void {
  expect(prototypes()).toEqual(before);
  for (const name of Object.keys(polluted)) expect(name in {}, name).toBe(false);
}

describe('names of prototypes in a request change no prototype, and have no effect', () => {
  test.each(oneOfEachKind(actions).map(({ name, method, path }) => [name, method, path] as const))(
    '%s',
    async (_name, method, path) => {
      const filled = path.replaceAll(/\{\w+\}/g, '__proto__');
      if (method === 'GET') {
        const query = { '__proto__[polluted]': 'yes', 'constructor[prototype][polluted]': 'yes' };
        const answer = await client.get(filled, query);
        expect(answer.body.error ?? '').not.toContain('polluted');
      } else {
        for (const body of bodies) {
          const answer = await client.send(method, filled, body, { 'content-type': 'application/json' });
          expect(answer.status).toBeLessThan(500);
          // Without a token of its own such a request would act as nobody.
          if (answer.status === 200) expect(JSON.stringify(answer.body)).not.toContain('polluted');
        }
      }
      expectUnpolluted();
    },
  );

  test.each([
    ['variables', '{"query":"query($u:String){user(userName:$u){id}}","variables":{"__proto__":{"u":"polluted"}}}'],
    [
      'an input',
      '{"query":"mutation($i:CreateTweetInput!){createTweet(input:$i){id}}","variables":{"i":{"__proto__":{"text":"polluted"}}}}',
    ],
    ['the whole request', '{"__proto__":{"query":"{__typename}"}}'],
    ['extensions', '{"query":"{__typename}","extensions":{"__proto__":{"persistedQuery":{"sha256Hash":"x"}}}}'],
    ['extensions of another kind', '{"extensions":{"constructor":{"prototype":{"persistedQuery":1}}}}'],
    ['operationName', '{"query":"query a{__typename}","operationName":"__proto__"}'],
    ['documentId', '{"documentId":"__proto__"}'],
    ['names of fields', '{"query":"{__proto__ constructor toString}"}'],
    ['aliases', '{"query":"{__proto__:__typename constructor:__typename}"}'],
  ])('GraphQL: %s', async (_name, body) => {
    const headers = { ...client.headers, 'content-type': 'application/json' };
    const response = await fetch(service.demo.graphqlUrl, { method: 'POST', headers, body });
    expect(response.status).toBeLessThan(500);
    await response.text();
    expectUnpolluted();
  });

  test.each(['variables.__proto__.polluted', 'variables.constructor.prototype.polluted', '__proto__.polluted'])(
    'GraphQL: a file at %s',
    async (path) => {
      const form = new FormData();
      form.set('operations', '{"query":"query($u:String){user(userName:$u){id}}","variables":{"u":null}}');
      form.set('map', JSON.stringify({ f: [path] }));
      form.set('f', new Blob(['x']), 'x');
      const { headers } = client;
      const response = await fetch(service.demo.graphqlUrl, { method: 'POST', headers, body: form });
      expect(response.status).toBe(400);
      expectUnpolluted();
    },
  );

  test.each(tools.map(({ definition }) => definition.name))('the tool %s', async (name) => {
    const message = (body: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${body}}}`;
    for (const body of bodies) {
      const response = await mcp.send(message(body));
      expect(response.status).toBeLessThan(500);
      await response.text();
    }
    expectUnpolluted();
  });
});
