import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Config } from '../shared/config/config.ts';
import { OperatorError } from '../shared/errors/operator-error.ts';
import { systemRuntime } from '../shared/runtime/runtime.ts';
import { version } from '../shared/version.ts';
import type { OnProgress } from '../store/sqlite/backup.ts';
import { secretKeyProblem } from './open-secret-keys.ts';
import { makeDataDir, storePath } from './open-store.ts';

/** A backup is a folder with one file of data and this manifest. */
const manifestName = 'manifest.json';
const maxManifestBytes = 64 * 1024;

const content = z.object({
  format: z.literal(1),
  /** The version of Postern that made the backup. */
  version: z.string(),
  /** Earlier versions made backups of MongoDB too. */
  store: z.enum(['sqlite', 'mongodb']),
  schema: z.int(),
  createdAt: z.iso.datetime(),
  file: z.enum(['postern.sqlite', 'postern.ndjson.gz']),
  bytes: z.int(),
  /** The hash of the file. */
  sha256: z.string(),
  secretCheck: z.string().nullable(),
});
/** `checksum` is the hash of the other fields. */
const manifestSchema = content.extend({ checksum: z.string() });

export type Manifest = z.infer<typeof manifestSchema>;

const checksumOf = (fields: z.infer<typeof content>) =>
  createHash('sha256').update(JSON.stringify(fields)).digest('hex');

const loadStore = () => import('../store/sqlite/backup.ts');

/** Writes a backup of the embedded store into the new folder `folder`. Gateways may run. */
export async function backup(config: Config, folder: string, onProgress: OnProgress): Promise<Manifest> {
  refuseMongo(config);
  // Without a slash at the end, so that the draft is next to the folder and not in it.
  const path = resolve(folder);
  refuseExisting(path);
  const draft = `${path}.partial-${systemRuntime.randomBytes(6).toString('hex')}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    const createdAt = new Date(systemRuntime.now()).toISOString();
    const [store, file] = ['sqlite', 'postern.sqlite'] as const;
    const target = join(draft, file);
    const { backupSqlite } = await loadStore();
    const { schema, secretCheck } = await backupSqlite(storePath(config), target, onProgress);
    await sync(target);
    const { size: bytes } = statSync(target);
    const sha256 = await hashOf(target);
    const fields = { format: 1 as const, version, store, schema, createdAt, file, bytes, sha256, secretCheck } as const;
    const manifest: Manifest = { ...fields, checksum: checksumOf(fields) };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    writeFileSync(join(draft, manifestName), text, { mode: 0o600, flag: 'wx', flush: true });
    await sync(draft);
    refuseExisting(path);
    renameSync(draft, path);
    await sync(dirname(path));
    return manifest;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

export interface RestoreOptions {
  /** Deletes the data that was encrypted with a key that is lost. */
  withoutSecrets: boolean;
  onChecked: OnProgress;
}

/** Restores a backup into the embedded store, which must be empty. Nothing is written before the whole backup is checked. */
export async function restore(config: Config, path: string, options: RestoreOptions): Promise<Manifest> {
  refuseMongo(config);
  const manifest = readManifest(path);
  const { withoutSecrets } = options;
  if (manifest.store !== 'sqlite') {
    throw new OperatorError({
      detail: 'The backup is of MongoDB, which this version does not restore',
      advice: `restore it with version ${manifest.version}`,
    });
  }
  const { restoreSqlite, sqliteSchema, withNoDatabase } = await loadStore();
  if (manifest.schema > sqliteSchema) {
    throw new OperatorError({
      detail: `The backup was made by a newer version of Postern (${manifest.version}; its schema version is ${manifest.schema}, this version supports ${sqliteSchema})`,
      advice: `install version ${manifest.version} or newer`,
    });
  }
  if (!withoutSecrets) await assertKeyFits(config, manifest);
  const file = join(path, manifest.file);
  makeDataDir(config);
  await withNoDatabase(storePath(config), async () => {
    await checkFile(file, manifest, options.onChecked);
    await restoreSqlite(file, storePath(config), withoutSecrets);
    await sync(config.dataDir);
  });
  return manifest;
}

function refuseMongo({ secrets }: Config): void {
  if (secrets.mongodbUrl === null) return;
  throw new OperatorError({
    detail: '`postern backup` and `postern restore` are for the embedded store, and MONGODB_URL is set',
    advice: 'use mongodump and mongorestore (docs/operating.md, Backup and restore)',
  });
}

function refuseExisting(path: string): void {
  if (existsSync(path)) {
    throw new OperatorError({
      detail: `${path} exists, and a backup overwrites nothing`,
      advice: 'give a path that does not exist',
    });
  }
}

function readManifest(path: string): Manifest {
  const file = join(path, manifestName);
  if (!existsSync(file)) {
    throw new OperatorError({
      detail: `${path} is not a backup: it has no ${manifestName}`,
      advice: 'give the folder that `postern backup` made',
    });
  }
  if (statSync(file).size > maxManifestBytes) throw damaged(file);
  const { data } = manifestSchema.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (!data) throw damaged(file);
  const { checksum, ...fields } = data;
  if (checksumOf(fields) !== checksum) throw damaged(file);
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function assertKeyFits(config: Config, { secretCheck }: Manifest): Promise<void> {
  const check = { read: async () => secretCheck, samples: async () => [] };
  if ((await secretKeyProblem(config, check, systemRuntime)) === null) return;
  throw new OperatorError({
    detail: 'Neither SECRET_KEY nor secret.key in DATA_DIR decrypts the secrets of the backup',
    advice:
      'set SECRET_KEY to the key of the backup, or copy its secret.key into DATA_DIR. If the key is lost, ' +
      '`postern restore --without-secrets` restores accounts, API keys and credit, without webhooks, events, stored responses and logins',
  });
}

async function checkFile(file: string, { bytes, sha256 }: Manifest, onProgress: OnProgress): Promise<void> {
  if (statSync(file, { throwIfNoEntry: false })?.size !== bytes) throw damaged(file);
  if ((await hashOf(file, (done) => onProgress(done, bytes))) !== sha256) throw damaged(file);
}

function damaged(file: string): OperatorError {
  return new OperatorError({
    detail: `The backup is damaged: ${file} is not as it was written`,
    advice: 'copy it again from where it is kept, or restore an earlier backup',
  });
}

async function hashOf(file: string, onRead: (bytes: number) => void = () => {}): Promise<string> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    read += chunk.length;
    onRead(read);
  }
  return hash.digest('hex');
}

/** Waits until the content of a file or folder is on disk. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
