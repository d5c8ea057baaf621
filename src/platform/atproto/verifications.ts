import { mainSchema as listRecords } from '@atcute/atproto/types/repo/listRecords';
import * as Verification from '@atcute/bluesky/types/app/graph/verification';
import { is } from '@atcute/lexicons/validations';
import type { Page } from '../../shared/model/page.ts';
import type { UserCard } from '../../shared/model/user.ts';
import type { PageRequest } from '../port.ts';
import type { Subject } from './problems.ts';
import { isVerifier, type ProfileView } from './read-user.ts';
import type { PageParams, ServerSession } from './server-session.ts';

const collection = 'app.bsky.graph.verification';

/**
 * Returns the accounts that a trusted verifier has verified, newest verification first. The records come from the verifier's
 * own repository. An account is left out if its profile does not show the verification as valid.
 */
export async function verifiedBy(
  actor: ServerSession,
  verifier: ProfileView,
  subject: Subject,
  page: PageRequest,
): Promise<Page<UserCard>> {
  if (!isVerifier(verifier)) return { items: [], cursor: null };
  const ask = await actor.repositoryOf(verifier.did, subject);
  const fetch = async (paging: PageParams) => {
    const { records, cursor } = await ask(listRecords, { params: { repo: verifier.did, collection, ...paging } });
    return { items: records.map(({ value }) => value), cursor };
  };
  const isValid = ({ verification }: ProfileView) =>
    verification?.verifications.some(({ issuer, isValid }) => isValid && issuer === verifier.did) ?? false;
  const read = async (records: readonly unknown[]) => {
    const subjects = records.flatMap((record) => (is(Verification.mainSchema, record) ? [record.subject] : []));
    const profiles = await actor.profiles(subjects);
    return actor.cardsOf([...profiles.values()].filter(isValid));
  };
  return actor.page(page, fetch, read);
}
