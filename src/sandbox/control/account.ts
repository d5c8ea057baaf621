import type { User } from '../dataset/types.ts';
import { encryptionCodeFor } from '../seed/credentials.ts';

/** What a caller needs to act as an account. */
export interface AccountForm {
  readonly userName: string;
  readonly userId: string;
  readonly authToken: string;
  readonly encryptionCode: string;
  readonly premium: boolean;
}

export function accountForm(user: User, seed: string): AccountForm {
  return {
    userName: user.screenName,
    userId: user.id,
    authToken: user.token ?? '',
    encryptionCode: user.chatLabel === null ? '' : encryptionCodeFor(seed, user.chatLabel),
    premium: user.premium,
  };
}
