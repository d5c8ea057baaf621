// Attacks on the compilation of documents. A document is compiled after several uses, and the compiler expands every fragment.

import { type Attack, type Attacks, many } from '../target.ts';

const levels = 20;

function bomb(
  start: string,
  onUser = (next: string) => `a:tweets{nodes{author{${next}}}}b:tweets{nodes{author{${next}}}}`,
) {
  const fragments = many(levels, (i) => `fragment F${i} on User{${onUser(`...F${i + 1}`)}}`);
  return `${start} ${fragments} fragment F${levels} on User{id}`;
}

/** Sends the same document often enough for it to be compiled. The key has no credit. */
function repeated(document: string, variables?: object): Attack {
  return (target) => target.many(8, 2, () => target.graphql(document, variables, { key: 'poor' }));
}

export const attacks: Attacks = {
  'compiler: @skip(if: true)': repeated(bomb('{__typename viewer @skip(if:true){...F0}}')),
  'compiler: @include with a variable': repeated(
    bomb('query($yes:Boolean!){__typename viewer @include(if:$yes){...F0}}'),
    { yes: false },
  ),
  'compiler: node(id) of another type': async (target) => {
    const search = target.graphql('{searchTweets(q:"from:grace",first:1){nodes{id}}}');
    const { searchTweets } = await target.setUp<{ searchTweets: { nodes: { id: string }[] } }>(search);
    const id = JSON.stringify(searchTweets.nodes[0]?.id);
    await target.begin();
    // The tweet is read and charged, but its fields are not selected.
    const document = bomb(`{__typename node(id:${id}){...on User{...F0}}}`);
    await target.many(8, 2, () => target.graphql(document));
  },
  'compiler: nodes(ids: [])': repeated(bomb('{__typename nodes(ids:[]){...on User{...F0}}}')),
  'compiler: field with a refused input': repeated(bomb('{__typename user(userName:""){...F0}}')),
  'compiler: 90 small documents': (target) =>
    target.many(90 * 7, 8, (i) => {
      const fields = many(40, (j) => `f${i % 90}_${j}:tweets{nodes{author{id name}}}`);
      return target.graphql(`{__typename viewer @skip(if:true){${fields}}}`, undefined, { key: 'poor' });
    }),
};
