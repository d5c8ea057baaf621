import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { KeyStretcher } from '../../src/messaging/encryption/recovery/stretch.ts';
import { chatPrivateKeysFor } from '../../src/sandbox/seed/credentials.ts';
import { onSqlite } from '../support/on-sqlite.ts';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Account, openSandbox, request } from './harness.ts';
import { kill, startChild } from './killable.ts';
import { RealmClient } from './realm-client.ts';

let dataDir: string;
let url = '';
const realms = new RealmClient(() => url);
beforeEach(() => {
  dataDir = temporaryFolder();
});

const mint = async (wishes: object): Promise<Account> =>
  (await request(url, 'POST', '/control/accounts', { body: wishes })).body.accounts[0];

const everyFile = () => {
  const found = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Buffer.concat(found.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
};

describe('a sandbox that is killed', () => {
  test('restores no used guess, at any time of the kill', async () => {
    let account: Account | undefined;
    let version = '';
    let made = 0;
    for (let round = 0; round < repetitions(2, 3); round++) {
      const running = await startChild(dataDir);
      url = running.url;
      account ??= await mint({ chatKeys: false });
      version ||= await realms.enroll(account, '482913', randomBytes(64));
      const user = account;
      // Makes guesses one after the other. Each response was counted.
      const guessing = (async () => {
        for (;;) {
          const answer = await realms.guess(1, user, version);
          if (answer.outcome !== 'evaluated') return;
          made = 20 - answer.guesses_remaining;
        }
      })().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 5 + round * 7));
      await kill(running.child);
      await guessing;
    }
    url = (await startChild(dataDir)).url;
    if (account === undefined) throw new Error('nobody was minted');
    const { state } = await realms.state(1, account);
    const answer = await realms.guess(1, account, version);
    if (state === 'enrolled') expect(20 - answer.guesses_remaining).toBeGreaterThan(made);
    else expect([state, answer.outcome]).toEqual(['locked', 'locked']);
  });

  test('keeps enrolments, and derives the same ones for demo accounts', async () => {
    const first = await startChild(dataDir);
    url = first.url;
    const realms = new RealmClient(() => url, new KeyStretcher());
    const [ada] = (await request(url, 'GET', '/control/info')).body.demo.accounts as [Account];
    const [account, bare] = [await mint({ chatKeys: false }), await mint({ chatKeys: false })];
    const privateKeys = randomBytes(64);
    await realms.enroll(account, '482913', privateKeys);
    // Only realm 3 loses its data and then gets its part of the same sharing again.
    const before = await realms.state(3, ada);
    await kill(first.child);
    onSqlite(join(dataDir, 'realm-3.sqlite'), (db) => db.exec(`DELETE FROM records WHERE account = '${ada.userId}'`));
    url = (await startChild(dataDir)).url;
    expect(await realms.state(3, ada)).toEqual(before);
    expect(await realms.recover(ada, ada.encryptionCode, [3, 1])).toEqual(chatPrivateKeysFor('postern', 'ada'));
    expect(await realms.recover(account, '482913', [2, 3])).toEqual(privateKeys);
    expect((await realms.state(1, bare)).state).toBe('none');
  });
});

describe('the files', () => {
  test('contain no code, no private key and no destroyed share', async () => {
    const sandbox = await openSandbox({ dataDir });
    url = sandbox.url;
    const [plain, minted] = [await sandbox.mint({ chatKeys: false }), await sandbox.mint()];
    const code = 'canary 7305 code';
    const privateKeys = randomBytes(64);
    const version = await realms.enroll(plain, code, privateKeys);
    expect(await realms.recover(plain, code)).toEqual(privateKeys);
    expect(await realms.recover(minted, minted.encryptionCode)).toHaveLength(64);
    expect(readdirSync(dataDir)).toEqual(
      expect.arrayContaining(['realm-1.sqlite', 'realm-2.sqlite', 'realm-3.sqlite']),
    );
    expect(statSync(join(dataDir, 'realm-1.sqlite')).mode & 0o777).toBe(0o600);
    for (const secret of [code, `"${minted.encryptionCode}"`, privateKeys.subarray(0, 32), privateKeys.subarray(32)]) {
      expect(everyFile().includes(secret)).toBe(false);
      expect(everyFile().includes(Buffer.from(secret).toString('hex'))).toBe(false);
      expect(everyFile().includes(Buffer.from(secret).toString('base64').replace(/=+$/, ''))).toBe(false);
    }

    const select = 'SELECT record ->> 0 AS share FROM records WHERE account = ?';
    const { share } = onSqlite(join(dataDir, 'realm-1.sqlite'), (db) => db.prepare(select).get(plain.userId)) as {
      share: string;
    };
    expect(everyFile().includes(share)).toBe(true);
    for (let number = 0; number < 21; number++) await realms.guess(1, plain, version);
    expect((await realms.state(1, plain)).state).toBe('locked');
    expect(everyFile().includes(share)).toBe(false);
  });

  test('of an earlier version, whose journal has the codes of minted accounts, can be read', async () => {
    const first = await openSandbox({ dataDir });
    const account = await first.mint({ userName: 'Earlier' });
    await first.close();
    onSqlite(join(dataDir, 'sandbox.sqlite'), (db) => {
      const { entry } = db.prepare('SELECT entry FROM journal').get() as { entry: string };
      expect(entry).not.toContain(account.encryptionCode);
      const { accounts, ...rest } = JSON.parse(entry);
      const older = { ...rest, accounts: [{ ...accounts[0], encryptionCode: account.encryptionCode }] };
      db.prepare('UPDATE journal SET entry = ?').run(JSON.stringify(older));
    });
    const second = await openSandbox({ dataDir });
    url = second.url;
    expect(await realms.recover(account, account.encryptionCode)).toHaveLength(64);
  });

  test('of a realm that cannot be read prevent the start, and the error names the file', async () => {
    await (await openSandbox({ dataDir })).close();
    onSqlite(join(dataDir, 'realm-2.sqlite'), (db) => db.exec('PRAGMA user_version = 9'));
    await expect(openSandbox({ dataDir })).rejects.toThrow(/realm-2\.sqlite was written by a newer version/);
  });
});
