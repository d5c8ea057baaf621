import { z } from 'zod';
import { userProfile } from '../../shared/model/user.ts';
import { flatPrice, platformAction } from '../action.ts';

export const me = platformAction({
  name: 'user/me',
  method: 'GET',
  path: '/user/me',
  summary: "The actor's own profile",
  price: flatPrice,
  effect: 'read',
  input: z.object({}),
  example: {},
  output: userProfile,
  run: ({ platform }) => platform.ownProfile(),
});
