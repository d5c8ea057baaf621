import { useConnections } from '../connections.ts';
import { type Actor, actor, chooseActor, demoActors, isConnected } from '../session.ts';
import { Field } from './field.tsx';

const other = 'other';

const credentials = [
  ['authToken', 'Actor token', 'x-auth-token: the token of the platform account'],
  ['encryptionCode', 'Encryption code (optional)', 'x-encryption-code: opens direct messages'],
] as const;

interface Offered {
  actor: Actor;
  value: string;
  label: string;
  disabled?: boolean;
}

/** Chooses the platform account that calls act as: a connected account, a demo account, or another account by its token. */
export function ActorField() {
  const chosen = actor.value;
  const connected = useConnected();
  const demos = demoActors.value.map((actor) => ({
    actor,
    value: actor.userName ?? '',
    label: actor.userName ?? '',
  }));
  const offered: readonly Offered[] = [...connected, ...demos];
  const current = offered.find(({ actor }) => actor.authToken === chosen?.authToken && chosen.userName !== null);
  const isByToken = chosen !== null && !current;
  const isDemo = demos.some((account) => account === current);
  const needed = chosen === null || isDemo ? [] : credentials.slice(isByToken ? 0 : 1);
  const choose = (value: string) => {
    const account = offered.find((candidate) => candidate.value === value)?.actor;
    chooseActor(account ?? { userName: null, authToken: '', encryptionCode: '' });
  };
  const change = (field: 'authToken' | 'encryptionCode', value: string) =>
    chooseActor({ userName: null, authToken: '', encryptionCode: '', ...chosen, [field]: value.trim() });
  return (
    <div class="actor">
      <Field label="Platform account" hint={<a href="/console/accounts">Connect an account</a>}>
        <select
          value={current?.value ?? (isByToken ? other : '')}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {chosen === null && (
            <option value="" disabled>
              Choose an account…
            </option>
          )}
          <Options label="Connected accounts" of={connected} />
          <Options label="Demo accounts" of={demos} />
          <option value={other}>Another token…</option>
        </select>
      </Field>
      {needed.map(([field, label, hint]) => (
        <Field key={field} label={label} hint={hint}>
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={chosen?.[field] ?? ''}
            onInput={(event) => change(field, event.currentTarget.value)}
          />
        </Field>
      ))}
    </div>
  );
}

/** The accounts whose login works, or worked. The chosen one is also offered before the list is loaded. */
function useConnected(): readonly Offered[] {
  const isDemo = (id: string) => demoActors.value.some(({ authToken }) => authToken === id);
  const signedIn = (useConnections().data ?? []).flatMap(({ id, status, user }) =>
    user && !isDemo(id) ? [{ id, status, user }] : [],
  );
  const offered = signedIn.map(({ id, status, user: { userName } }) => {
    const isOnly = signedIn.filter(({ user }) => user.userName === userName).length === 1;
    return {
      actor: { userName, authToken: id, encryptionCode: '' },
      value: id,
      label: `${userName}${isOnly ? '' : ` · ${id.slice(0, 11)}…`}${status === 'active' ? '' : ` (${status})`}`,
      disabled: status !== 'active',
    };
  });
  const chosen = actor.value;
  const isMissing =
    isConnected(chosen) &&
    chosen.userName !== null &&
    !isDemo(chosen.authToken) &&
    !offered.some(({ value }) => value === chosen.authToken);
  if (!isMissing) return offered;
  return [...offered, { actor: chosen, value: chosen.authToken, label: chosen.userName ?? '', disabled: false }];
}

function Options({ label, of }: { label: string; of: readonly Offered[] }) {
  if (of.length === 0) return null;
  return (
    <optgroup label={label}>
      {of.map(({ value, label, disabled }) => (
        <option key={value} value={value} disabled={disabled}>
          {label}
        </option>
      ))}
    </optgroup>
  );
}
