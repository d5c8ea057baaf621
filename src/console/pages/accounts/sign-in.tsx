import { useState } from 'preact/hooks';
import type { ConnectionView, StartedConnectionView } from '../../../shared/model/connection.ts';
import { call } from '../../api.ts';
import { nameOf } from '../../connections.ts';
import { Secret } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog, ResultDialog } from '../../ui/dialog.tsx';
import { type SignInScopes, usualScopes } from './scopes.ts';

interface SignInProps {
  /** The connection whose user signs in again; `null` for a new one. */
  of: ConnectionView | null;
  offer: SignInScopes;
  onClose: () => void;
  /** Called when there is a link for another person, which works until `endsAt`. */
  onLink: (endsAt: string) => void;
}

/** A sign-in in the browser always has both fields. */
type StartedSignIn = { [Field in 'authorize_url' | 'expires_at']: NonNullable<StartedConnectionView[Field]> };

const isLoopback = (url: string) => /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(url);

const ways = [
  ['here', 'I do, in this browser'],
  ['link', 'Another person, who gets a link from me'],
] as const;

/** Begins a sign-in: leaves for the page of the sign-in, which leads back, or shows a link for another person. */
export function SignIn({ of, offer, onClose, onLink }: SignInProps) {
  const [way, setWay] = useState<(typeof ways)[number][0]>('here');
  const [scopes, setScopes] = useState(offer.default_scopes);
  const [link, setLink] = useState<string | null>(null);
  const title = of ? `Reconnect ${nameOf(of)}` : 'Connect an account';
  const begin = async () => {
    const { authorize_url, expires_at } = await call<StartedSignIn>(
      of ? 'connections/reconnect' : 'connections/create',
      {
        id: of?.id,
        scopes: of ? undefined : scopes,
        return_to: way === 'here' ? `${location.origin}/console/accounts` : undefined,
      },
    );
    if (way === 'link') {
      setLink(authorize_url);
      onLink(expires_at);
    } else {
      location.assign(authorize_url);
      onClose();
    }
  };
  if (link) {
    return (
      <ResultDialog key="link" title={title} onClose={onClose}>
        <p>
          Send this link to the person who signs in. It works once, within 10 minutes. The list of accounts shows when
          the person has signed in.
        </p>
        <Secret text={link} label="Copy link" />
        {isLoopback(link) && (
          <p class="hint">The link works on this machine only, because the gateway has no PUBLIC_URL.</p>
        )}
      </ResultDialog>
    );
  }
  return (
    <FormDialog
      title={title}
      submitLabel={way === 'here' ? 'Go to the sign-in' : 'Make a link'}
      onClose={onClose}
      onSubmit={begin}
    >
      <p>
        {of
          ? `The same person must sign in${of.user ? ` as ${nameOf(of)}` : ''}. The id of the connection, and everything that uses it, stays.`
          : 'The owner of the account signs in at the platform and allows this gateway to act for it. No password or token is entered here.'}
      </p>
      <Choice label="Who signs in?" options={ways} value={way} onChange={setWay} isList />
      {!of && <Scopes offer={offer} chosen={scopes} onChange={setScopes} />}
    </FormDialog>
  );
}

interface ScopesProps {
  offer: SignInScopes;
  chosen: readonly string[];
  onChange: (scopes: readonly string[]) => void;
}

function Scopes({ offer, chosen, onChange }: ScopesProps) {
  const usual = usualScopes(offer);
  const labels = Object.keys(usual);
  const current = labels.find((label) => String(usual[label]) === String(chosen)) ?? '';
  const toggle = (scope: string) =>
    onChange(offer.scopes.filter((other) => (other === scope) !== chosen.includes(other)));
  return (
    <>
      <Choice
        label="What is allowed?"
        options={labels.map((label) => [label, label] as const)}
        value={current}
        onChange={(label) => onChange(usual[label] ?? [])}
        isList
      />
      <details>
        <summary>Choose each scope</summary>
        <fieldset>
          <legend class="visually-hidden">Scopes</legend>
          <p class="hint">
            Without <code>offline.access</code> the login ends after about two hours.
          </p>
          <div class="choices">
            {offer.scopes.map((scope) => (
              <label key={scope} class="choice">
                <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
                {scope}
              </label>
            ))}
          </div>
        </fieldset>
      </details>
    </>
  );
}
