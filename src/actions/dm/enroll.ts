import { z } from 'zod';
import { flatPrice, platformAction } from '../action.ts';

export const dmEnroll = platformAction({
  name: 'dm/enroll',
  method: 'POST',
  path: '/dm/enroll',
  summary: 'Make chat keys for an account that has none',
  description:
    'They are kept by the key realms of the platform, to be recovered with `encryption_code`, a new one of your own making. ' +
    'Codes that would be guessed first are refused, and so is an account that has keys.',
  price: flatPrice,
  effect: 'once',
  code: 'required',
  input: z.object({}),
  example: {},
  output: z.object({ ok: z.boolean() }),
  async run({ messages }) {
    await messages.enroll();
    return { ok: true };
  },
});
