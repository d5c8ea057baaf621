import { afterAll, expect, test } from 'vitest';
import { deadPort, startFakeProxy, startForwardProxy } from '../proxy/forward-proxy.ts';
import { expectRefusal } from '../support/refusal.ts';
import { useService } from '../support/use-service.ts';
import { startOrigin } from './origin.ts';
import { mp4, png } from './pictures.ts';

const [origin, proxy] = await Promise.all([startOrigin(), startForwardProxy({ user: 'ada', password: 'swordfish' })]);
afterAll(() => proxy.stop());
const { service, ada } = await useService({ OUTBOUND_ALLOW: '127.0.0.0/8' });

test('media is fetched and uploaded through the proxy of the call, however large it is', async () => {
  const bytes = mp4({ bytes: 20 * 1024 * 1024 });
  const media_url = origin.serve('/film', bytes);
  const answer = await ada.post('/media/upload', { media_url, proxy: proxy.url });
  expect(answer.body.data, String(answer.body.error)).toMatchObject({ size: bytes.length });
  const sandbox = new URL(service.demo.sandboxUrl).host;
  expect([...new Set(proxy.tunnels)]).toEqual([new URL(origin.url).host, sandbox]);
});

test('a redirect goes through it too, and is judged here', async () => {
  const before = proxy.tunnels.length;
  const location = 'http://10.0.0.1/';
  const media_url = origin.at('/away', (response) => void response.writeHead(302, { location }).end());
  const answer = await ada.post('/media/upload', { media_url, proxy: proxy.url });
  expectRefusal(answer, 400, /is redirected to an address that must not lead to a private address/);
  expect(proxy.tunnels.slice(before).filter((tunnel) => tunnel.startsWith('10.'))).toEqual([]);
});

test("the proxy's own fault is 502 and names its host, never its password", async () => {
  const media_url = origin.serve('/picture', png());
  const wrong = proxy.url.replace('swordfish', 'wrong-word');
  const refused = await ada.post('/media/upload', { media_url, proxy: wrong });
  expectRefusal(refused, 502, new RegExp(`^The proxy ${proxy.name} refused the user name or password`));
  const dead = new URL(`http://${(await deadPort()).replace(/^http:\/\//, '')}`);
  const gone = await ada.post('/media/upload', { media_url, proxy: dead.origin });
  expectRefusal(gone, 502, new RegExp(`^The proxy ${dead.host} cannot be reached`));
});

test('the error of a proxy without a tunnel to the media names the proxy, and not the platform', async () => {
  const media_url = origin.serve('/picture', png()).replace('127.0.0.1', 'localhost');
  const refusing = await startFakeProxy((socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  const refused = await ada.post('/media/upload', { media_url, proxy: `http://${refusing.name}` });
  expectRefusal(refused, 502, `The proxy ${refusing.name} refused to open a tunnel to localhost (status 403)`);
  await refusing.stop();
  const breaking = await startFakeProxy((socket) => socket.destroy());
  const broken = await ada.post('/media/upload', { media_url, proxy: `http://${breaking.name}` });
  expectRefusal(broken, 502, `The proxy ${breaking.name} broke the connection before the tunnel to localhost stood`);
  await breaking.stop();
});
