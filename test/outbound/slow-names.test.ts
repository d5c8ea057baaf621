import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = fileURLToPath(new URL('./slow-names.mjs', import.meta.url));
/** Namespaces for mounts, network and processes. All processes end with the first one. */
const namespaces = ['-mnp', '--kill-child'];
const missing =
  spawnSync('unshare', [...namespaces, 'ip', 'link', 'set', 'lo', 'up']).status === 0
    ? null
    : 'skipped: needs Linux, root, unshare and ip';

test.skipIf(missing !== null)(
  `names that never resolve do not delay media, webhooks and platform calls of another account${missing ? ` (${missing})` : ''}`,
  async () => {
    const folder = temporaryFolder();
    const resolvConf = join(folder, 'resolv.conf');
    writeFileSync(resolvConf, 'nameserver 127.0.0.1\n');
    const script = `ip link set lo up && mount --bind "$1" /etc/resolv.conf && exec "$2" "$3" "$4"`;
    const args = [...namespaces, 'sh', '-ec', script, 'sh', resolvConf, process.execPath, program, folder];
    const { stdout } = await promisify(execFile)('unshare', args, { timeout: 600_000 });
    const read = { uploads: [200, 200, 200], reads: Array(8).fill(200) };
    expect(JSON.parse(stdout)).toEqual({ ...read, delivered: true, ready: 200 });
  },
);
