import { aboutForm } from '../dataset/about.ts';
import { json } from '../http/answer.ts';
import { ofUser } from './user-target.ts';

/** Everybody may see it, as they may see the profile. */
export const about = ofUser(
  'about',
  'GET',
  'about',
  {
    summary: 'The history of an account, which may be protected. Problems as in userById.',
    responses: { 200: 'About' },
  },
  ({ platform }, target) => json({ about: aboutForm(target, platform.dataset.origin) }),
);
