import { useEffect, useRef, useState } from 'preact/hooks';
import type { Capabilities } from '../../../shared/model/capabilities.ts';
import type { ConnectionView } from '../../../shared/model/connection.ts';
import { call, useFreeCall } from '../../api.ts';
import { loadConnections, nameOf, useConnections } from '../../connections.ts';
import { address, navigate } from '../../router.tsx';
import { actor, chooseActor, demoActors } from '../../session.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Time } from '../../ui/format.tsx';
import { Initials } from '../../ui/initials.tsx';
import { Badge, Card, Page } from '../../ui/page.tsx';
import { Empty, ErrorState, LoadedView } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toasts.tsx';
import { wordsOf } from './scopes.ts';
import { SignIn } from './sign-in.tsx';

type Open = { dialog: 'sign-in'; connection: ConnectionView | null } | { dialog: 'remove'; connection: ConnectionView };

const pollMs = 3_000;

export function Accounts() {
  const { data, error, loading, reload } = useConnections({ fresh: true });
  const capabilities = useFreeCall<Capabilities>('capabilities');
  const [open, setOpen] = useState<Open | null>(null);
  const [linkEndsAt, setLinkEndsAt] = useState(0);
  // The page of the sign-in leads back with the id of the connection.
  const [returnedId] = useState(address.value.query.get('connection'));
  useEffect(() => {
    if (returnedId !== null) navigate('/console/accounts', { replace: true });
  }, []);
  usePolling(error ? null : data, linkEndsAt);
  useAnnouncements(data);
  const close = () => setOpen(null);
  const offer = capabilities.data?.sign_in;
  const connect = (
    <Button look="primary" disabled={!offer} onClick={() => setOpen({ dialog: 'sign-in', connection: null })}>
      Connect an account
    </Button>
  );
  return (
    <Page
      title="Accounts"
      intro="Platform accounts whose owners have signed in. Calls, webhooks and streams use them by id, so no token travels with a call."
      actions={connect}
    >
      {capabilities.error && <ErrorState error={capabilities.error} retry={capabilities.reload} />}
      {offer === null && <NoSignIn platform={capabilities.data?.platform} />}
      <Result of={data?.find(({ id }) => id === returnedId)} />
      <Card title="Connected accounts" flush>
        <LoadedView of={{ data, error, loading, reload }}>
          {(connections) => (
            <Table
              caption="Connected accounts, newest first"
              rows={connections}
              keyOf={({ id }) => id}
              empty={
                <Empty title="No accounts are connected yet">
                  <p>
                    A connection is a login that the owner of an account has allowed. The gateway keeps it and renews
                    it, and your programs only need its id.
                  </p>
                </Empty>
              }
              columns={[
                { label: 'Account', cell: (connection) => <Account of={connection} /> },
                { label: 'Status', cell: (connection) => <Status of={connection} /> },
                { label: 'Allows', cell: ({ scopes }) => <Allowed scopes={scopes} /> },
                {
                  label: 'Last used',
                  cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
                },
                {
                  label: 'Actions',
                  hidesLabel: true,
                  cell: (connection) => (
                    <div class="row actions">
                      {offer && (
                        <Button small onClick={() => setOpen({ dialog: 'sign-in', connection })}>
                          Reconnect<span class="visually-hidden"> {nameOf(connection)}</span>
                        </Button>
                      )}
                      <Button small look="danger" onClick={() => setOpen({ dialog: 'remove', connection })}>
                        Remove<span class="visually-hidden"> {nameOf(connection)}</span>
                      </Button>
                    </div>
                  ),
                },
              ]}
            />
          )}
        </LoadedView>
      </Card>
      {open?.dialog === 'sign-in' && offer && (
        <SignIn
          of={open.connection}
          offer={offer}
          onClose={close}
          onLink={(endsAt) => {
            setLinkEndsAt(Date.parse(endsAt));
            reload();
          }}
        />
      )}
      {open?.dialog === 'remove' && <Remove of={open.connection} onClose={close} />}
    </Page>
  );
}

/** Explains why the page cannot connect accounts. */
function NoSignIn({ platform }: { platform: string | undefined }) {
  return (
    <p class="row notice">
      {platform === 'x' ? (
        <span>
          People cannot sign in yet: the operator of this gateway has to set <code>X_CLIENT_ID</code>.
        </span>
      ) : (
        <span>
          This platform has no sign-in page. In a terminal, <code>postern connect</code> connects an account.
        </span>
      )}
    </p>
  );
}

/** Loads the list again and again while somebody may be signing in. */
function usePolling(connections: readonly ConnectionView[] | null, linkEndsAt: number): void {
  const now = Date.now();
  const waits = connections?.some(
    ({ status, expires_at }) => linkEndsAt > now || (status === 'pending' && Date.parse(expires_at ?? '') > now),
  );
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => {
      if (!document.hidden) void loadConnections();
    }, pollMs);
    return () => clearInterval(timer);
  }, [waits]);
}

/** Announces each connection whose status has changed while the page was shown. */
function useAnnouncements(connections: readonly ConnectionView[] | null): void {
  const before = useRef(new Map<string, ConnectionView['status']>());
  useEffect(() => {
    for (const connection of connections ?? []) {
      const { id, status } = connection;
      if ((before.current.get(id) ?? status) !== status) {
        if (status === 'active') toast(`${nameOf(connection)} is connected`);
        else toast(`${nameOf(connection)}: ${statuses[status][1]}`, 'bad');
      }
      before.current.set(id, status);
    }
  }, [connections]);
}

/** The outcome of the sign-in from which the visitor comes back. */
function Result({ of: connection }: { of: ConnectionView | undefined }) {
  if (connection?.error) return <ErrorState error={new Error(`The sign-in did not succeed. ${connection.error}`)} />;
  const explore = ({ id, user }: ConnectionView) => {
    chooseActor({ userName: user?.userName ?? null, authToken: id, encryptionCode: '' });
    navigate('/console/explore');
  };
  return (
    <div role="status">
      {connection?.status === 'active' && (
        <p class="row notice">
          <b>{nameOf(connection)} is connected.</b>
          <span>Programs use it by its id.</span>
          <CopyButton text={connection.id} label="Copy id" />
          <Button small onClick={() => explore(connection)}>
            Open the explorer
          </Button>
        </p>
      )}
    </div>
  );
}

function Account({ of: { id, user } }: { of: ConnectionView }) {
  const { name, userName } = user ?? { name: '?', userName: null };
  return (
    <div class="person">
      <Initials user={user ?? { id, name, userName: '' }} />
      <div class="person-names">
        <b>{user ? name || userName : 'New account'}</b>
        {user && <span class="soft">@{userName}</span>}
        <span class="soft">
          <code>{id}</code>
        </span>
      </div>
    </div>
  );
}

const statuses = {
  pending: ['warn', 'waiting for the sign-in'],
  active: ['good', 'active'],
  expired: ['bad', 'expired'],
  revoked: ['bad', 'revoked'],
  failed: ['bad', 'failed'],
} as const;

function Status({ of: { status, expires_at, error } }: { of: ConnectionView }) {
  const [tone, text] = statuses[status];
  return (
    <div>
      <Badge tone={tone}>{text}</Badge>
      {expires_at !== null && (
        <div class="soft">
          ends <Time at={expires_at} />
        </div>
      )}
      {status === 'active' && expires_at === null && <div class="soft">renews itself</div>}
      {error !== null && <div class="soft">{error}</div>}
    </div>
  );
}

function Allowed({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length === 0) return <span>{wordsOf(scopes)}</span>;
  return (
    <details>
      <summary>{wordsOf(scopes)}</summary>
      <ul class="soft">
        {scopes.map((scope) => (
          <li key={scope}>{scope}</li>
        ))}
      </ul>
    </details>
  );
}

function Remove({ of: connection, onClose }: { of: ConnectionView; onClose: () => void }) {
  const { id } = connection;
  const remove = async () => {
    await call('connections/delete', { id });
    if (actor.value?.authToken === id) chooseActor(demoActors.value[0] ?? null);
    toast(`Removed ${nameOf(connection)}`);
    onClose();
    await loadConnections();
  };
  return (
    <FormDialog
      title={`Remove ${nameOf(connection)}?`}
      submitLabel="Remove"
      look="danger"
      onClose={onClose}
      onSubmit={remove}
    >
      <p>
        Calls with <code>{id}</code> are refused at once, and webhooks and streams that use it stop. The gateway also
        withdraws its login at the platform; an app password stays valid until its user revokes it there. This cannot be
        undone.
      </p>
    </FormDialog>
  );
}
