import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('./slow-names.mjs', import.meta.url));
/** Namespaces for mounts, network and processes. All processes end with the first one. */
const namespaces = ['-mnp', '--kill-child'];
const missing =
  spawnSync('unshare', [...namespaces, 'ip', 'link', 'set', 'lo', 'up']).status === 0
    ? null
    : 'skipped: needs Linux, root, unshare and ip';

describe.skipIf(missing !== null)(`names that never resolve${missing ? ` (${missing})` : ''}`, () => {
  test('do not delay media, webhooks and platform calls of another account', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-names-'));
    try {
      const resolvConf = join(folder, 'resolv.conf');
      writeFileSync(resolvConf, 'nameserver 127.0.0.1\n');
      const script = `ip link set lo up && mount --bind "$1" /etc/resolv.conf && exec "$2" "$3" "$4"`;
      const args = [...namespaces, 'sh', '-ec', script, 'sh', resolvConf, process.execPath, program, folder];
      const { stdout } = await promisify(execFile)('unshare', args, { timeout: 600_000 });
      expect(JSON.parse(stdout)).toEqual({
        uploads: [200, 200, 200],
        reads: Array(8).fill(200),
        delivered: true,
        ready: 200,
      });
    } finally {
      rmSync(folder, { recursive: true, maxRetries: 5 });
    }
  });
});
