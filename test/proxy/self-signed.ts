import { generateKeyPairSync, sign } from 'node:crypto';

/**
 * Returns a self-signed certificate for `localhost` and 127.0.0.1. It is generated for each run, so that the repository contains no private
 * key.
 */
export function selfSigned(kind: 'ec' | 'rsa' = 'ec'): { key: string; cert: string } {
  const { publicKey, privateKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const algorithm =
    kind === 'ec'
      ? der(0x30, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
      : der(0x30, oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b), der(0x05));
  const commonName = der(0x30, oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('localhost')));
  const name = der(0x30, der(0x31, commonName));
  const now = Date.now();
  const validity = der(0x30, utcTime(now - 86_400_000), utcTime(now + 86_400_000));
  // RFC 5280 section 4.2.1.6: [2] is a DNS name, [7] is an address.
  const names = der(0x30, der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extension = der(0x30, oid(0x55, 0x1d, 0x11), der(0x04, names));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const bytes = der(0x30, body, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Encodes a value according to X.690 section 8.1: tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const utcTime = (ms: number) =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));
