import { afterAll, describe, expect, test } from 'vitest';
import { readDemo } from '../../support/demo.ts';
import { GraphqlClient } from '../../support/graphql.ts';
import { startPostern } from '../../support/process.ts';
import { processorMsOf } from '../../support/processor-time.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bomb } from './attacks-client.ts';
import { globalId } from './call-count-fixture.ts';

const dataDir = temporaryFolder();

const postern = startPostern(['serve'], { DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0' });
await postern.printed(/curl/);
const demo = readDemo(dataDir);
const origin = new URL(demo.baseUrl).origin;
const ada = new GraphqlClient({ url: demo.graphqlUrl, key: demo.apiKey, authToken: demo.accounts[0].authToken });
afterAll(() => postern.end('SIGTERM'));

async function residentMiB(): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]) / 1024 / 1024;
}

/** If each fragment is expanded at each spread, this document has more than a million fields. */
const twice = (next: string) => `a: tweets { nodes { author { ${next} } } } b: tweets { nodes { author { ${next} } } }`;
const fragments = bomb(19, 'User', twice, 'id');

/** The second field is charged, because only charged executions count towards compiling. */
const charged = 'me: viewer { userName }';
const me = { me: { userName: 'ada' } };

const attacks: readonly [name: string, query: string, variables: Record<string, unknown>, data: unknown][] = [
  ['behind @skip', `{ ${charged} viewer @skip(if: true) { ...F0 } } ${fragments}`, {}, me],
  [
    'behind an @include variable',
    `query ($no: Boolean!) { ${charged} viewer @include(if: $no) { ...F0 } } ${fragments}`,
    { no: false },
    me,
  ],
  [
    'of a type that a node is not',
    `{ ${charged} node(id: "${globalId('List', '1')}") { ... on User { ...F0 } } } ${fragments}`,
    {},
    { ...me, node: {} },
  ],
  ['of no nodes', `{ ${charged} nodes(ids: []) { ... on User { ...F0 } } } ${fragments}`, {}, { ...me, nodes: [] }],
  [
    'of a field whose input is refused',
    `{ ${charged} user(userName: "!!") { ...F0 } } ${fragments}`,
    {},
    { ...me, user: null },
  ],
];

describe('a short document whose fragments are millions of fields when they are written out', () => {
  test.each(attacks)('costs neither time nor memory, and is answered: %s', async (_name, query, variables, data) => {
    const before = await residentMiB();
    for (let i = 0; i < 8; i++) {
      const usedBefore = processorMsOf(postern.child.pid as number);
      expect((await ada.ask(query, variables)).data).toEqual(data);
      expect(processorMsOf(postern.child.pid as number) - usedBefore).toBeLessThan(10_000);
    }
    expect((await residentMiB()) - before).toBeLessThan(100);
  });
});
