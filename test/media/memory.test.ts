import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { Client } from '../support/client.ts';
import { readDemo } from '../support/demo.ts';
import { startPostern } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startOrigin } from './origin.ts';
import { mp4Start } from './pictures.ts';

const MiB = 1024 * 1024;

/** Returns the resident memory of a process in MiB, as Linux reports it. */
function resident(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

test.runIf(process.platform === 'linux')(
  'a video of 200 MiB grows the process, sandbox and all, by less than 150',
  async () => {
    const dataDir = temporaryFolder(onTestFinished);
    const origin = await startOrigin();
    const film = (size: number) =>
      origin.at(`/${size}`, (response) => {
        const bytes = size * MiB;
        const frames = Buffer.alloc(256 * 1024);
        response.write(mp4Start({ bytes }));
        let left = bytes / frames.length;
        const send = () => {
          while (left-- > 0) if (!response.write(frames)) return void response.once('drain', send);
          response.end();
        };
        send();
      });
    const env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: dataDir, OUTBOUND_ALLOW: '127.0.0.0/8' };
    const postern = startPostern(['serve'], env);
    onTestFinished(async () => void (await postern.end('SIGTERM')));
    await postern.printed(/listening on/);
    const { baseUrl, apiKey, accounts } = readDemo(dataDir);
    const ada = new Client({ baseUrl, key: apiKey, authToken: accounts[0].authToken });
    await ada.post('/media/upload', { media_url: film(1) });
    const pid = postern.child.pid ?? 0;
    const before = resident(pid);
    let most = before;
    const sampling = setInterval(() => {
      most = Math.max(most, resident(pid));
    }, 10);
    const answer = await ada.post('/media/upload', { media_url: film(200) });
    clearInterval(sampling);
    expect(answer.body.data, String(answer.body.error)).toMatchObject({ media_type: 'video/mp4' });
    expect(Math.max(most, resident(pid)) - before).toBeLessThan(150);
  },
);
