/** Input fields whose names in GraphQL do not follow from REST. Credentials are sent as headers in GraphQL. */
const inputNames: Readonly<Record<string, string>> = {
  count: 'first',
  cursor: 'after',
  username: 'userName',
  auth_token: 'x-auth-token',
  proxy: 'x-proxy',
  encryption_code: 'x-encryption-code',
};

/** Returns the GraphQL name of an output field: `author_screen_name` becomes `authorUserName`. */
export function outputName(field: string): string {
  return field
    .replace('screen_name', 'user_name')
    .replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Returns the GraphQL name of an input field: `tweet_id` becomes `tweetId`, `cursor` becomes `after`. */
export function inputName(field: string): string {
  return inputNames[field] ?? outputName(field);
}

/**
 * Replaces the REST names of fields and headers in a description with their GraphQL names. `names` contains the fields that the description
 * may mention.
 */
export function withGraphqlNames(text: string, names: Readonly<Record<string, string>>): string {
  const known = { ...inputNames, ...names };
  return text.replaceAll(/`(\w+)`/g, (quoted, field: string) =>
    Object.hasOwn(known, field) ? `\`${known[field]}\`` : quoted,
  );
}

export function capitalized(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}
