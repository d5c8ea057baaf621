import { useState } from 'preact/hooks';
import type { ApiKey, CreatedApiKey } from '../../../shared/model/account.ts';
import { call } from '../../api.ts';
import { isOwnKey, signIn } from '../../session.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { NewKey } from './create-key.tsx';

interface RotateKeyProps {
  of: ApiKey;
  onClose: () => void;
  onChange: () => void;
}

/** Creates a key with the same name and restrictions, and then revokes the old one after a confirmation. */
export function RotateKey({ of: old, onClose, onChange }: RotateKeyProps) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const create = async () => {
    const { name, read_only, groups, connections, ip_ranges, calls_per_minute, dollars_per_day, expires_at } = old;
    const restrictions = { groups, connections, ip_ranges, calls_per_minute, dollars_per_day, expires_at };
    const given = Object.entries(restrictions).filter(([, value]) => value !== null);
    const input = { name, read_only: read_only || undefined, ...Object.fromEntries(given) };
    setCreated(await call<CreatedApiKey>('account/keys/create', input));
    onChange();
  };
  const revoke = async () => {
    const isOwn = isOwnKey(old);
    await call('account/keys/revoke', { id: old.id });
    toast(`Revoked the old key of ${old.name}`);
    onClose();
    onChange();
    if (isOwn && created) signIn(created.key);
  };
  if (!created) {
    return (
      <FormDialog title={`Rotate ${old.name}`} submitLabel="Create the new key" onClose={onClose} onSubmit={create}>
        <p>A new key with the same name and restrictions is created first. The old key works until you revoke it.</p>
      </FormDialog>
    );
  }
  return (
    <FormDialog
      key="created"
      title={`Rotate ${old.name}`}
      submitLabel="Revoke the old key"
      cancelLabel="Revoke it later"
      look="danger"
      onClose={onClose}
      onSubmit={revoke}
    >
      <NewKey of={created} />
      <p>
        Replace <code>{old.prefix}…</code> by the new key in your programs. Then revoke it.
        {isOwnKey(old) && ' This console will use the new key.'}
      </p>
    </FormDialog>
  );
}
