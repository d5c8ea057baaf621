import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { problemsInAllColours } from './axe.ts';
import { describeInBrowser, openPage, pressOn, scrollsSideways, tabTo } from './browser.ts';

const views = [{ width: 1280 }, { width: 390 }] as const;

/** Matches the address of a call that costs money. */
const paidCall = /\/v1\/(?:tweet|user|article|dm)\//;

describeInBrowser('the explorer', [], async (browser) => {
  const service = await startService();
  afterAll(() => service.stop());
  const credentials = {
    authorization: `Bearer ${service.demo.apiKey}`,
    'x-auth-token': service.demo.accounts[0].authToken,
    'x-encryption-code': service.demo.accounts[0].encryptionCode,
    'content-type': 'application/json',
  };
  const [found] = (await rest('/tweet/advanced_search?q=from:grace filter:replies&count=1')).tweets;
  const reply = found.id;
  const content =
    '# Knots\n\n**Bold** and [a link](https://knots.example)\n\n- one\n\n> two\n\n<b onclick="x()">three</b>';
  const article = (await rest('/article/create', { title: 'On knots', content, publish: true })).article_id;

  async function rest(path: string, body?: unknown) {
    const response = await fetch(`${service.origin}/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: credentials,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await response.json()).data;
  }

  const open = async (path: string, { width }: (typeof views)[number] = views[0]) => {
    const watched = await openPage(browser, service.origin, { width, height: 900 });
    const paid: string[] = [];
    watched.page.on('request', (request) => {
      if (paidCall.test(request.url())) paid.push(new URL(request.url()).pathname.slice('/v1'.length));
    });
    await watched.page.goto(`${service.origin}/console/explore${path}`);
    await watched.page.getByRole('navigation', { name: 'Explorer' }).waitFor();
    return { ...watched, paid };
  };

  const load = (page: Page, what: string) => page.getByRole('button', { name: `Load ${what} $0.001` }).click();
  const link = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name, exact: true });
  const tweets = (page: Page) => page.getByRole('article');
  const permalink = (page: Page) =>
    tweets(page)
      .first()
      .getByRole('link')
      .filter({ has: page.locator('time') });
  const conversation = (page: Page) => page.getByRole('link', { name: /^Open conversation/ }).first();
  const inspect = async (page: Page) => ({
    sideways: await scrollsSideways(page),
    problems: await problemsInAllColours(page),
  });
  const fine = { sideways: false, problems: [] };

  test.each(views)('has no accessibility problem and no sideways scrolling, $width wide', async (view) => {
    const { page, faults } = await open('', view);
    expect(await inspect(page)).toEqual(fine);
    await page.getByLabel('Search for').fill('from:grace');
    await page.getByRole('button', { name: 'Search' }).click();
    await tweets(page).first().waitFor();
    expect(await inspect(page)).toEqual(fine);
    await page.getByText('Grace Hollis').first().click();
    await page.getByText('Joined').waitFor();
    await tweets(page).nth(2).waitFor();
    expect(await inspect(page)).toEqual(fine);
    await link(page, 'Followers').click();
    await tweets(page).nth(2).waitFor();
    expect(await inspect(page)).toEqual(fine);
    await link(page, 'About').click();
    await page.getByText('Based in').waitFor();
    expect(await inspect(page)).toEqual(fine);
    await link(page, 'Bookmarks').click();
    await page.getByText('The account has no bookmarks').waitFor();
    expect(await inspect(page)).toEqual(fine);
    await link(page, 'Articles').click();
    await page.getByRole('link', { name: 'On knots' }).click();
    await page.getByText('<b onclick="x()">three</b>').waitFor();
    expect(await inspect(page)).toEqual(fine);
    await link(page, 'Tweet').click();
    await page.getByText('Nobody has replied').waitFor();
    await page.getByText('Act on this tweet').click();
    expect(await inspect(page)).toEqual(fine);
    await page.getByRole('button', { name: 'Like…', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await inspect(page)).toEqual(fine);
    await page.keyboard.press('Escape');
    await link(page, 'Messages').click();
    await conversation(page).click();
    await page.getByRole('listitem').filter({ hasText: 'ago' }).first().waitFor();
    expect(await inspect(page)).toEqual(fine);
    expect(faults).toEqual([]);
    // The browser reports the status of a failed call itself.
    await page.goto(`${service.origin}/console/explore/tweet/123456`);
    await load(page, 'the tweet');
    await page.getByRole('alert').getByText('not_found').waitFor();
    expect(await inspect(page)).toEqual(fine);
  });

  test('shows the price of a reloaded page, and loads nothing twice', async () => {
    const { page, faults, paid } = await open('/search?q=from%3Agrace');
    await page.getByRole('button', { name: 'Load the tweets $0.001' }).waitFor();
    expect(paid).toEqual([]);
    await load(page, 'the tweets');
    await expect.poll(() => tweets(page).count()).toBe(20);
    await page.getByRole('button', { name: 'More $0.001' }).click();
    await expect.poll(() => tweets(page).count()).toBe(40);
    await permalink(page).click();
    await page.getByRole('heading', { level: 1, name: 'Tweet' }).waitFor();
    await page.getByText('Act on this tweet').waitFor();
    // The tweet itself came with the search.
    await expect.poll(() => paid.at(-1)).toBe('/tweet/replies');
    await page.goBack();
    await expect.poll(() => tweets(page).count()).toBe(40);
    await page.evaluate('window.dispatchEvent(new Event("focus"))');
    await page.goForward();
    await page.getByText('Act on this tweet').waitFor();
    expect(paid).toEqual(['/tweet/advanced_search', '/tweet/advanced_search', '/tweet/replies']);
    expect(faults).toEqual([]);
  });

  test('shows a thread with the tweets above', async () => {
    const { page, paid } = await open(`/tweet/${reply}`);
    await load(page, 'the tweet');
    await load(page, 'the tweet above');
    await expect.poll(() => tweets(page).count()).toBe(2);
    const shown = await rest(`/tweet/detail?tweet_id=${reply}`);
    const above = await rest(`/tweet/detail?tweet_id=${shown.inReplyToId}`);
    expect(await tweets(page).first().textContent()).toContain(above.author.name);
    expect(paid).toEqual(['/tweet/detail', '/tweet/detail']);
  });

  test('shows calls that work when they are pasted', async () => {
    const { page } = await open('');
    const [first] = (await rest('/dm/list?count=1')).conversations;
    const paths = [
      '/search?q=%22don%27t%22+from%3Agrace',
      '/search?q=coffee&kind=top',
      '/search?q=coffee&kind=people',
      '/home',
      '/mentions',
      '/bookmarks',
      `/tweet/${reply}`,
      `/tweet/${reply}?shown=quotes`,
      `/tweet/${reply}?shown=retweeters`,
      '/user/grace',
      '/user/grace?shown=media',
      '/user/grace?shown=articles',
      '/user/grace?shown=followers',
      '/user/grace?shown=following',
      '/user/grace?shown=known',
      `/user/${service.demo.organization}?shown=affiliates`,
      '/user/grace?shown=about',
      '/articles',
      `/article/${article}`,
      '/messages',
      `/messages/${first.conversation_id}`,
    ];
    for (const path of paths) {
      await page.goto(`${service.origin}/console/explore${path}`);
      const [query = ''] = await texts(page, 'GraphQL');
      const response = await fetch(service.demo.graphqlUrl, {
        method: 'POST',
        headers: credentials,
        body: JSON.stringify({ query }),
      });
      const { data, errors } = await response.json();
      expect({ path, errors, missing: Object.values(data).includes(null) }).toEqual({ path, missing: false });
      for (const command of await texts(page, 'curl')) {
        const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl', 'curl -s')]);
        expect({ path, answer: JSON.parse(stdout) }).toMatchObject({ path, answer: { status: true, error: null } });
      }
    }
  });

  const firstWord = { curl: /^curl /, GraphQL: /^(?:query|mutation|\{)/, JavaScript: /fetch\(/, Python: /^import / };
  /** Chooses a language and returns the calls when they are shown in it. */
  const texts = async (page: Page, language: keyof typeof firstWord) => {
    await page.getByRole('radio', { name: language }).check();
    const shown = () => page.locator('.calls pre').allTextContents();
    await expect.poll(async () => (await shown())[0]).toMatch(firstWord[language]);
    return shown();
  };

  test('writes calls for JavaScript and Python, with variables in place of secrets', async () => {
    const { key } = await service.makeAccount('1');
    const { page, paid } = await open('/user/grace?shown=known');
    expect((await texts(page, 'Python'))[1]).toBe(`import requests

response = requests.request(
    "POST",
    "${service.origin}/v1/user/followers_you_know",
    headers={
        "Authorization": "Bearer ${service.demo.apiKey}",
        "x-auth-token": "${service.demo.accounts[0].connection}",
    },
    json={"user_name": "grace"},
)
print(response.json())`);
    const [, program = ''] = await texts(page, 'JavaScript');
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toContain('followers_you_know: [');
    await page.evaluate(`localStorage.setItem('postern:key', '${key}')`);
    await page.goto(`${service.origin}/console/explore/messages`);
    await page.getByLabel('Platform account').selectOption('Another token…');
    await page.getByLabel('Actor token').fill('secret-token');
    await expect.poll(async () => (await texts(page, 'curl'))[0]).toContain('-H "x-auth-token: $POSTERN_AUTH_TOKEN"');
    const [command = ''] = await texts(page, 'curl');
    expect(command).toContain('-H "Authorization: Bearer $POSTERN_API_KEY"');
    expect(command).toContain('-H "x-encryption-code: $POSTERN_ENCRYPTION_CODE"');
    await page.getByText('No encryption code').waitFor();
    // No link makes a call that needs what is missing.
    await link(page, 'Messages').click();
    await page.getByText('No encryption code').waitFor();
    expect(paid).toEqual([]);
  });

  test('opens a query in GraphiQL', async () => {
    const { page, faults } = await open('/user/grace?shown=about');
    await page.getByRole('radio', { name: 'GraphQL' }).check();
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Open in GraphiQL' }).click(),
    ]);
    await opened.getByText('accountBasedIn').waitFor();
    await opened.getByRole('button', { name: 'Execute query (Ctrl-Enter)' }).click();
    await opened.getByText('"accountBasedIn"').waitFor();
    expect(faults).toEqual([]);
  });

  test('sends a message by keyboard alone, after a dialog with its price', async () => {
    const { page, faults, paid } = await open('/messages', views[1]);
    await pressOn(page.getByRole('button', { name: /^Load the conversations/ }));
    await pressOn(conversation(page));
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.waitFor();
    await expect.poll(() => page.getByText('Loading').count()).toBe(0);
    await tabTo(field);
    await page.keyboard.type('Typed in the console');
    await pressOn(page.getByRole('button', { name: 'Send…' }));
    await page.getByRole('dialog', { name: 'Send the message' }).waitFor();
    await expect.poll(() => paid).toEqual(['/dm/list', '/dm/messages']);
    await pressOn(page.getByRole('dialog').getByRole('button', { name: /^Send/ }));
    await page.getByRole('listitem').filter({ hasText: 'Typed in the console' }).first().waitFor();
    expect(paid).toEqual(['/dm/list', '/dm/messages', '/dm/send']);
    const [{ last_message }] = (await rest('/dm/list?count=1')).conversations;
    expect(last_message).toMatchObject({ text: 'Typed in the console', from_me: true });
    expect(faults).toEqual([]);
  });

  test('shows the page of a conversation whose id has any characters', async () => {
    const { page, faults } = await open('/messages/%E4%BD%A0');
    await page.getByRole('button', { name: /^Load the messages/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test('searches and opens a tweet by keyboard alone', async () => {
    const { page, faults, paid } = await open('');
    await tabTo(page.getByLabel('Search for'));
    await page.keyboard.type('from:grace');
    await page.keyboard.press('Enter');
    await pressOn(permalink(page));
    await page.getByRole('heading', { level: 1, name: 'Tweet' }).waitFor();
    await page.getByText('Act on this tweet').waitFor();
    await expect.poll(() => paid).toEqual(['/tweet/advanced_search', '/tweet/replies']);
    expect(faults).toEqual([]);
  });

  test('names the reason why the platform does not support a call', async () => {
    const { page } = await openPage(browser, service.origin, { width: 1280, height: 900 });
    await page.route('**/v1/capabilities', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      for (const action of body.data.actions) {
        if (action.name === 'user/bookmarks')
          Object.assign(action, { supported: false, reason: 'it has no bookmarks' });
      }
      await route.fulfill({ response, json: body });
    });
    await page.goto(`${service.origin}/console/explore/bookmarks`);
    await page.getByText('Not available on this platform').waitFor();
    await page.getByText('it has no bookmarks').waitFor();
    expect(await page.getByRole('button', { name: 'Load the bookmarks' }).count()).toBe(0);
  });
});
