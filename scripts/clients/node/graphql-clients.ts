import assert from 'node:assert/strict';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { FollowDocument, MissingDocument, SearchDocument } from './generated/graphql.ts';
import { actor, apiKey, graphqlUrl, otherUser, step } from './scenario.ts';

const headers = { authorization: `Bearer ${apiKey}`, 'x-auth-token': actor };

const apollo = new ApolloClient({
  link: new HttpLink({ uri: graphqlUrl, headers }),
  cache: new InMemoryCache(),
});

await step('Apollo Client: two pages and a mutation', async () => {
  const load = (after: string | null) =>
    apollo.query({ query: SearchDocument, variables: { q: `from:${otherUser}`, after } });
  const first = (await load(null)).data?.searchTweets;
  const second = (await load(first?.pageInfo.endCursor ?? null)).data?.searchTweets;
  const ids = [...(first?.edges ?? []), ...(second?.edges ?? [])].map((edge) => edge?.node?.tweetId);
  assert.equal(new Set(ids).size, 10);
  const { data } = await apollo.mutate({ mutation: FollowDocument, variables: { input: { userName: otherUser } } });
  assert.equal(data?.followUser?.following, true);
});

await step('Apollo Client: an error by its code', async () => {
  const { error } = await apollo.query({ query: MissingDocument, errorPolicy: 'all' });
  assert.ok(CombinedGraphQLErrors.is(error));
  assert.equal(error.errors[0]?.extensions?.['code'], 'NOT_FOUND');
});

const urql = new Client({
  url: graphqlUrl,
  exchanges: [cacheExchange, fetchExchange],
  fetchOptions: { headers },
  preferGetMethod: false,
});

await step('urql: two pages and a mutation', async () => {
  const first = (await urql.query(SearchDocument, { q: `from:${otherUser}` })).data?.searchTweets;
  const second = (await urql.query(SearchDocument, { q: `from:${otherUser}`, after: first?.pageInfo.endCursor })).data;
  const ids = [...(first?.edges ?? []), ...(second?.searchTweets?.edges ?? [])].map((edge) => edge?.node?.tweetId);
  assert.equal(new Set(ids).size, 10);
  const { data } = await urql.mutation(FollowDocument, { input: { userName: otherUser } });
  assert.equal(data?.followUser?.following, true);
});

await step('urql: an error by its code', async () => {
  const { error } = await urql.query(MissingDocument, {});
  assert.equal(error?.graphQLErrors[0]?.extensions['code'], 'NOT_FOUND');
});
