#!/usr/bin/env node
// A user, their last tweets, and who wrote them, in one request: node docs/examples/graphql/timeline.js [userName] [tweets]
import { demoClient, typed } from './demo.js';

/**
 * @typedef {object} Timeline
 * @property {null | {
 *   userName: string,
 *   followersCount: number,
 *   tweets: null | { nodes: { text: string, likeCount: number, author: null | { userName: string, listedCount: number | null } }[] },
 * }} user
 */

/** @type {import('graphql-request').TypedDocumentString<Timeline, { userName: string, first: number }>} */
const timeline = typed(`
  query Timeline($userName: String!, $first: Int!) {
    user(userName: $userName) {
      userName
      followersCount
      tweets(first: $first) {
        nodes {
          text
          likeCount
          author {
            userName
            listedCount
          }
        }
      }
    }
  }
`);

const [userName = 'grace', tweets = '5'] = process.argv.slice(2);
const { user } = await demoClient().request(timeline, { userName, first: Number(tweets) });
if (!user) throw new Error(`there is no ${userName}`);

process.stdout.write(`@${user.userName}, ${user.followersCount} followers\n`);
for (const { text, likeCount, author } of user.tweets?.nodes ?? []) {
  const by = author ? `@${author.userName}, on ${author.listedCount ?? 0} lists` : 'somebody unknown';
  process.stdout.write(`${String(likeCount).padStart(5)} likes  ${text}  (${by})\n`);
}
