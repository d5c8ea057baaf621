#!/usr/bin/env node
// Reads a user's followers page by page, as long as the budget lasts. Each page's price is asked for before it is paid:
// node docs/examples/graphql/walk-followers.js [userName] [budget, in dollars] [followers a page]
import { billOf, demoClient, typed } from './demo.js';

/**
 * @typedef {object} Followers
 * @property {null | {
 *   followers: null | {
 *     nodes: { userName: string }[],
 *     pageInfo: { hasNextPage: boolean, endCursor: string | null },
 *   },
 * }} user
 */

/** @typedef {{ userName: string, first: number, after: string | null }} Page */

/** @type {import('graphql-request').TypedDocumentString<Followers, Page>} */
const followers = typed(`
  query Followers($userName: String!, $first: Int!, $after: String) {
    user(userName: $userName) {
      followers(first: $first, after: $after) {
        nodes {
          userName
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

const [userName = 'grace', budget = '0.02', first = '100'] = process.argv.slice(2);
const client = demoClient();
const document = followers.toString();

/** Millionths of a dollar: sums of decimal fractions would not be exact. @param {string} dollars */
const micros = (dollars) => Math.round(Number(dollars) * 1_000_000);

let left = micros(budget);
let count = 0;
/** @type {string | null} */
let after = null;
let outcome = '';
while (outcome === '') {
  /** @type {Page} */
  const page = { userName, first: Number(first), after };
  // Returns only the price and runs nothing.
  const priced = await client.rawRequest(document, page, { 'x-cost-only': '1' });
  if (micros(billOf(priced.extensions).cost.quoted) > left) {
    outcome = 'the budget is spent';
    break;
  }
  const { data, extensions } = await client.rawRequest(document, page);
  left -= micros(billOf(extensions).cost.actual);
  const list = /** @type {Followers} */ (data).user?.followers;
  if (!list) throw new Error(`the followers of ${userName} cannot be read`);
  for (const follower of list.nodes) process.stdout.write(`@${follower.userName}\n`);
  count += list.nodes.length;
  after = list.pageInfo.endCursor;
  if (!list.pageInfo.hasNextPage) outcome = 'that is all of them';
}
process.stdout.write(`${count} followers: ${outcome}; $${left / 1_000_000} of $${budget} left\n`);
