import type { MintedAccount } from '../world/entries.ts';
import type { User } from '../world/types.ts';

/** What a caller needs to act as an account. */
export interface AccountForm {
  readonly userName: string;
  readonly userId: string;
  readonly authToken: string;
  readonly encryptionCode: string;
  readonly premium: boolean;
}

export function accountForm(user: User): AccountForm {
  return {
    userName: user.screenName,
    userId: user.id,
    authToken: user.token ?? '',
    encryptionCode: user.encryptionCode ?? '',
    premium: user.premium,
  };
}

export function mintedForm(account: MintedAccount): AccountForm {
  return {
    userName: account.userName,
    userId: account.id,
    authToken: account.token,
    encryptionCode: account.encryptionCode,
    premium: account.premium,
  };
}
