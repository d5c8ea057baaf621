import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
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
    let made = 0;
    for (let round = 0; round < repetitions(2, 3); round++) {
      const running = await startChild(dataDir);
      url = running.url;
      account ??= await mint({ chatKeys: false });
      const user = account;
      if (round === 0) await realms.enroll(user, '482913', randomBytes(64));
      // Makes guesses one after the other. Each response was counted.
      const guessing = (async () => {
        for (;;) {
          const outcome = await realms.guess(1, user);
          if (outcome.Ok === undefined) return;
          made = outcome.Ok.guess_count;
        }
      })().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 5 + round * 7));
      await kill(running.child);
      await guessing;
    }
    url = (await startChild(dataDir)).url;
    if (account === undefined) throw new Error('nobody was minted');
    const outcome = await realms.guess(1, account);
    if (outcome !== 'NoGuesses') expect(outcome.Ok.guess_count).toBeGreaterThan(made);
  });

  test('keeps registrations, and derives the same ones for demo accounts', async () => {
    const first = await startChild(dataDir);
    url = first.url;
    const [ada] = (await request(url, 'GET', '/control/info')).body.demo.accounts as [Account];
    const account = await mint({ chatKeys: false });
    const secret = randomBytes(64);
    await realms.enroll(account, '482913', secret);
    const version = async () => (await realms.call(3, ada, 'Recover1')).body.Recover1.Ok.version;
    // Only realm 3 loses its data and then gets its part of the same sharing again.
    const before = await version();
    await kill(first.child);
    onSqlite(join(dataDir, 'realm-3.sqlite'), (db) => db.exec(`DELETE FROM records WHERE account = '${ada.userId}'`));
    url = (await startChild(dataDir)).url;
    expect(await version()).toEqual(before);
    expect(await realms.recover(ada, ada.encryptionCode, [3, 1])).toEqual(chatPrivateKeysFor('postern', 'ada'));
    expect(await realms.recover(account, '482913', [2, 3])).toEqual(secret);
  });
});

describe('the files', () => {
  test('contain no code, no private key and no destroyed share', async () => {
    const sandbox = await openSandbox({ dataDir });
    url = sandbox.url;
    const [plain, minted] = [await sandbox.mint({ chatKeys: false }), await sandbox.mint()];
    const code = 'canary 7305 code';
    const secret = randomBytes(64);
    await realms.enroll(plain, code, secret);
    expect(await realms.recover(plain, code)).toEqual(secret);
    expect(await realms.recover(minted, minted.encryptionCode)).toHaveLength(64);
    expect(readdirSync(dataDir)).toEqual(
      expect.arrayContaining(['realm-1.sqlite', 'realm-2.sqlite', 'realm-3.sqlite']),
    );
    expect(statSync(join(dataDir, 'realm-1.sqlite')).mode & 0o777).toBe(0o600);
    for (const each of [code, `"${minted.encryptionCode}"`, secret.subarray(0, 32), secret.subarray(32)]) {
      expect(everyFile().includes(each)).toBe(false);
      expect(everyFile().includes(Buffer.from(each).toString('hex'))).toBe(false);
      expect(everyFile().includes(Buffer.from(each).toString('base64').replace(/=+$/, ''))).toBe(false);
    }

    const select = 'SELECT record FROM records WHERE account = ?';
    const { record } = onSqlite(join(dataDir, 'realm-1.sqlite'), (db) => db.prepare(select).get(plain.userId)) as {
      record: Uint8Array;
    };
    const share = Buffer.from(record).subarray(16, 48);
    expect(everyFile().includes(share)).toBe(true);
    for (let number = 0; number < 21; number++) await realms.guess(1, plain);
    expect(everyFile().includes(share)).toBe(false);
  });

  test('of the release before are set aside, seeded accounts are seeded again, and others enroll again', async () => {
    const first = await openSandbox({ dataDir });
    const account = await first.mint({ chatKeys: false });
    url = first.url;
    await realms.enroll(account, '482913', randomBytes(64));
    await first.close();
    for (const place of [1, 2, 3]) {
      onSqlite(join(dataDir, `realm-${place}.sqlite`), (db) => {
        db.exec('DROP TABLE records');
        // As format 1 was.
        db.exec(`CREATE TABLE records (account TEXT PRIMARY KEY, version TEXT NOT NULL, guesses INTEGER NOT NULL,
          guessed_at INTEGER NOT NULL, record TEXT) WITHOUT ROWID; PRAGMA user_version = 1`);
        const record = JSON.stringify(Array.from({ length: 5 }, () => 'AAAA'));
        db.prepare('INSERT INTO records VALUES (?, ?, 3, 0, ?)').run(account.userId, 'ab'.repeat(16), record);
      });
    }
    const second = await openSandbox({ dataDir });
    url = second.url;
    for (const place of [1, 2, 3]) expect(existsSync(join(dataDir, `realm-${place}.sqlite.old`))).toBe(true);
    const { ada } = second;
    expect(await realms.recover(ada, ada.encryptionCode)).toEqual(chatPrivateKeysFor('postern', 'ada'));
    expect(await realms.recover(account, '482913')).toBe('NotRegistered');
    const secret = randomBytes(64);
    await realms.enroll(account, '482913', secret);
    expect(await realms.recover(account, '482913')).toEqual(secret);
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

  test('that a realm cannot use while it runs are a failure of the realm, with 500', async () => {
    const sandbox = await openSandbox({ dataDir });
    url = sandbox.url;
    const account = await sandbox.mint({ chatKeys: false });
    expect((await realms.call(1, account, 'Recover1')).status).toBe(200);
    onSqlite(join(dataDir, 'realm-1.sqlite'), (db) => db.exec('DROP TABLE records'));
    expect((await realms.call(1, account, 'Recover1')).status).toBe(500);
    expect((await realms.call(2, account, 'Recover1')).status).toBe(200);
  });

  test('of a realm that cannot be read prevent the start, and the error names the file', async () => {
    await (await openSandbox({ dataDir })).close();
    onSqlite(join(dataDir, 'realm-2.sqlite'), (db) => db.exec('PRAGMA user_version = 9'));
    await expect(openSandbox({ dataDir })).rejects.toThrow(/realm-2\.sqlite was written by a newer version/);
  });
});
