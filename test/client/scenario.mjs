// Performs the work of a receiver with web APIs only. The tests run it with the built kit in contexts without Node's modules. Each call of
// `check` must be true.

const secret = 'a-secret-of-16-characters';
const now = Date.UTC(2026, 10, 21, 12, 0, 0);

/** `signed` is a delivery signed by Node's HMAC with the secret above. `vectors` are those of RFC 4231. */
export async function run(kit, { signed, vectors }) {
  const failed = [];
  let checks = 0;
  const check = (name, holds) => {
    checks++;
    if (!holds) failed.push(name);
  };
  const refuses = (name, call) => {
    try {
      call();
      check(name, false);
    } catch (error) {
      check(name, error instanceof kit.WebhookVerificationError);
    }
  };
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (byte) => Number.parseInt(byte, 16));
  const base64 = (hex) => btoa(String.fromCharCode(...bytes(hex)));

  for (const { key, data, mac } of vectors.filter((each) => /^([0-7].)+$/.test(each.key))) {
    const keyText = new TextDecoder().decode(bytes(key));
    const headers = { 'x-platform-webhooks-signature': `sha256=${base64(mac)}` };
    if (mac.length === 64) check(`RFC 4231 ${mac}`, kit.isSignedByPlatform(bytes(data), headers, keyText));
  }

  const { body, headers } = signed;
  const at = { now: () => now };
  const utf8 = new TextEncoder().encode(body);
  for (const [name, given] of Object.entries({ text: body, bytes: utf8, buffer: utf8.buffer })) {
    check(`verifies ${name}`, kit.verify(given, headers, secret, at).eventId === 'evt_1');
  }
  check(
    'verifies with Headers',
    kit.verify(body, new Headers(headers), ['another-secret-000', secret], at).attempt === 2,
  );
  refuses('another body', () => kit.verify(`${body} `, headers, secret, at));
  refuses('another secret', () => kit.verify(body, headers, 'another-secret-000', at));
  refuses('a late delivery', () => kit.verify(body, headers, secret));

  const events = [];
  const receive = kit.fetchReceiver({ secret, onEvent: (event) => void events.push(event) });
  const crc = await receive(new Request('http://receiver.example/hook?crc_token=abc'));
  check('CRC', (await crc.json()).response_token === kit.answerCrc('abc', secret).response_token);
  check('CRC as JSON', crc.headers.get('content-type').startsWith('application/json'));
  const post = (text) => receive(new Request('http://receiver.example/hook', { method: 'POST', body: text, headers }));
  check('refuses with 401', (await post(`${body} `)).status === 401);
  check('no event yet', events.length === 0);
  const clock = Date.now;
  Date.now = () => now;
  try {
    check('takes an event', (await post(body)).status === 200 && events[0].text === 'Grüße 👋');
  } finally {
    Date.now = clock;
  }
  return { checks, failed };
}
