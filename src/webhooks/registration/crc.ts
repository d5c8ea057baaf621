import { randomBytes } from 'node:crypto';
import { isSameText } from '../../client/webhooks/signature.ts';
import { parseUntrustedJson } from '../../shared/json/untrusted-json.ts';
import type { ReceiverResponse, Receivers } from '../delivery/receiver.ts';
import { crcResponseToken } from '../shared/signatures.ts';

/** The result of a handshake. `unreachable` means an error of the network or of the receiver that may be temporary. */
export type CrcOutcome = { result: 'passed' } | { result: 'wrong' | 'unreachable'; reason: string };

/**
 * Runs the CRC handshake (docs/webhooks.md, The handshake). It asks the receiver to sign a token with the webhook's secret. If the
 * handshake fails, `reason` explains the receiver's mistake to its developer.
 */
export async function checkReceiver(
  receivers: Receivers,
  account: string,
  url: URL,
  secret: string,
  signal?: AbortSignal,
): Promise<CrcOutcome> {
  const token = randomBytes(24).toString('base64url');
  const asked = new URL(url);
  // `searchParams` is not used, because it would re-encode the receiver's own query.
  asked.search = `${asked.search === '' ? '?' : `${asked.search}&`}crc_token=${token}`;
  const answer = await receivers.get(account, asked, signal);
  if ('reason' in answer) return { result: 'unreachable', reason: `CRC failed: ${answer.reason}` };
  const reason = wrongIn(answer, crcResponseToken(token, secret));
  if (reason === null) return { result: 'passed' };
  return { result: answer.status >= 500 ? 'unreachable' : 'wrong', reason: `CRC failed: ${reason}` };
}

function wrongIn({ status, text }: ReceiverResponse, expected: string): string | null {
  if (status >= 300 && status < 400) return `it answered with a redirect (${status}), which is not followed`;
  if (status !== 200) return `it answered with status ${status} instead of 200`;
  let body: unknown;
  try {
    body = parseUntrustedJson(text);
  } catch {
    return 'its answer is not JSON';
  }
  const given = typeof body === 'object' && body !== null && 'response_token' in body ? body.response_token : undefined;
  if (typeof given !== 'string') return 'its answer has no text under response_token';
  if (isSameText(given, expected)) return null;
  const hex = `sha256=${Buffer.from(expected.slice('sha256='.length), 'base64').toString('hex')}`;
  if (given.toLowerCase() === hex) return 'response_token is in hex instead of base64';
  if (!given.startsWith('sha256=')) return 'response_token does not begin with sha256=';
  return 'response_token was not made with the secret of this webhook, over the crc_token';
}
