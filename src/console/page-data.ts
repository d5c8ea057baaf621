/** An account of the sandbox that the page may act as. */
export interface DemoAccount {
  userName: string;
  authToken: string;
  /** The id of a connection, which only keys of the demo account can use. */
  connection: string;
  encryptionCode: string;
}

/** The credentials of the sandbox, which the service puts into the page for visitors on the same machine. */
export interface Demo {
  apiKey: string;
  accounts: DemoAccount[];
  sandboxUrl: string;
  listId: string;
  organization: string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Returns the root element. The service writes the data below into its attributes. */
export function rootElement(): HTMLElement {
  const element = document.querySelector<HTMLElement>('#console');
  if (!element) throw new Error('The page has no element #console');
  return element;
}

const { calls, demo: demoText } = rootElement().dataset;

/** Method, path below `/v1` and price in dollars of every call, by its name. */
export const catalogue: Readonly<Record<string, readonly [Method, string, string]>> = JSON.parse(calls ?? '{}');

/** `null` if the gateway is not connected to the sandbox, or if the visitor is on another machine. */
export const demo: Demo | null = demoText ? JSON.parse(demoText) : null;
