import { demo } from '../page-data.ts';
import { actor, chooseActor } from '../session.ts';
import { Field } from './field.tsx';

const other = 'other';

/** Chooses the platform account that calls act as: a demo account, or another account by its token. */
export function ActorField() {
  const chosen = actor.value;
  const accounts = demo?.accounts ?? [];
  const isDemo = accounts.some(({ authToken }) => authToken === chosen?.authToken);
  const choose = (value: string) => {
    const account = accounts.find(({ userName }) => userName === value);
    chooseActor(account ?? { userName: null, authToken: '', encryptionCode: '' });
  };
  const change = (field: 'authToken' | 'encryptionCode', value: string) =>
    chooseActor({ authToken: '', encryptionCode: '', ...chosen, userName: null, [field]: value.trim() });
  return (
    <div class="actor">
      {accounts.length > 0 && (
        <Field label="Platform account">
          <select
            value={isDemo ? (chosen?.userName ?? other) : other}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {accounts.map(({ userName }) => (
              <option key={userName} value={userName}>
                {userName}
              </option>
            ))}
            <option value={other}>Another token…</option>
          </select>
        </Field>
      )}
      {!isDemo && (
        <>
          <Field label="Actor token" hint="x-auth-token: the token of the platform account">
            <input
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={chosen?.authToken ?? ''}
              onInput={(event) => change('authToken', event.currentTarget.value)}
            />
          </Field>
          <Field label="Encryption code (optional)" hint="x-encryption-code: opens direct messages">
            <input
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={chosen?.encryptionCode ?? ''}
              onInput={(event) => change('encryptionCode', event.currentTarget.value)}
            />
          </Field>
        </>
      )}
    </div>
  );
}
