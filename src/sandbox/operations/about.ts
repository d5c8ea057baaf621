import { aboutForm } from '../dataset/about.ts';
import { json } from '../http/response.ts';
import { ofUser } from './user-target.ts';

/** The account history of a user. It is as public as the profile, even for protected users. */
export const aboutOperation = ofUser(
  'about',
  'GET',
  'about',
  {
    summary: 'The history of an account, which may be protected. Problems as in userById.',
    responses: { 200: 'About' },
  },
  ({ platform }, target) => json({ about: aboutForm(target, platform.dataset.origin) }),
);
