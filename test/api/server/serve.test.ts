import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';

const { service } = await useService({ WORKERS: '4' }, { maxConnections: 2 });

describe('serve', () => {
  test('logs which setting was removed, and what replaced it', () => {
    const lines = service.log.map((line) => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg.includes('WORKERS'))).toMatchObject([
      { level: 40, msg: expect.stringMatching(/^WORKERS has no effect any more: run several gateways/) },
    ]);
  });

  test('closes connections above the limit, and accepts new ones after others have ended', async () => {
    const { hostname, port } = new URL(service.origin);
    const open: Socket[] = [];
    const openOne = async () => {
      const socket = connect(Number(port), hostname);
      open.push(socket);
      socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
      const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      return chunk instanceof Buffer ? chunk.toString().split('\r\n')[0] : 'closed';
    };
    try {
      expect(await openOne()).toBe('HTTP/1.1 200 OK');
      expect(await openOne()).toBe('HTTP/1.1 200 OK');
      expect(await openOne().catch(() => 'closed')).toBe('closed');
      open[0]?.destroy();
      await expect.poll(() => openOne().catch(() => 'closed')).toBe('HTTP/1.1 200 OK');
    } finally {
      for (const socket of open) socket.destroy();
    }
  });
});
