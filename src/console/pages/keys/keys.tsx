import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../shared/model/account.ts';
import { call, useFreeCall } from '../../api.ts';
import { nameOf, useConnections } from '../../connections.ts';
import { isOwnKey } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { dateAndTime, dollars, Time } from '../../ui/format.tsx';
import { Badge, Card, Page } from '../../ui/page.tsx';
import { Empty, LoadedView } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toasts.tsx';
import { CreateKey } from './create-key.tsx';
import { RotateKey } from './rotate-key.tsx';

type Open = { dialog: 'create' } | { dialog: 'revoke' | 'rotate'; key: ApiKey } | null;

export function Keys() {
  const keys = useFreeCall<{ api_keys: ApiKey[] }>('account/keys');
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Page
      title="API keys"
      intro="The account pays for all of its keys. A key with a restriction cannot manage keys or the account."
      actions={
        <Button look="primary" onClick={() => setOpen({ dialog: 'create' })}>
          Create key
        </Button>
      }
    >
      <LoadedView of={keys}>
        {({ api_keys }) => {
          const usable = api_keys.filter(({ revoked_at }) => revoked_at === null);
          const revoked = api_keys.filter(({ revoked_at }) => revoked_at !== null);
          return (
            <>
              <Card title="Keys" flush>
                <Table
                  caption="API keys that are not revoked"
                  rows={usable}
                  keyOf={({ id }) => id}
                  empty={<Empty title="No keys" />}
                  columns={[
                    { label: 'Name', cell: (key) => <KeyName of={key} /> },
                    { label: 'Restrictions', cell: (key) => <Restrictions of={key} /> },
                    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                    {
                      label: 'Last used',
                      cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
                    },
                    {
                      label: 'Actions',
                      hidesLabel: true,
                      cell: (key) =>
                        key.revocable ? (
                          <div class="row actions">
                            <Button small onClick={() => setOpen({ dialog: 'rotate', key })}>
                              Rotate<span class="visually-hidden"> {key.name}</span>
                            </Button>
                            <Button small look="danger" onClick={() => setOpen({ dialog: 'revoke', key })}>
                              Revoke<span class="visually-hidden"> {key.name}</span>
                            </Button>
                          </div>
                        ) : (
                          <span class="soft">shared by all visitors of the sandbox</span>
                        ),
                    },
                  ]}
                />
              </Card>
              {revoked.length > 0 && (
                <Card title="Revoked keys" flush>
                  <Table
                    caption="Revoked API keys"
                    rows={revoked}
                    keyOf={({ id }) => id}
                    empty={null}
                    columns={[
                      { label: 'Name', cell: (key) => <KeyName of={key} /> },
                      { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                      { label: 'Revoked', cell: ({ revoked_at }) => revoked_at && <Time at={revoked_at} /> },
                    ]}
                  />
                </Card>
              )}
            </>
          );
        }}
      </LoadedView>
      {open?.dialog === 'create' && <CreateKey onClose={close} onCreated={keys.reload} />}
      {open?.dialog === 'rotate' && <RotateKey of={open.key} onClose={close} onChange={keys.reload} />}
      {open?.dialog === 'revoke' && <RevokeKey of={open.key} onClose={close} onRevoked={keys.reload} />}
    </Page>
  );
}

function KeyName({ of: key }: { of: ApiKey }) {
  return (
    <div>
      <b>{key.name}</b> {isOwnKey(key) && <Badge tone="good">in use here</Badge>}
      <div class="soft">
        <code>{key.prefix}…</code>
      </div>
    </div>
  );
}

function Restrictions({ of: key }: { of: ApiKey }) {
  const { read_only, groups, connections, ip_ranges, calls_per_minute, dollars_per_day, expires_at } = key;
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  const all = useConnections().data;
  const nameOfId = (id: string) => {
    const found = all?.find((connection) => connection.id === id);
    return found ? nameOf(found) : id;
  };
  const texts = [
    read_only && 'read-only',
    groups?.join(', '),
    connections && `acts as ${connections.map(nameOfId).join(', ')}`,
    ip_ranges && `from ${ip_ranges.join(', ')}`,
    calls_per_minute && `${calls_per_minute} calls a minute`,
    dollars_per_day && `${dollars(dollars_per_day)} a day`,
  ].filter((text) => typeof text === 'string');
  if (texts.length === 0 && expires_at === null) return <span class="soft">none</span>;
  return (
    <div class="row badges">
      {texts.map((text) => (
        <Badge key={text}>{text}</Badge>
      ))}
      {expires_at !== null && (
        <Badge tone={isExpired ? 'bad' : 'warn'}>
          {isExpired ? 'expired' : 'expires'} {dateAndTime(expires_at)}
        </Badge>
      )}
    </div>
  );
}

interface RevokeKeyProps {
  of: ApiKey;
  onClose: () => void;
  onRevoked: () => void;
}

function RevokeKey({ of: key, onClose, onRevoked }: RevokeKeyProps) {
  const revoke = async () => {
    await call('account/keys/revoke', { id: key.id });
    toast(`Revoked ${key.name}`);
    onClose();
    onRevoked();
  };
  return (
    <FormDialog
      title={`Revoke ${key.name}?`}
      submitLabel="Revoke key"
      look="danger"
      onClose={onClose}
      onSubmit={revoke}
    >
      <p>
        Programs that use <code>{key.prefix}…</code> get 401 within 5 seconds. A revoked key cannot be used again.
      </p>
      {isOwnKey(key) && <p>This console uses the key: you will be signed out.</p>}
    </FormDialog>
  );
}
