import type { Locator, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { startReceiver } from '../support/receiver.ts';
import { useService } from '../support/use-service.ts';
import { problemsInAllColours } from './axe.ts';
import { describeInBrowser, openPage, pressOn, scrollsSideways, tabTo } from './browser.ts';

const looks = [
  ['desk', { width: 1280, height: 900 }],
  ['phone', { width: 390, height: 844 }],
] as const;

const secret = 'a-secret-of-at-least-16';

describeInBrowser('/console in a browser', [], async (browser) => {
  const { service, sandbox, ada } = await useService();
  const receiver = await startReceiver({ secret });
  afterAll(() => receiver.stop());

  const open = async (path: string, viewport: { width: number; height: number } = looks[0][1]) => {
    const watched = await openPage(browser, service.origin, viewport);
    await watched.page.goto(`${service.origin}${path}`);
    return watched;
  };

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

  /** Checks what every page must show in every state. */
  const expectSound = async (page: Page) => {
    expect(await problemsInAllColours(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
  };

  /** Signs in with the key of a new account. */
  const openAs = async (key: string, path: string, viewport: { width: number; height: number }) => {
    const watched = await openPage(browser, service.origin, viewport);
    await watched.page.addInitScript(`localStorage.setItem('postern:key', ${JSON.stringify(key)})`);
    await watched.page.goto(`${service.origin}${path}`);
    return watched;
  };

  /** Creates a key of the same account that may call only these groups. */
  const restricted = async (key: string, groups: string[]) => {
    const { data } = (await ada.with({ key }).post('/account/keys', { name: 'Restricted', groups })).body;
    return String(data['key']);
  };

  const callApi = (key: string, path: string) => ada.with({ key }).get(path);

  test.each(looks)('shows cost, calls, errors and latency: %s', async (_name, viewport) => {
    const { key } = await service.makeAccount('3');
    const { page, faults } = await openAs(key, '/console', viewport);
    await page.getByText('No calls in this time').waitFor();
    await page.getByText('until the first paid call').waitFor();
    await expectSound(page);

    await page.getByRole('button', { name: 'Set threshold' }).click();
    await dialog(page).getByLabel('Dollars').fill('1.5');
    await expectSound(page);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('below $1.50 sends').waitFor();

    for (const name of ['grace', 'linus', 'nobody-has-this-name'])
      await ada.with({ key }).get('/user/info', { userName: name });
    // The statistics are written after the responses.
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click();
        return page.getByText('$0.002 in total').count();
      })
      .toBe(1);
    await page.getByRole('img', { name: 'Chart: Cost per hour' }).locator('canvas').waitFor();
    await page.getByRole('cell', { name: 'user/info' }).first().waitFor();
    await page.getByText('Cost per hour as a table').press('Enter');
    await page.getByLabel('24 hours').press('ArrowRight');
    await page.getByRole('heading', { name: 'Cost per day' }).waitFor();
    await expectSound(page);
    expect(faults).toEqual([]);

    await page.route('**/v1/account/usage*', (route) =>
      route.fulfill({ status: 503, headers: { 'x-error-code': 'unavailable', 'x-request-id': 'request-7' }, body: '' }),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').getByText('request-7').first().waitFor();
    await expectSound(page);
    await page.unroute('**/v1/account/usage*');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('mean of the last 7 days').first().waitFor();
  });

  /** Follows a link of the navigation, which is behind a button on phones. */
  const goTo = async (page: Page, name: string) => {
    const menu = page.getByRole('button', { name: 'Menu' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (await menu.isVisible()) await menu.click();
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click();
    await heading(page, name).waitFor();
  };

  const dialog = (page: Page) => page.getByRole('dialog');
  const button = (within: Page | Locator, name: string | RegExp) =>
    within.getByRole('button', { name, exact: typeof name === 'string' });

  /** Chromium itself writes each failed request to its console. */
  const isFailedRequest = (fault: string) =>
    /^console: Failed to load resource: the server responded with a status of (?:402|403|503) /.test(fault);

  test.each(looks)('creates, rotates and revokes keys: %s', async (_name, viewport) => {
    const { key } = await service.makeAccount('3');
    const { page, faults } = await openAs(key, '/console/keys', viewport);
    await page.getByText('in use here').waitFor();
    await expectSound(page);

    await page.getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByLabel('Name').fill('Reports');
    await dialog(page).getByLabel('Read-only').check();
    await dialog(page).getByLabel('tweet', { exact: true }).check();
    await dialog(page).getByLabel('Client addresses').fill('not an address');
    await dialog(page).getByLabel('Dollars per day').fill('0.5');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByRole('alert').getByText('ip_ranges').waitFor();
    await expectSound(page);
    await dialog(page).getByLabel('Client addresses').fill('127.0.0.0/8\n::1');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    const shown = (await dialog(page).locator('.secret code').textContent()) ?? '';
    expect((await callApi(shown, '/user/me')).status).toBe(403);
    await expectSound(page);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByText('$0.50 a day').waitFor();

    await page.getByRole('button', { name: 'Rotate Reports' }).click();
    await dialog(page).getByRole('button', { name: 'Create the new key' }).click();
    const replacement = (await dialog(page).locator('.secret code').textContent()) ?? '';
    expect((await callApi(shown, '/capabilities')).status).toBe(403);
    await dialog(page).getByRole('button', { name: 'Revoke the old key' }).click();
    await page.getByRole('heading', { name: 'Revoked keys' }).waitFor();
    expect(replacement).not.toBe(shown);

    await page.getByRole('button', { name: 'Revoke Reports' }).click();
    await expectSound(page);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await expectSound(page);
    await goTo(page, 'Audit log');
    await page.getByText('Key revoked').first().waitFor();
    await expectSound(page);

    // The refused key is an error of the console's own request, which browsers write to their console.
    expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
  });

  test.each(looks)('creates a webhook and shows its deliveries: %s', async (_name, viewport) => {
    const { key } = await service.makeAccount('3');
    const { page, faults } = await openAs(key, '/console', viewport);
    await goTo(page, 'Webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await expectSound(page);

    await page.getByRole('button', { name: 'Create webhook' }).first().click();
    await dialog(page).getByLabel('URL').fill(receiver.url);
    await dialog(page).getByLabel('tweet.mention').check();
    await dialog(page).getByLabel('Secret').fill(secret);
    await expectSound(page);
    await button(dialog(page), /^Create webhook.*0\.0025/).click();
    await dialog(page).getByRole('button', { name: 'Show the webhook' }).click();
    await page.getByText('Events are delivered as they happen.').waitFor();

    await page.getByRole('button', { name: /^Send a test event/ }).click();
    await page.getByText('test event delivered').waitFor();
    await page.getByRole('button', { name: /^Pause/ }).click();
    await page.getByRole('button', { name: /^Resume/ }).click();
    await page.getByRole('button', { name: /^Pause/ }).waitFor();

    const before = receiver.deliveries.length;
    await mention();
    await expect.poll(() => receiver.deliveries.length).toBeGreaterThan(before);
    const load = page.getByRole('button', { name: 'Refresh' }).last();
    await expect
      .poll(async () => {
        await load.click();
        return page.getByText('delivered', { exact: true }).count();
      })
      .toBe(1);
    await page.getByRole('button', { name: /^Resend/ }).click();
    await page.getByText('The event is queued again').waitFor();
    await page.getByRole('button', { name: /^Attempts/ }).click();
    await dialog(page).getByText('x-platform-webhooks-event-id').first().waitFor();
    await expectSound(page);
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: /^Deliver again/ }).click();
    await button(dialog(page), /^Deliver again/).click();
    await page.getByText('0 events are queued again').waitFor();
    await expectSound(page);

    receiver.answerCrcWith(() => ({ status: 500 }));
    await page.getByRole('button', { name: 'Validate' }).click();
    await button(dialog(page), /^Validate/).click();
    await page.getByText('not valid', { exact: true }).waitFor();
    receiver.answerCrcWith(null);
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('URL').fill('http://192.168.0.1/hook');
    await dialog(page).getByRole('button', { name: /^Save/ }).click();
    await dialog(page).getByRole('alert').waitFor();
    await expectSound(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await button(dialog(page), /^Make a new secret/).click();
    await dialog(page).getByRole('heading', { name: 'The new secret' }).waitFor();
    await expectSound(page);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await button(dialog(page), /^Delete/).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
  });

  /** Makes another user of the sandbox mention the first demo account. */
  const mention = () => sandbox.makeEvents({ type: 'mention', userName: 'ada' });

  test.each(looks)('shows events as they arrive: %s', async (_name, viewport) => {
    const { key } = await service.makeAccount('3');
    const { page, faults } = await openAs(key, '/console/events', viewport);
    await page.getByLabel('tweet.mention').check();
    await page.getByLabel('connection.expired').check();
    await page.getByRole('button', { name: /^Open the stream.*0\.001/ }).click();
    await page.getByText('The stream is open.').waitFor();
    await mention();
    await page.locator('.events summary', { hasText: 'tweet.mention' }).first().press('Enter');
    await page.locator('.events [open]').getByText('author_screen_name').waitFor();
    await expectSound(page);
    await page.getByRole('button', { name: 'Close the stream' }).click();
    await page.getByText('The stream is closed.').waitFor();
    expect(faults).toEqual([]);
  });

  /** Goes through the pages of a sign-in. Without a user, denies the consent. */
  const signIn = async (page: Page, userName: string | null) => {
    await button(page, /^Continue to/).click();
    if (userName !== null) await page.getByLabel(`@${userName}`).check();
    await button(page, userName === null ? 'Deny' : 'Allow').click();
  };

  test.each(looks)('connects an account, and uses it in explorer, webhooks and keys: %s', async (_name, viewport) => {
    const { key } = await service.makeAccount('3');
    const { page, faults } = await openAs(key, '/console/accounts', viewport);
    await page.getByText('No accounts are connected yet').waitFor();
    await expectSound(page);
    await button(page, 'Connect an account').click();
    await page.getByText('Choose each scope').click();
    await expectSound(page);
    await button(dialog(page), 'Go to the sign-in').click();
    await signIn(page, 'grace');
    await page.getByText('@grace is connected.').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await expectSound(page);

    await button(page, 'Open the explorer').click();
    await page.getByRole('main').getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('article').first().waitFor();
    const account = page.getByLabel('Platform account');
    expect(await account.inputValue()).toMatch(/^conn_/);
    expect(await page.getByText(/x-auth-token: conn_\w{22}/).count()).toBe(1);
    await expectSound(page);

    await goTo(page, 'Webhooks');
    await button(page, 'Create webhook').first().click();
    expect(await account.locator(':checked').textContent()).toBe('grace');
    await dialog(page).getByLabel('URL').fill(receiver.url);
    await dialog(page).getByLabel('Secret').fill(secret);
    await button(dialog(page), /^Create webhook/).click();
    await dialog(page).getByRole('heading', { name: 'Webhook created', exact: true }).waitFor();
    await button(dialog(page), 'Done').click();

    await goTo(page, 'API keys');
    await button(page, 'Create key').click();
    await dialog(page).getByLabel('Name').fill('For Grace');
    await dialog(page).getByLabel('@grace').check();
    await button(dialog(page), 'Create key').click();
    const restrictedKey = (await dialog(page).locator('.secret code').textContent()) ?? '';
    expect((await callApi(restrictedKey, '/user/me')).status).toBe(403);
    await button(dialog(page), 'Done').click();
    await page.getByText('acts as @grace').waitFor();
    expect(faults.filter((fault) => !fault.startsWith(`request to ${service.demo.sandboxUrl}`))).toEqual([]);
  });

  test('shows a link for another person, announces the sign-in, explains a denied reconnect, and removes the account', async () => {
    const { key } = await service.makeAccount('3');
    const { page } = await openAs(key, '/console/accounts', looks[0][1]);
    await pressOn(button(page, 'Connect an account'));
    await tabTo(dialog(page).getByLabel('I do, in this browser'));
    await page.keyboard.press('ArrowDown');
    await pressOn(button(dialog(page), 'Make a link'));
    const link = (await dialog(page).locator('.secret code').textContent()) ?? '';
    await expectSound(page);
    await pressOn(button(dialog(page), 'Done'));
    await page.getByText('waiting for the sign-in').waitFor();
    const other = await openPage(browser, service.origin, looks[1][1]);
    await other.page.goto(link);
    await signIn(other.page, 'ada');
    await heading(other.page, 'Connected as @ada').waitFor();
    await page.getByRole('status').getByText('@ada is connected').waitFor();
    await page.getByText('active', { exact: true }).waitFor();

    await button(page, 'Reconnect @ada').click();
    await button(dialog(page), 'Go to the sign-in').click();
    await signIn(page, null);
    await page.getByRole('alert').getByText('The sign-in did not succeed.').waitFor();
    await page.getByText('active', { exact: true }).waitFor();
    await expectSound(page);

    await pressOn(button(page, 'Remove @ada'));
    await expectSound(page);
    await pressOn(button(dialog(page), 'Remove'));
    await page.getByText('No accounts are connected yet').waitFor();
  });

  test.each(looks)('shows every status of a connection: %s', async (_name, viewport) => {
    const statuses = ['pending', 'active', 'expired', 'revoked', 'failed'];
    const connections = statuses.map((status, index) => ({
      id: `conn_${String(index).repeat(22)}`,
      status,
      user: index % 4 === 0 ? null : { id: '7', userName: 'someone', name: 'Some One', profilePicture: '' },
      scopes: status === 'active' ? [] : ['tweet.read', 'like.write', 'dm.read'],
      created_at: '2026-01-01T00:00:00.000Z',
      last_used_at: null,
      expires_at: null,
      error: status === 'active' ? null : 'The reason',
    }));
    const { key } = await service.makeAccount('3');
    const { page, faults } = await openPage(browser, service.origin, viewport);
    await page.addInitScript(`localStorage.setItem('postern:key', ${JSON.stringify(key)})`);
    await page.route('**/v1/connections*', (route) =>
      route.fulfill({ json: { status: true, data: { connections, next_cursor: null }, error: null } }),
    );
    await page.goto(`${service.origin}/console/accounts`);
    await page.getByText('read, write, messages').first().click();
    await expectSound(page);
    await goTo(page, 'Live events');
    const options = page.getByLabel('Platform account').locator('[label="Connected accounts"] option');
    await options.first().waitFor({ state: 'attached' });
    expect(await options.allTextContents()).toEqual([
      'someone · conn_333333… (revoked)',
      'someone · conn_222222… (expired)',
      'someone · conn_111111…',
    ]);
    expect(faults).toEqual([]);
  });

  test('an action that costs money is made once, and its failure is shown', async () => {
    const { key } = await service.makeAccount('0.002');
    const { page } = await openAs(key, '/console/webhooks', looks[0][1]);
    const calls: string[] = [];
    page.on('request', (request) => calls.push(new URL(request.url()).pathname));
    await page.getByRole('button', { name: 'Create webhook' }).first().click();
    await dialog(page).getByLabel('URL').fill(receiver.url);
    await button(dialog(page), /^Create webhook/).click();
    await page.getByRole('alert').getByText('insufficient_credits').waitFor();
    await expectSound(page);
    expect(calls.filter((path) => path === '/v1/webhooks')).toHaveLength(1);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test.each(looks)('shows empty lists, refusals and failures: %s', async (_name, viewport) => {
    const { key } = await service.makeAccount('3');
    const { page, faults } = await openAs(await restricted(key, ['tweet', 'capabilities']), '/console/keys', viewport);
    const alert = (text: string) => page.getByRole('alert').getByText(text).first().waitFor();
    const openStream = page.getByRole('button', { name: /^Open the stream/ });

    await alert('forbidden');
    await expectSound(page);
    for (const name of ['Audit log', 'Accounts']) {
      await goTo(page, name);
      await alert('forbidden');
      await expectSound(page);
    }
    await goTo(page, 'Live events');
    await page.getByText('No events yet').waitFor();
    await openStream.click();
    await alert('forbidden');
    await expectSound(page);

    await page.route('**/v1/**', (route) =>
      route.fulfill({
        status: 503,
        headers: { 'x-error-code': 'unavailable', 'x-request-id': 'request-8' },
        json: { status: false, data: null, error: 'The store is not available' },
      }),
    );
    for (const name of ['API keys', 'Audit log', 'Accounts', 'Live events']) {
      await goTo(page, name);
      await alert('request-8');
      await expectSound(page);
    }
    await page.unroute('**/v1/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('tweet.mention').waitFor();
    await page.route('**/v1/events*', (route) =>
      route.fulfill({
        status: 402,
        headers: { 'x-error-code': 'insufficient_credits' },
        json: { status: false, data: null, error: 'The account has not enough credit' },
      }),
    );
    await openStream.click();
    await alert('insufficient_credits');
    await expectSound(page);

    const empty = { api_keys: [], audit: [], next_cursor: null };
    await page.route('**/v1/account/**', (route) =>
      route.fulfill({ json: { status: true, data: empty, error: null } }),
    );
    for (const [name, text] of Object.entries({ 'API keys': 'No keys', 'Audit log': 'No changes yet' })) {
      await goTo(page, name);
      await page.getByText(text).waitFor();
      await expectSound(page);
    }
    expect(faults.filter((fault) => !isFailedRequest(fault))).toEqual([]);
  });

  test('does not offer to revoke or rotate the demo key, which all visitors share', async () => {
    const { page } = await open('/console/keys');
    const rows = page.getByRole('table', { name: 'API keys that are not revoked' }).getByRole('row');
    const demoKey = rows.filter({ hasText: 'in use here' });
    await demoKey.getByText('shared by all visitors').waitFor();
    expect(await demoKey.getByRole('button').count()).toBe(0);
  });

  test('creates and revokes a key by keyboard alone', async () => {
    const { key } = await service.makeAccount('3');
    const { page } = await openAs(key, '/console/keys', looks[0][1]);
    await page.getByText('in use here').waitFor();
    await pressOn(button(page, 'Create key'));
    await tabTo(dialog(page).getByLabel('Name'));
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await pressOn(button(dialog(page), 'Done'));
    await pressOn(button(page, 'Revoke By keyboard'));
    await pressOn(button(dialog(page), 'Revoke key'));
    await page.getByRole('heading', { name: 'Revoked keys' }).waitFor();
  });

  test('creates, tests, pauses and deletes a webhook by keyboard alone', async () => {
    const { key } = await service.makeAccount('3');
    const { page, faults } = await openAs(key, '/console', looks[0][1]);
    await pressOn(page.getByRole('link', { name: 'Webhooks' }));
    await pressOn(button(page, 'Create webhook'));
    await dialog(page).getByLabel('tweet.mention').waitFor();
    await tabTo(dialog(page).getByLabel('URL'));
    await page.keyboard.type(receiver.url);
    await pressOn(dialog(page).getByLabel('tweet.mention'), 'Space');
    await tabTo(dialog(page).getByLabel('Secret'));
    await page.keyboard.type(secret);
    await page.keyboard.press('Enter');
    await pressOn(button(dialog(page), 'Show the webhook'));
    await pressOn(button(page, /^Send a test event/));
    await page.getByText('test event delivered').waitFor();
    // The button keeps the focus while its call runs.
    await pressOn(button(page, /^Pause/));
    await page.getByText('paused', { exact: true }).waitFor();
    const focused = button(page, /^Resume/).and(page.locator(':focus'));
    await expect.poll(() => focused.count()).toBe(1);
    await expect.poll(() => button(page, /^Resume/).getAttribute('aria-busy')).toBe('false');
    await page.keyboard.press('Enter');
    await page.getByText('active', { exact: true }).waitFor();
    await pressOn(button(page, 'Delete'));
    await pressOn(button(dialog(page), /^Delete/));
    await heading(page, 'Webhooks').waitFor();
    await page.getByText('Deleted the webhook').waitFor();
    expect(await page.getByRole('link', { name: receiver.url }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('opens and ends the live events by keyboard alone', async () => {
    const { key } = await service.makeAccount('3');
    const { page, faults } = await openAs(key, '/console', looks[0][1]);
    await pressOn(page.getByRole('link', { name: 'Live events' }));
    await pressOn(page.getByLabel('tweet.mention'), 'Space');
    await pressOn(button(page, /^Open the stream/));
    await page.getByText('The stream is open.').waitFor();
    await mention();
    await pressOn(page.locator('.events summary', { hasText: 'tweet.mention' }));
    await page.getByText('author_screen_name').waitFor();
    await pressOn(button(page, 'Close the stream'));
    await page.getByText('The stream is closed.').waitFor();
    expect(faults).toEqual([]);
  });

  test('keeps the key until sign-out, and explains a refused key', async () => {
    const { page } = await open('/console');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Postern console').waitFor();
    await page.reload();
    const field = page.getByLabel('API key');
    await expect.poll(() => field.inputValue()).toBe(service.demo.apiKey);
    expect(await problemsInAllColours(page)).toEqual([]);
    await field.fill('pstn_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('unauthenticated').waitFor();
    const { key } = await service.makeAccount('3');
    await field.fill(key);
    await page.keyboard.press('Enter');
    await page.getByText('$3.00').last().waitFor();
    await page.reload();
    await page.getByText('$3.00').last().waitFor();
  });

  test('forgets the token of an actor at sign-out', async () => {
    const { page } = await open('/console/events');
    const account = page.getByLabel('Platform account');
    await account.selectOption('Another token…');
    await page.getByLabel('Actor token').fill('secret-token');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await account.waitFor();
    expect(await account.inputValue()).toBe(service.demo.accounts[0].userName);
  });

  test('explains once that a key may not call what the overview shows', async () => {
    const { key } = await service.makeAccount('3');
    const { page } = await openAs(await restricted(key, ['tweet']), '/console', looks[0][1]);
    await page.getByText('restricted to the groups tweet').first().waitFor();
    // The sections of the page disappear when the last of its calls has failed.
    await page.getByRole('heading', { name: 'Credit' }).first().waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(1);
    await expectSound(page);
  });

  test('shows an unknown address as such, and leads from there to the overview by keyboard', async () => {
    const { page } = await open('/console/nothing/here');
    await heading(page, 'Page not found').waitFor();
    await page.keyboard.press('Tab');
    await page.getByText('Skip to the content').press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('$10.00').last().waitFor();
    expect(new URL(page.url()).pathname).toBe('/console');
  });

  test('its first view is small, and its files are cached for ever', async () => {
    const { page } = await openPage(browser, service.origin, looks[0][1]);
    const sizes: number[] = [];
    const done: Promise<unknown>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/v1/')) return;
      if (response.url().includes('/console/files/'))
        expect(response.headers()['cache-control']).toContain('immutable');
      const measured = response.request().sizes();
      done.push(measured.then(({ responseBodySize }) => sizes.push(responseBodySize)));
    });
    await page.goto(`${service.origin}/console`);
    await page.getByText('$10.00').last().waitFor();
    await Promise.all(done);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
  });
});
