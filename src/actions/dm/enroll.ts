import { z } from 'zod';
import { flatPrice, platformAction } from '../action.ts';
import { ok } from './fields.ts';

export const dmEnroll = platformAction({
  name: 'dm/enroll',
  method: 'POST',
  path: '/dm/enroll',
  summary: 'Create chat keys for an account that has none',
  description:
    'The key realms of the platform store the keys. `encryption_code` is a new code of your choice, which recovers the keys later. ' +
    'A code that is easy to guess is refused, and so is an account that already has keys.',
  price: flatPrice,
  effect: 'once',
  handlesCredentials: true,
  code: 'required',
  input: z.object({}),
  example: {},
  output: z.object({ ok }),
  async run({ messages }) {
    await messages.enroll();
    return { ok: true };
  },
});
