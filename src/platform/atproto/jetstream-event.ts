import * as v from '@atcute/lexicons/validations';
import { parseUntrustedJson } from '../../shared/json/untrusted-json.ts';
import { parseRecordUri } from './identifiers.ts';
import { fieldsOf, referencesOf } from './post-references.ts';

/** The maximum number of accounts that one record can name. */
const maxSubjects = 50;

const commitSchema = v.object({
  commit: v.object({ operation: v.literal('create'), record: v.unknown() }),
});

/**
 * Returns the DIDs of the accounts that the record in a Jetstream message may notify: the subject of a like, repost or
 * follow, and for a post the accounts that it mentions, replies to and quotes. Returns an empty list for other
 * messages.
 */
export function subjectsOf(message: string): string[] {
  let body: unknown;
  try {
    body = parseUntrustedJson(message);
  } catch {
    return [];
  }
  if (!v.is(commitSchema, body)) return [];
  const record = fieldsOf(body.commit.record);
  const { parent, quoted, mentioned } = referencesOf(record);
  const [subject, root] = [record['subject'], fieldsOf(record['reply'])['root']].map((named) => fieldsOf(named)['uri']);
  const dids = [...[subject, root, parent, quoted].map(didOf), record['subject'], ...mentioned].filter(
    (did) => typeof did === 'string',
  );
  return [...new Set(dids)].slice(0, maxSubjects);
}

function didOf(uri: unknown): string | undefined {
  return typeof uri === 'string' ? parseRecordUri(uri)?.did : undefined;
}
