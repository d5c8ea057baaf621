/** Input fields that GraphQL names differently. Credentials are headers in GraphQL. */
const inputNames: Readonly<Record<string, string>> = {
  count: 'first',
  cursor: 'after',
  username: 'userName',
  auth_token: 'x-auth-token',
  proxy: 'x-proxy',
  encryption_code: 'x-encryption-code',
};

/** The GraphQL name of an output field: `author_screen_name` → `authorUserName`. */
export function outputName(field: string): string {
  return field
    .replace('screen_name', 'user_name')
    .replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** The GraphQL name of an input field: `tweet_id` → `tweetId`, `cursor` → `after`. */
export function inputName(field: string): string {
  return inputNames[field] ?? outputName(field);
}

/** A description with GraphQL's names of fields and headers. `names` has the fields that the description may mention. */
export function withGraphqlNames(text: string, names: Readonly<Record<string, string>>): string {
  const known = { ...inputNames, ...names };
  return text.replaceAll(/`(\w+)`/g, (quoted, field: string) =>
    Object.hasOwn(known, field) ? `\`${known[field]}\`` : quoted,
  );
}

/** `createTweet` → `CreateTweet`. */
export function capitalized(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}
