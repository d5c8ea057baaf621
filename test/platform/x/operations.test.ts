import { describe, expect, test } from 'vitest';
import type { XClient } from '../../../src/platform/x/client.ts';
import { leastFields } from '../../../src/platform/x/fields.ts';
import { type Operation, operations, type Write, writes } from '../../../src/platform/x/operations.ts';
import { xOperations } from '../../../src/sandbox/x/operations.ts';
import { differencesFromX, documentedOperation, hasDocument } from '../../support/x-document.ts';

/** Operations that X has, but the trimmed document lacks. */
const undocumented = ['getUsersLikedPosts', 'blockUser', 'unblockUser', 'muteUser', 'unmuteUser'];
const isDocumented = ({ name }: { name: string }) => !undocumented.includes(name);

function expectDocumented({ name, method, path, scopes, limitOf }: Operation | Write) {
  const found = documentedOperation(name);
  expect(found).toMatchObject({ method, path });
  // Uploads and articles need no scope to read.
  const more = found?.scopes?.filter((scope) => scope !== 'tweet.read' && scope !== 'users.read');
  expect(more).toEqual(limitOf === 'app' ? undefined : scopes);
  return found;
}

describe.skipIf(!hasDocument)('operations', () => {
  test.each(Object.values(operations).filter(isDocumented))('$name reads as the document says', (operation) => {
    const { query, token, sizes } = operation;
    const found = expectDocumented(operation);
    const [least = 1, greatest = 1] = found?.sizes ?? [];
    expect([sizes[0] >= least, sizes[1] <= greatest]).toEqual([true, true]);
    expect(found?.query).toEqual(expect.arrayContaining([...query, ...(sizes[1] > 1 ? [token] : [])]));
  });

  test.each(Object.values(writes).filter(isDocumented))('$name writes as the document says', (write) => {
    expect(expectDocumented(write)?.body).toEqual(expect.arrayContaining([...write.body]));
  });

  test.each(xOperations.filter(({ path, id }) => path.startsWith('/2/') && isDocumented({ name: id })))(
    '$id of the sandbox is at the path of the document',
    ({ id, method, path }) => {
      expect(documentedOperation(id)).toMatchObject({ method, path: path.replace(/\{\w+\}/g, '{}') });
    },
  );

  test.each([
    ['both vocabularies', '/2/tweets/12?post.fields=lang&expansions=referenced_tweets.id'],
    ['both vocabularies in two names', '/2/tweets/12?post.fields=lang&tweet.fields=source'],
    ['an unknown name', '/2/tweets/12?colour=red'],
    ['a page that is too large', '/2/users/12/tweets?max_results=101'],
    ['a path without an operation', '/2/tweets/12/colours'],
  ])('the check finds %s', (_name, url) => {
    expect(differencesFromX({ method: 'GET', url })).toHaveLength(1);
  });
});

test('names of queries do not compile if the operation lacks them', () => {
  const fields = leastFields.user;
  const asked = { operation: operations.getUsersByIds, fields };
  const calls = [
    (client: Pick<XClient, 'send'>, call: never) =>
      // @ts-expect-error: `id` is not `ids`
      client.send({ operation: operations.getUsersByIds, query: { id: '1' }, fields }, call, () => 0),
    (client: Pick<XClient, 'send'>, call: never) =>
      // @ts-expect-error: a spread does not hide a name
      client.send({ ...asked, query: { ids: '1', colour: 'red' } }, call, () => 0),
    (client: Pick<XClient, 'send'>, call: never) =>
      // @ts-expect-error: the operation has no names
      client.send({ operation: operations.getUsersFollowers, ids: ['1'], query: { ids: '1' }, fields }, call, () => 0),
  ];
  expect(calls).toHaveLength(3);
});
