import { z } from 'zod';
import { userAbout } from '../../shared/model/user-about.ts';
import { flatPrice, platformAction } from '../action.ts';
import { anyOf, userInput, userReference } from '../input/input.ts';

export const about = platformAction({
  name: 'user/user_about',
  method: 'GET',
  path: '/user/user_about',
  summary: 'The history of an account: country, client, verification, former names',
  price: flatPrice,
  effect: 'read',
  input: z.object(userInput).check(anyOf('userName', 'userId')),
  example: { userName: 'grace' },
  output: userAbout,
  run: ({ platform }, input) => platform.userAbout(userReference(input)),
});
