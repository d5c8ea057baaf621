import { computed, signal } from '@preact/signals';
import { demo } from './page-data.ts';

/** The platform user that calls act as. */
export interface Actor {
  /** The name to show; `null` if the visitor entered a token. */
  userName: string | null;
  /** The token, or the id of a connection. */
  authToken: string;
  encryptionCode: string;
}

const keyName = 'postern:key';
const actorName = 'postern:actor';

/** An empty text is stored at sign-out, so that the demo key does not sign in again by itself. */
const stored = localStorage.getItem(keyName);

/** The API key of the visitor; `null` if nobody is signed in. */
export const apiKey = signal<string | null>(stored === null ? (demo?.apiKey ?? null) : stored || null);

/** The error that ended the session, such as a revoked key. The sign-in page shows it. */
export const refusal = signal<Error | null>(null);

export const usesDemoKey = computed(() => demo !== null && apiKey.value === demo.apiKey);

/** The demo accounts: with the demo key by their connection, with others by their token. */
export const demoActors = computed<readonly Actor[]>(() =>
  (demo?.accounts ?? []).map(({ userName, authToken, connection, encryptionCode }) => ({
    userName,
    authToken: usesDemoKey.value ? connection : authToken,
    encryptionCode,
  })),
);

/** Returns true for the key that the console uses. */
export function isOwnKey({ prefix }: { prefix: string }): boolean {
  return apiKey.value?.startsWith(prefix) === true;
}

export function signIn(key: string): void {
  localStorage.setItem(keyName, key);
  refusal.value = null;
  apiKey.value = key;
  actor.value = readActor();
}

export function signOut(reason: Error | null = null): void {
  localStorage.setItem(keyName, '');
  sessionStorage.removeItem(actorName);
  actor.value = readActor();
  refusal.value = reason;
  apiKey.value = null;
}

/** The platform account that the visitor chose. It is stored until the browser tab is closed or the visitor signs out. */
export const actor = signal<Actor | null>(readActor());

export function chooseActor(chosen: Actor | null): void {
  actor.value = chosen;
  if (chosen) sessionStorage.setItem(actorName, JSON.stringify(chosen));
  else sessionStorage.removeItem(actorName);
}

/** Returns true for an actor by its connection. The id is no secret. */
export function isConnected(actor: Actor | null): actor is Actor {
  return actor?.authToken.startsWith('conn_') === true;
}

function readActor(): Actor | null {
  const text = sessionStorage.getItem(actorName);
  return text === null ? (demoActors.value[0] ?? null) : JSON.parse(text);
}
