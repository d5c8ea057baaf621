import { describe, expect, test } from 'vitest';
import { type Answer, Client } from '../support/client.ts';
import { startFleet } from '../support/fleet.ts';
import { restingBalance } from '../support/refusal.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { until } from '../support/until.ts';

/** The adapter for X finds a lost post by reading. With the sandbox's extensions the idempotency token of a repetition finds it. */
describe.each(['sandbox', 'x'])('posts on %s', async (kind) => {
  const fleet = await startFleet(null);
  const sandbox = new SandboxControl(fleet.sandboxUrl);
  // The first gateway creates the demo data, which the others read.
  await fleet.start();
  const { authToken } = await sandbox.mint();
  const start = async (env: Record<string, string> = {}) => {
    const { process } = await fleet.start({ PLATFORM_KIND: kind, ...env });
    const [, origin = ''] = await process.printed(/listening on (http:\S+)/);
    return { process, client: new Client({ baseUrl: `${origin}/v1`, key, authToken }) };
  };
  const { key } = await fleet.newKey(1_000_000);
  const post = (client: Client, text: string, name = text): Promise<Answer> =>
    client.post('/tweet/create', { text }, { 'idempotency-key': name });
  const timesPosted = async (text: string) => (await sandbox.tweets()).filter((posted) => posted === text).length;
  const fail = (operation: string, fault: Record<string, unknown>) => sandbox.setFault({ fault, operation, times: 1 });
  const isX = kind === 'x';
  const spent = async (client: Client) => 1 - Number(await restingBalance(client));

  /** Faults of the write, and whether it was performed nevertheless. */
  const cuts = [
    [{ kind: 'reset' }, false],
    [{ kind: 'reset_after' }, true],
    [{ kind: 'hang' }, false],
    [{ kind: 'hang_after' }, true],
    [{ kind: 'truncated' }, true],
    [{ kind: 'status', status: 503 }, false],
    [{ kind: 'nonsense' }, false],
    [{ kind: 'wrong_shape' }, false],
  ] as const;

  const live = await start({ PLATFORM_TIMEOUT_MS: '1000' });
  let charged = 0;

  test.each(cuts)('are performed and charged once if the response is cut by %o', async (fault, isPerformed) => {
    for (const isLookUpLost of isX ? [false, true] : [false]) {
      const text = `Cut by ${fault.kind}${isLookUpLost ? ' twice' : ''}`;
      await fail('createPosts', fault);
      if (isLookUpLost) await sandbox.setFault({ fault: { kind: 'reset' }, operation: 'getUsersPosts', times: 2 });
      const first = await post(live.client, text);
      const again = await post(live.client, text);
      const isFound = isX && isPerformed && !isLookUpLost;
      expect([502, 504].includes(first.status)).toBe(!isFound);
      expect(again.status).toBe(isX && !isFound ? 409 : 200);
      if (again.status === 409) expect(again.body.error).toMatch(/^outcome unknown/);
      else charged += 1;
      expect(await timesPosted(text)).toBe(Number(isPerformed || !isX));
      if (isFound) expect(again.body).toEqual(first.body);
      await sandbox.clearFaults();
    }
    expect(await spent(live.client)).toBeCloseTo(charged * 0.001, 6);
  });

  test('that repeat safely are performed again under their key', async () => {
    const { id } = (await post(live.client, 'To be liked')).body.data;
    charged += 1;
    await fail('likePost', { kind: 'reset_after' });
    const like = () => live.client.post('/tweet/favorite', { tweet_id: id }, { 'idempotency-key': 'like' });
    expect((await like()).status).toBe(502);
    expect((await like()).body.data).toMatchObject({ liked: true });
    charged += 1;
  });

  test('are performed once if the gateway is killed at any step', async () => {
    // The name of the step, the faults that hold the gateway there, and whether the post was performed.
    const steps = [
      ['before the write', [['createPosts', { kind: 'hang' }]], false],
      ['after the write', [['createPosts', { kind: 'hang_after' }]], true],
      ...(isX
        ? ([
            [
              'during the look-up',
              [
                ['createPosts', { kind: 'reset_after' }],
                ['getUsersPosts', { kind: 'hang' }],
              ],
              true,
            ],
          ] as const)
        : []),
    ] as const;
    for (const [step, faults, isPerformed] of steps) {
      const text = `Killed ${step}`;
      const gateway = await start();
      for (const [operation, fault] of faults) await fail(operation, fault);
      const [last = ''] = faults.map(([operation]) => operation).slice(-1);
      const asked = await sandbox.requests(last);
      const lost = post(gateway.client, text).catch(() => null);
      await until(async () => expect(await sandbox.requests(last)).toBeGreaterThan(asked));
      if (isPerformed) await until(async () => expect(await timesPosted(text)).toBe(1));
      await gateway.process.end('SIGKILL');
      expect(await lost).toBeNull();
      await sandbox.clearFaults();
    }
    for (const [step, , isPerformed] of steps) {
      const text = `Killed ${step}`;
      // The claim of the dead gateway must expire before.
      let answer = await post(live.client, text);
      while (answer.status === 409 && answer.headers.get('retry-after') !== null) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        answer = await post(live.client, text);
      }
      expect(answer.status, step).toBe(isX ? 409 : 200);
      if (!isX) charged += 1;
      expect(await timesPosted(text)).toBe(Number(isPerformed || !isX));
    }
    expect(await spent(live.client)).toBeCloseTo(charged * 0.001, 6);
  });
});
