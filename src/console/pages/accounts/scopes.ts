/** What scopes allow, in a few words. */
const meanings: readonly (readonly [string, RegExp])[] = [
  ['read', /^(?!dm\.).*\.read$/],
  ['write', /^(?!dm\.).*\.write$/],
  ['messages', /^dm\./],
];

/** Describes scopes in a few words, such as `read, write`. A login without scopes, such as an app password, is not restricted. */
export function wordsOf(scopes: readonly string[]): string {
  if (scopes.length === 0) return 'everything';
  const words = meanings.flatMap(([word, pattern]) => (scopes.some((scope) => pattern.test(scope)) ? [word] : []));
  return words.join(', ') || 'other';
}

export interface SignInScopes {
  readonly scopes: readonly string[];
  readonly default_scopes: readonly string[];
}

/** Returns the sets of scopes that a sign-in usually asks for, by their labels. */
export function usualScopes({ scopes, default_scopes }: SignInScopes): Readonly<Record<string, readonly string[]>> {
  return {
    'Read and write, but no direct messages': default_scopes,
    'Only read, and no direct messages': default_scopes.filter((scope) => !scope.endsWith('.write')),
    'Everything, with direct messages': scopes,
  };
}
