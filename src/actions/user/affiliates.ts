import { usersOfUser } from './user-lists.ts';

export const affiliates = usersOfUser('affiliates', {
  name: 'user/affiliates',
  summary: 'Accounts affiliated with a verified organization',
  example: 'tidewater_labs',
  fetch: (platform, user, page) => platform.affiliates(user, page),
});
