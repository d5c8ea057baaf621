import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, openSocket } from '../../support/raw.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let control: SandboxControl;
let credentials: string;
beforeAll(async () => {
  service = await startService();
  control = new SandboxControl(service.demo.sandboxUrl);
  const { key } = await service.makeAccount('1');
  credentials = `Authorization: Bearer ${key}\r\nx-auth-token: ${service.demo.accounts[0]?.authToken}\r\n`;
});
afterAll(() => service.stop());

const read = () => `GET /v1/user/info?userName=grace HTTP/1.1\r\nHost: a\r\n${credentials}\r\n`;
function write(text: string) {
  const body = JSON.stringify({ text });
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `POST /v1/tweet/create HTTP/1.1\r\nHost: a\r\n${credentials}${type}\r\n${body}`;
}

const delay = (operation: string, ms: number) => service.addFault({ kind: 'latency', ms }, { operation, times: 1 });

describe('requests that are sent together on one connection', () => {
  test('are performed one after the other', async () => {
    await delay('createTweet', 300);
    const texts = ['first', 'second', 'third'];
    const { answers } = await exchange(service.origin, texts.map(write).join(''), { answers: 3 });
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await control.tweets()).filter((text) => texts.includes(text))).toEqual(texts);
  });

  test('are not performed if the connection closes before their turn', async () => {
    await delay('userByScreenName', 3_000);
    const before = await control.requests('userByScreenName');
    const socket = await openSocket(service.origin);
    socket.write(read() + write('never'));
    await expect.poll(() => control.requests('userByScreenName')).toBe(before + 1);
    socket.destroy();
    const inFlight = async () => {
      const text = await (await fetch(`${service.origin}/metrics`)).text();
      return Number(/^postern_http_requests_in_flight (\d+)$/m.exec(text)?.[1]);
    };
    await expect.poll(inFlight).toBe(1);
    expect(await control.tweets()).not.toContain('never');
  });

  test.each([
    ['are answered if 100 of them wait', 101, 101],
    ['close the connection if more than 100 of them wait', 102, 0],
  ])('%s', async (_name, sent, answered) => {
    await delay('userByScreenName', 100);
    const { answers, closed } = await exchange(service.origin, read().repeat(sent), { answers: sent });
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: answered }, () => 200));
    expect(closed).toBe(answered === 0);
  });
});
