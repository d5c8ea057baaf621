import { z } from 'zod';
import { flatPrice, platformAction } from '../action.ts';
import { ok } from './fields.ts';

export const dmEnroll = platformAction({
  name: 'dm/enroll',
  method: 'POST',
  path: '/dm/enroll',
  summary: 'Make chat keys for an account that has none',
  description:
    'The key realms of the platform keep them. `encryption_code` is a new code of your own, which recovers them later. ' +
    'Codes that are easy to guess are refused, and so is an account that has keys.',
  price: flatPrice,
  effect: 'once',
  code: 'required',
  input: z.object({}),
  example: {},
  output: z.object({ ok }),
  async run({ messages }) {
    await messages.enroll();
    return { ok: true };
  },
});
