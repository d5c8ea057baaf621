import { createHmac } from 'node:crypto';
import { type Hmac, signatureScheme } from '../../client/webhooks/signature.ts';

export const nodeHmac: Hmac = (key, ...parts) => {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('base64');
};

export const { crcResponseToken, platformSignature, standardSignatures } = signatureScheme(nodeHmac);
