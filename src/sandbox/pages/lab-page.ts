import { activityTypes } from '../dataset/activity.ts';
import type { User } from '../dataset/types.ts';
import type { InjectedFault } from '../faults/fault.ts';
import { badRequest } from '../http/problem.ts';
import { demoNames } from '../seed/demo.ts';
import { type SafeHtml, safeHtml } from './html.ts';
import type { PageCall, PageView } from './site.ts';
import { eventLine, recentEvents } from './timeline-pages.ts';

/** The faults that the lab offers. `POST /control/faults` has more. */
const faults: Readonly<Record<string, { readonly name: string; readonly fault: InjectedFault }>> = {
  slow: { name: 'responds after 2 seconds', fault: { kind: 'latency', ms: 2_000 } },
  internal: { name: 'fails with status 500', fault: { kind: 'status', status: 500 } },
  overloaded: { name: 'fails with status 503', fault: { kind: 'status', status: 503 } },
  rate_limit: { name: 'refuses with a rate limit of 10 seconds', fault: { kind: 'rate_limit', retry_after: 10 } },
  hang: { name: 'never responds', fault: { kind: 'hang' } },
  reset: { name: 'closes the connection', fault: { kind: 'reset' } },
  lost: { name: 'performs the request, then closes the connection', fault: { kind: 'reset_after' } },
  nonsense: { name: 'responds with an HTML page', fault: { kind: 'nonsense' } },
};

export function faultNamed(name: string): InjectedFault {
  const found = faults[name];
  if (found === undefined) throw badRequest('fault', `fault must be one of ${Object.keys(faults).join(', ')}`);
  return found.fault;
}

/** The sentences that a form of the lab shows after it was sent. */
const results: Readonly<Record<string, string>> = {
  events: 'Done. The events are below, and on their way to webhooks and streams.',
  fault: 'The fault affects the next matching request.',
  'clear-faults': 'All faults are removed.',
  'rate-limit': 'The rate limit has changed.',
  account: 'The account exists. Its token is below.',
  reset: 'The sandbox has its first state again.',
};

const maxAccounts = 20;
const maxEvents = 10;

export function labPage(call: PageCall): PageView {
  const { platform, viewer, query } = call;
  const subject = platform.dataset.userNamed(query.get('user') ?? '') ?? viewer ?? platform.dataset.userNamed('ada');
  const name = subject?.screenName ?? 'ada';
  const result = results[query.get('done') ?? ''];
  const options = (all: readonly (readonly [string, string])[]) =>
    all.map(([value, label]) => safeHtml`<option value="${value}">${label}</option>`);
  const body = safeHtml`<h1>Lab</h1><p class="intro">Make something happen on the platform, and watch what it causes in your webhooks, in <code>postern listen</code> or in the console.</p>
${result && safeHtml`<p class="done" role="status">${result}</p>`}
<datalist id="accounts">${accounts(call).map((user) => safeHtml`<option value="${user.screenName}"></option>`)}</datalist>
<section class="panel"><h2>Events</h2><form class="row" method="post" action="/i/do/events">
<label>Event <select name="type">${options(activityTypes.map((type) => [type, type]))}</select></label>
<label>for <input name="userName" list="accounts" value="${name}" required maxlength="15" autocomplete="off"></label>
<label>times <input name="count" type="number" min="1" max="2000" value="1" required></label><button class="button">Make events</button></form>
<h3>Latest events of @${name}</h3>${subject && events(call, subject)}</section>
<section class="panel"><h2>Faults</h2><form class="row" method="post" action="/i/do/fault">
<label>The platform <select name="fault">${options(Object.entries(faults).map(([value, fault]) => [value, fault.name]))}</select></label>
<label>operation <input name="operation" placeholder="any" maxlength="40" autocomplete="off"></label>
<label>times <input name="times" type="number" min="1" max="1000000" value="1" required></label><button class="button">Add fault</button></form>${waitingFaults(call)}</section>
<section class="panel"><h2>Rate limit</h2><form class="row" method="post" action="/i/do/rate-limit">
<label>Requests of a user <input name="limit" type="number" min="0" placeholder="no limit"></label>
<label>in seconds <input name="window_seconds" type="number" min="1" max="86400" value="60" required></label><button class="button">Set</button></form></section>
<section class="panel"><h2>Accounts</h2><p class="intro">Programs act as one of these users with its <code>auth_token</code>.</p>${accountTable(call)}
<form class="row" method="post" action="/i/do/account"><label>Name of a new account <input name="userName" required maxlength="15" pattern="[A-Za-z0-9_]+" autocomplete="off"></label><button class="button">Create</button></form></section>
<section class="panel"><h2>API requests</h2>${requestTable(call)}<p><a class="button plain" href="/i/lab/live?user=${name}">Watch live</a></p></section>
<section class="panel"><h2>Reset</h2><p class="intro">Removes everything that happened since the first start: tweets, follows, messages, accounts and faults.</p>
<form method="post" action="/i/do/reset"><label class="check"><input type="checkbox" required> Delete all of this</label> <button class="button danger">Reset the sandbox</button></form></section>`;
  return { status: 200, title: 'Lab', body };
}

/** The events of an account and the number of API requests. The browser reloads the page every two seconds. */
export function livePage(call: PageCall): PageView {
  const { platform, query } = call;
  const subject = platform.dataset.userNamed(query.get('user') ?? 'ada');
  const body = safeHtml`<h1>Live: @${subject?.screenName ?? 'ada'}</h1><p class="intro"><a href="/i/lab">Back to the lab</a>. This page reloads every two seconds.</p>
<section class="panel"><h2>Latest events</h2>${subject && events(call, subject)}</section><section class="panel"><h2>API requests</h2>${requestTable(call)}</section>`;
  return { status: 200, title: 'Live', body, refreshSeconds: 2 };
}

function events(call: PageCall, subject: User): SafeHtml {
  const lines = recentEvents(call, subject, maxEvents).map((event) => eventLine(call, event));
  return lines.length === 0 ? safeHtml`<p class="soft intro">None yet.</p>` : safeHtml`${lines}`;
}

function waitingFaults({ platform }: PageCall): SafeHtml | undefined {
  const { rules } = platform.faults;
  if (rules.length === 0) return undefined;
  const lines = rules.map(({ fault, operation, remaining }) => {
    const times =
      remaining === null ? 'until it is removed' : `${remaining} more ${remaining === 1 ? 'time' : 'times'}`;
    return safeHtml`<li><code>${JSON.stringify(fault)}</code> for ${operation ?? 'any operation'}, ${times}</li>`;
  });
  return safeHtml`<ul>${lines}</ul><form method="post" action="/i/do/clear-faults"><button class="button plain">Remove all faults</button></form>`;
}

/** Returns the demo users and the accounts that were created last. */
function accounts({ platform: { dataset } }: PageCall): readonly User[] {
  const isDemo = ({ screenName }: User) => demoNames.some((name) => name === screenName);
  const created = [...dataset.users.values()].filter((user) => user.token !== null && !isDemo(user));
  return [...demoNames.flatMap((name) => dataset.userNamed(name) ?? []), ...created.slice(-maxAccounts).reverse()];
}

function accountTable(call: PageCall): SafeHtml {
  const rows = accounts(call).map(
    ({
      screenName,
      token,
    }) => safeHtml`<tr><th scope="row"><a href="/${screenName}">@${screenName}</a></th><td><code>${token ?? ''}</code></td>
<td><form method="post" action="/i/do/sign-in"><button class="button plain" name="user" value="${screenName}">Sign in<span class="hidden"> as ${screenName}</span></button></form></td></tr>`,
  );
  return safeHtml`<div class="wide"><table><thead><tr><th scope="col">Account</th><th scope="col"><code>auth_token</code></th><th scope="col"><span class="hidden">Sign in</span></th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function requestTable({ platform: { stats } }: PageCall): SafeHtml {
  const rows = Object.entries(stats.requests)
    .sort(([, a], [, b]) => b - a)
    .map(
      ([operation, count]) =>
        safeHtml`<tr><th scope="row"><code>${operation}</code></th><td>${count.toLocaleString('en')}</td></tr>`,
    );
  if (rows.length === 0) return safeHtml`<p class="soft intro">None since the start.</p>`;
  return safeHtml`<table><thead><tr><th scope="col">Operation</th><th scope="col">Requests</th></tr></thead><tbody>${rows}</tbody></table>`;
}
