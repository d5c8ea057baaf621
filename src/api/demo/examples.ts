import type { Demo } from './demo.ts';

export interface Example {
  title: string;
  command: string;
}

/** Returns calls that work when they are pasted into a shell. The start-up message and the home page show them. */
export function curlExamples(demo: Demo): Example[] {
  const actor = demo.accounts[0]?.authToken ?? '';
  const credentials = `-H 'Authorization: Bearer ${demo.apiKey}' -H 'x-auth-token: ${actor}'`;
  const post = `curl -s ${credentials} -H 'Content-Type: application/json'`;
  return [
    {
      title: 'Search tweets',
      command: `curl -si ${credentials} '${demo.baseUrl}/tweet/advanced_search?q=from:grace&count=3'`,
    },
    {
      title: 'A user and their tweets, in one GraphQL query',
      command: `${post} -d '${JSON.stringify({ query: '{ user(userName: "grace") { name followersCount tweets(first: 3) { nodes { text likeCount } } } }' })}' '${demo.graphqlUrl}'`,
    },
    {
      title: 'Post a tweet',
      // The time makes each text different, because the platform refuses the same text twice within a day.
      command: `${post} -d '{"text":"Hello at '"$(date +%T)"'"}' '${demo.baseUrl}/tweet/create'`,
    },
    {
      title: 'Look up a user',
      command: `curl -s ${credentials} '${demo.baseUrl}/user/info?userName=grace'`,
    },
    {
      title: 'List conversations and decrypt their last messages',
      command: `curl -s ${credentials} -H 'x-encryption-code: ${demo.accounts[0]?.encryptionCode ?? ''}' '${demo.baseUrl}/dm/list?count=3'`,
    },
    {
      title: 'Show the credit that is left',
      command: `curl -s -H 'Authorization: Bearer ${demo.apiKey}' '${demo.baseUrl}/account/balance'`,
    },
  ];
}
