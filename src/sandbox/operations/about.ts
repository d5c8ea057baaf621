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
  ({ platform }, target) => {
    const {
      is_verified: _type,
      is_blue_verified: _blue,
      is_identity_verified: identity_verified,
      ...about
    } = aboutForm(target);
    const { screenName: screen_name, name, avatar, verified, premium } = target;
    const avatar_url = avatar && platform.dataset.origin + avatar;
    return json({ about: { ...about, screen_name, name, avatar_url, verified, premium, identity_verified } });
  },
);
