// What the examples share: where the service is, and documents that know their types.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GraphQLClient } from 'graphql-request';

/**
 * @typedef {object} Demo
 * @property {string} graphqlUrl
 * @property {string} apiKey
 * @property {{ userName: string, authToken: string }[]} accounts
 */

/** What every response says of its price, in dollars as exact decimal strings.
 * @typedef {object} Bill
 * @property {{ quoted: string, actual: string, limit: string }} cost
 * @property {{ charged: string, remaining: string | null }} credits
 */

/** A client of the service that wrote `demo.json` when it started, acting as the first demo account. */
export function demoClient() {
  const file = join(process.env['DATA_DIR'] ?? 'data', 'demo.json');
  const { graphqlUrl, apiKey, accounts } = /** @type {Demo} */ (JSON.parse(readFileSync(file, 'utf8')));
  const [actor] = accounts;
  if (!actor) throw new Error(`${file} names no account`);
  return new GraphQLClient(graphqlUrl, {
    headers: { authorization: `Bearer ${apiKey}`, 'x-auth-token': actor.authToken },
  });
}

/**
 * A document whose result and variables have the types that it is annotated with.
 *
 * @template Result
 * @template Variables
 * @param {string} text
 * @returns {import('graphql-request').TypedDocumentString<Result, Variables>}
 */
export function typed(text) {
  return /** @type {import('graphql-request').TypedDocumentString<Result, Variables>} */ (
    /** @type {unknown} */ (text)
  );
}

/** @param {unknown} extensions */
export function billOf(extensions) {
  return /** @type {Bill} */ (extensions);
}
