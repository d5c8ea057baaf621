import { z } from 'zod';
import { userProfile } from '../../shared/model/user.ts';
import { flatPrice, platformAction } from '../action.ts';
import { anyOf, userInput, userReference } from '../input/input.ts';

export const userInfo = platformAction({
  name: 'user/info',
  method: 'GET',
  path: '/user/info',
  summary: 'The profile of a user',
  price: flatPrice,
  effect: 'read',
  input: z.object(userInput).check(anyOf('userName', 'userId')),
  example: { userName: 'grace' },
  output: userProfile,
  run: ({ platform }, input) => platform.userProfile(userReference(input)),
});
