import { useState } from 'preact/hooks';
import type { CreatedApiKey } from '../../../shared/model/account.ts';
import { call } from '../../api.ts';
import { nameOf, useConnections } from '../../connections.ts';
import { catalogue } from '../../page-data.ts';
import { Secret } from '../../ui/button.tsx';
import { FormDialog, ResultDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';

interface CreateKeyProps {
  onClose: () => void;
  onCreated: () => void;
}

/** Calls are grouped by the first part of their names. */
const groups = [...new Set(Object.keys(catalogue).map((name) => name.split('/', 1)[0] ?? ''))];

/** Creates a key, then shows it once. */
export function CreateKey({ onClose, onCreated }: CreateKeyProps) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const signedIn = (useConnections().data ?? []).filter(({ user }) => user !== null);
  const create = async (form: FormData) => {
    setCreated(await call<CreatedApiKey>('account/keys/create', inputOf(form)));
    onCreated();
  };
  if (created) {
    return (
      <ResultDialog key="created" title="Key created" onClose={onClose}>
        <NewKey of={created} />
      </ResultDialog>
    );
  }
  return (
    <FormDialog title="Create an API key" submitLabel="Create key" onClose={onClose} onSubmit={create}>
      <Field label="Name" hint="Lets people tell keys apart.">
        <input name="name" required maxLength={100} autocomplete="off" placeholder="Nightly report" />
      </Field>
      <p class="soft">The fields below restrict the key. Leave them empty for a key that may do everything.</p>
      <label class="choice">
        <input type="checkbox" name="read_only" />
        Read-only
      </label>
      <fieldset>
        <legend>Groups of calls</legend>
        <p class="hint">All groups if none is chosen.</p>
        <div class="choices">
          {groups.map((group) => (
            <label key={group} class="choice">
              <input type="checkbox" name="groups" value={group} />
              {group}
            </label>
          ))}
        </div>
      </fieldset>
      {signedIn.length > 0 && (
        <fieldset>
          <legend>Connected accounts</legend>
          <p class="hint">
            Any account and token if none is chosen. Otherwise the key acts as these accounts only, and takes no tokens.
          </p>
          <div class="choices">
            {signedIn.map((connection) => (
              <label key={connection.id} class="choice">
                <input type="checkbox" name="connections" value={connection.id} />
                <span>
                  {nameOf(connection)} <code class="soft">{connection.id.slice(0, 11)}…</code>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <Field label="Client addresses" hint="CIDR blocks or addresses, one in each line. Any address if empty.">
        <textarea name="ip_ranges" rows={2} spellcheck={false} placeholder="203.0.113.0/24" />
      </Field>
      <div class="fields">
        <Field label="Calls per minute">
          <input name="calls_per_minute" type="number" min={1} step={1} placeholder="limit of the account" />
        </Field>
        <Field label="Dollars per day (UTC)">
          <input name="dollars_per_day" type="number" min={0.000001} step={0.000001} placeholder="no limit" />
        </Field>
        <Field label="Expires">
          <input name="expires_at" type="datetime-local" />
        </Field>
      </div>
    </FormDialog>
  );
}

/** Returns the input of the call. Empty fields are left out. */
function inputOf(form: FormData): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? '').trim() || undefined;
  const chosen = (name: string) => (form.has(name) ? form.getAll(name) : undefined);
  const calls = text('calls_per_minute');
  const expires = text('expires_at');
  return {
    name: text('name'),
    read_only: form.has('read_only') || undefined,
    groups: chosen('groups'),
    connections: chosen('connections'),
    ip_ranges: text('ip_ranges')?.split(/[\s,]+/),
    calls_per_minute: calls && Number(calls),
    dollars_per_day: text('dollars_per_day'),
    expires_at: expires && new Date(expires).toISOString(),
  };
}

/** Shows a new key. Only the response to its creation contains it. */
export function NewKey({ of: { key, name } }: { of: CreatedApiKey }) {
  return (
    <>
      <p>Copy the key of {name} now. It is not shown again, because the gateway stores only its hash.</p>
      <Secret text={key} label="Copy key" />
    </>
  );
}
