import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { Backend } from '../faults/backend.ts';
import { Gateway, pause } from '../faults/gateway.ts';
import { type Chance, pick } from '../faults/schedule.ts';
import { atEnd } from '../support/at-end.ts';
import { Client } from '../support/client.ts';
import { signInAt } from '../support/connect.ts';
import { startPostern } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { register } from '../webhooks/fixture.ts';
import { type Aim, startTokenProxy, tokenLog } from './token-proxy.ts';

const tokenSeconds = 5;

interface OAuthCounts {
  refreshes: number;
  refused_refreshes: number;
  reused_refresh_tokens: number;
  repeated_refresh_tokens: Record<string, number>;
}

/** Two gateways on one store, which are killed and start again, and connections of one account. Requests with refresh tokens are recorded. */
export async function startLogins(backend: Backend, connections: number, random: Chance) {
  const platform = startPostern(['sandbox'], { DATA_DIR: temporaryFolder(), SANDBOX_PORT: '0' });
  const [, sandboxUrl = ''] = await platform.printed(/listening on (\S+)/);
  const log = tokenLog();
  /** The number of processes of each gateway that have ended. */
  const deaths: [number, number] = [0, 0];
  const kill = async (at: number) => {
    await gateways[at]?.kill();
    deaths[at] = (deaths[at] ?? 0) + 1;
  };
  const isDead = (life: string) => {
    const [at = 0, number = 0] = life.split('.').map(Number);
    return (deaths[at] ?? 0) > number;
  };
  const aims: { at: Aim; done: () => void }[] = [];
  const nextAim = (gateway: number) => {
    const aim = aims.shift();
    const killSoon = async () => {
      if (aim?.at === 'answered') await pause(random() * 20);
      await kill(gateway);
      aim?.done();
    };
    return aim ? { at: aim.at, kill: killSoon } : null;
  };
  const gateways: Gateway[] = [];
  for (const at of deaths.keys()) {
    const life = () => `${at}.${deaths[at]}`;
    const proxy = await startTokenProxy({ sandboxUrl, log, life, isDead, aim: () => nextAim(at) });
    gateways.push(
      new Gateway(
        {
          ...{ PORT: '0', PLATFORM_URL: proxy, PLATFORM_KIND: 'sandbox', ALLOW_LOCALHOST_WEBHOOKS: 'true' },
          ...{ RATE_LIMIT: '0', FAILED_CALL_RATE_LIMIT: '0', UNAUTHENTICATED_RATE_LIMIT: '0' },
          ...backend.gatewayEnv(at),
        },
        backend.gatewayClock(at),
      ),
    );
  }
  atEnd(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await platform.end('SIGTERM');
    await backend.close();
  });
  const ready = () => Promise.all(gateways.map((gateway) => gateway.ready()));
  await ready();
  await fetch(`${sandboxUrl}/control/oauth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ access_token_seconds: tokenSeconds }),
  });
  const admin = new AccountAdmin(await backend.store(), systemRuntime);
  const account = await admin.createAccount('Customer', 100_000_000_000);
  const key = (await admin.createKey(account, 'Key')).key.expose();

  /** Returns a client of a gateway that listens. */
  const anyClient = async (authToken = '') => {
    for (;;) {
      const { origin } = pick(random, gateways as [Gateway, Gateway]);
      if (origin) return new Client({ baseUrl: `${origin}/v1`, key, authToken });
      await pause(10);
    }
  };
  /** Repeats work that a kill interrupts. */
  const persistently = async <T>(work: (owner: Client) => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work(await anyClient());
      } catch {
        await pause(100);
      }
    }
  };
  const detail = (id: string) =>
    persistently(async (owner) => {
      const { data } = (await owner.get(`/connections/${id}`)).body;
      return data as { status: string; error: string | null };
    });
  /** Signs in until the connection works. Returns its id. */
  const signIn = (path: string) =>
    persistently(async (owner) => {
      const { data } = (await owner.post(path)).body;
      await signInAt(String(data['authorize_url']));
      const { status } = await detail(String(data['id']));
      if (status !== 'active') throw new Error(status);
      return String(data['id']);
    });

  const receiver = await startReceiver();
  const sandbox = new SandboxControl(sandboxUrl);
  const { authToken } = await sandbox.mint();
  const events = ['connection.expired'];
  const webhook = { url: receiver.url, secret: receiver.secret, events };
  await persistently((owner) => register(owner.with({ authToken }), webhook));
  const ids = await Promise.all(Array.from({ length: connections }, () => signIn('/connections')));

  const outcomes = { succeeded: 0, interrupted: 0, ended: 0, late: 0, longestMs: 0 };
  /** Outcomes that no kill explains. */
  const wrong: string[] = [];
  const unavailable: string[] = [];
  /** The ends of logins, as their connections show them. */
  const endings: { status: string; error: string | null }[] = [];
  const repairing = new Map<string, Promise<unknown>>();
  const repair = async (id: string) => {
    const shown = await detail(id);
    if (shown.status === 'active') return;
    endings.push(shown);
    await signIn(`/connections/${id}/reconnect`);
  };

  return {
    ...{ sandbox, ids, log, gateways, outcomes, wrong, unavailable, endings, detail, ready, kill },
    counts: async (): Promise<OAuthCounts> => (await (await fetch(`${sandboxUrl}/control/stats`)).json()).oauth,
    /** Returns the connections of the delivered events, each event once. */
    expired() {
      const bodies = receiver.deliveries.map(({ body }) => JSON.parse(body) as { id: string; connection_id: string });
      return [...new Map(bodies.map(({ id, connection_id }) => [id, connection_id])).values()];
    },
    /** Kills a gateway at the next refresh of a login. */
    killAt: (at: Aim) => new Promise<void>((done) => aims.push({ at, done })),
    /** Calls with a connection, and signs in again if its login has ended. Returns true if the call succeeded. */
    async call(id: string): Promise<boolean> {
      await repairing.get(id);
      const client = await anyClient(id);
      const at = gateways.findIndex(({ origin }) => client.options.baseUrl.startsWith(`${origin}/`));
      const died = deaths[at];
      const startedAt = performance.now();
      const answer = await client.get('/user/me').catch(() => null);
      outcomes.longestMs = Math.round(Math.max(outcomes.longestMs, performance.now() - startedAt));
      if (answer === null) {
        outcomes.interrupted += 1;
        if (died === deaths[at] && gateways[at]?.origin !== null) wrong.push(`gateway ${at} did not respond`);
      } else if (answer.status === 200) outcomes.succeeded += 1;
      else if (answer.status === 403 && /does not work/.test(answer.body.error ?? '')) {
        outcomes.ended += 1;
        const repaired = repairing.get(id) ?? repair(id).finally(() => repairing.delete(id));
        repairing.set(id, repaired);
      } else if (answer.status === 503) unavailable.push(`${answer.body.error}`);
      else if (/rejected auth_token/.test(answer.body.error ?? '')) outcomes.late += 1;
      else wrong.push(`${answer.status} ${answer.body.error}`);
      return answer?.status === 200;
    },
  };
}
