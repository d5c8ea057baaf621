interface RefusalText {
  /** The status and the title of the page. */
  status: number;
  title: string;
  /** For `error` of the connection and for the page. */
  cause: string;
  /** For the person who sees the page. */
  remedy: string;
}

/** Why a step of a sign-in is refused. */
export const signInRefusals = {
  unknown_code: {
    status: 404,
    title: 'The link is not valid',
    cause: 'The link is not known',
    remedy: 'Check that you have the whole address, or ask for a new link',
  },
  expired: {
    status: 410,
    title: 'The link has expired',
    cause: 'A link works for 10 minutes',
    remedy: 'Ask for a new one',
  },
  used: {
    status: 409,
    title: 'The link was used',
    cause: 'A link works only once',
    remedy: 'If you have just signed in, you can close this window. Otherwise ask for a new link',
  },
  other_browser: {
    status: 403,
    title: 'This is another browser',
    cause: 'The sign-in was begun in another browser',
    remedy: 'Go on there, or open the link in this one',
  },
  denied: {
    status: 403,
    title: 'Access was not allowed',
    cause: 'The sign-in was denied on the page of the platform',
    remedy: 'If that was a mistake, ask for a new link',
  },
  scopes_missing: {
    status: 403,
    title: 'Permissions are missing',
    cause: 'The platform did not grant all scopes',
    remedy: 'Ask for a new link, and allow everything that it shows',
  },
  other_user: {
    status: 409,
    title: 'This is another user',
    cause: 'Another user signed in than before',
    remedy: 'Sign out on the platform and ask for a new link, or ask for a new connection',
  },
  platform_failed: {
    status: 502,
    title: 'The sign-in has failed',
    cause: 'The platform did not complete the sign-in',
    remedy: 'Ask for a new link',
  },
} as const satisfies Record<string, RefusalText>;

export type SignInRefusal = keyof typeof signInRefusals;

/** A refused step. `message` is the cause, with details. */
export interface RefusedStep {
  refusal: SignInRefusal;
  message: string;
}

/** Returns a refusal. `details` must not end with a full stop. */
export function refuse(refusal: SignInRefusal, details?: string): RefusedStep {
  const { cause } = signInRefusals[refusal];
  return { refusal, message: details === undefined ? cause : `${cause}: ${details}` };
}
