import { existsSync, readFileSync } from 'node:fs';

export interface Group<T> {
  tests: readonly T[];
  keySize?: number;
  publicKey?: { uncompressed: string };
}

export interface Case {
  tcId: number;
  comment: string;
  result: 'valid' | 'invalid' | 'acceptable';
}

/**
 * Reads a file of C2SP/wycheproof. Uses the complete file if it is available next to the project, otherwise the checked-in selection.
 * `origin` describes the source for the name of the test.
 */
export function wycheproof<T extends Case>(name: string): { groups: readonly Group<T>[]; origin: string } {
  const whole = new URL(`../../../../shared/vectors/wycheproof/${name}`, import.meta.url);
  const selection = new URL(`./vectors/wycheproof-${name}`, import.meta.url);
  const isWhole = existsSync(whole);
  const { testGroups } = JSON.parse(readFileSync(isWhole ? whole : selection, 'utf8')) as {
    testGroups: readonly Group<T>[];
  };
  return { groups: testGroups, origin: isWhole ? 'the whole file' : 'the selection' };
}

export const bytes = (hex: string) => Buffer.from(hex, 'hex');
